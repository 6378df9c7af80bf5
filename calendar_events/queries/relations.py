"""What a page of events carries besides its own rows, in one statement.

Venues and organizers that the viewer may see, terms, and how many published events each
term has. Rows arrive as (kind, event, position, …) and are joined in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from calendar_events import sql, viewers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import Any

    from calendar_events.viewers import Viewer

_RECORDS = """SELECT '{kind}' AS kind, l.event_id AS event, l.position AS position,
  r.id AS id, r.version AS version, r.status AS status, r.published_at > %s AS scheduled,
  r.fragment AS fragment, 0 AS number, '' AS name
FROM calendar_events_event{kind} l JOIN calendar_events_{kind} r ON r.id = l.{kind}_id
WHERE {conditions}"""
_TERMS = """SELECT t.taxonomy, l.event_id, l.position, t.id, t.version, '', NULL,
  t.fragment, (SELECT COALESCE(SUM(d.number), 0) FROM calendar_events_daycount d
    WHERE d.scope = 'term:' || t.id AND d.day = '0001-01-01'), t.sort_text
FROM calendar_events_eventterm l JOIN calendar_events_term t ON t.id = l.term_id
WHERE {conditions}"""
# What time has not published yet is among the kept numbers but not yet counted.
_SCHEDULED = """SELECT 'scheduled', 0, 0, x.term_id, 0, '', NULL, '', COUNT(*), ''
FROM calendar_events_event e JOIN calendar_events_eventterm x ON x.event_id = e.id
WHERE NOT e.hide_from_listings AND e.status = 'publish' AND e.published_at > %s
  AND {conditions} GROUP BY x.term_id"""
_OF_PAGE = "x.term_id IN (SELECT l.term_id FROM calendar_events_eventterm l WHERE {})"


class Related(NamedTuple):
    """A venue, an organizer or a term of an event."""

    kind: str
    event: int
    position: int
    id: int
    version: int
    status: str
    is_scheduled: bool
    fragment: str
    number: int
    """Of a term: how many published events have it."""
    name: str


def of_events(ids: Sequence[int], viewer: Viewer, now: datetime) -> list[Related]:
    """Return everything that these events are linked to and the viewer may see."""
    if not ids:
        return []
    moment = sql.moment(now)
    texts: list[str] = []
    params: list[Any] = []
    for kind in (viewers.VENUE, viewers.ORGANIZER):
        conditions = _of(ids, "l.event_id")
        _visible(conditions, kind, viewer, now)
        texts.append(_RECORDS.format(kind=kind, conditions=conditions))
        params += [moment, *conditions.params]
    of_page = _of(ids, "l.event_id")
    texts.append(_TERMS.format(conditions=of_page))
    params += of_page.params
    texts.append(_SCHEDULED.format(conditions=_OF_PAGE.format(of_page)))
    params += [moment, *of_page.params]
    rows = [Related(*row) for row in sql.rows(" UNION ALL ".join(texts), params)]
    return _with_counts(rows)


def _of(ids: Sequence[int], column: str) -> sql.Conditions:
    conditions = sql.Conditions()
    conditions.any_of(column, ids)
    return conditions


def _visible(conditions: sql.Conditions, kind: str, viewer: Viewer, now: datetime) -> None:
    """Leave out what the viewer may not see, and the trash (decisions 7)."""
    public = "r.status = 'publish' AND r.published_at <= %s"
    if not viewer.is_user:
        conditions.add(public, sql.moment(now))
        return
    own = sql.Conditions()
    viewers.own_part(own, viewer, kind, "r")
    conditions.add(
        f"(({public}) OR ({own} AND r.status <> 'trash'))", sql.moment(now), *own.params
    )


def _with_counts(rows: list[Related]) -> list[Related]:
    """Take what is only scheduled off the numbers; sort links by place, terms by name."""
    scheduled = {row.id: row.number for row in rows if row.kind == "scheduled"}
    found = [
        row._replace(number=int(row.number) - scheduled.get(row.id, 0)) if row.name else row
        for row in rows
        if row.kind != "scheduled"
    ]
    found.sort(key=lambda row: (row.name, row.position, row.id))
    return found
