"""The related records of a page of events, in one statement.

Venues and organizers that the viewer may see, terms, and how many published events each
term has. Rows arrive as (kind, event, position, …) and are joined in Python.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

from calendar_events.documents.composition import Related
from calendar_events.models import visibility
from calendar_events.models.visibility import LISTED, Viewer
from calendar_events.store import sql
from calendar_events.store.sql import conditions_of, text_of

_RECORDS = """SELECT '{kind}' AS kind, l.event_id AS event, l.position AS position,
  r.id AS id, r.version AS version, {modified_at} AS modified_at,
  r.status = 'publish' AND r.published_at > %s AS is_scheduled,
  CASE WHEN {visible} THEN r.fragment END AS fragment, 0 AS number, '' AS name,
  {published_at} AS published_at, {json_ld} AS json_ld
FROM calendar_events_event{kind} l JOIN calendar_events_{kind} r ON r.id = l.{kind}_id
WHERE {linked}"""
_NUMBER = """CAST((SELECT COALESCE(SUM(d.number), 0) FROM calendar_events_daycount d
  WHERE d.scope = 'term:' || t.id AND d.day = '0001-01-01') AS integer)"""
_TERMS = """SELECT t.taxonomy, l.event_id, l.position, t.id, t.version, {modified_at},
  NULL, t.fragment, {number}, t.sort_text, NULL, ''
FROM calendar_events_eventterm l JOIN calendar_events_term t ON t.id = l.term_id
WHERE {linked}"""
# Where no numbers are kept (SQLite), each term's links are counted once.
_COUNTED = """SELECT 'number', 0, 0, x.term_id, 0, NULL, NULL, '', COUNT(*), '', NULL, ''
FROM calendar_events_eventterm x WHERE x.listed
  AND x.term_id IN (SELECT l.term_id FROM calendar_events_eventterm l WHERE {linked})
GROUP BY x.term_id"""
# What time has not published yet is among both but not yet counted.
_SCHEDULED = f"""SELECT 'number', 0, 0, x.term_id, 0, NULL, NULL, '',
  -COUNT(*), '', NULL, ''
FROM calendar_events_event e JOIN calendar_events_eventterm x ON x.event_id = e.id
WHERE {text_of(LISTED, "e")} AND e.published_at > %s
  AND x.term_id IN (SELECT l.term_id FROM calendar_events_eventterm l WHERE {{linked}})
GROUP BY x.term_id"""

# Whether that is to be asked at all: mostly nothing is scheduled, and a plan for counting
# what might be is made anew each time.
_AHEAD = f"""SELECT 'ahead', 0, 0, 0, 0, NULL, NULL, '', CASE WHEN (
  SELECT MAX(s.published_at) FROM calendar_events_event s
  WHERE {text_of(LISTED, "s")}) > %s THEN 1 ELSE 0 END,
  '', NULL, ''"""
_MOMENTS = (5, 10)
"""Where the moments stand in a row."""


def of_events(
    ids: Sequence[int],
    viewer: Viewer,
    now: datetime,
    *,
    has_scheduled: bool = True,
    with_json_ld: bool = False,
) -> list[Related]:
    """Return everything that these events are linked to.

    ``has_scheduled`` says whether time has yet to publish an event.
    """
    return _related(
        ids,
        viewer,
        now,
        is_dated=False,
        has_scheduled=has_scheduled,
        with_json_ld=with_json_ld,
    )


def of_answer(pk: int, viewer: Viewer, now: datetime) -> list[Related]:
    """Return what an event is linked to, for its document and for its entity tag."""
    return _related([pk], viewer, now, is_dated=True, has_scheduled=None)


def _related(  # noqa: PLR0913 -- which parts are wanted
    ids: Sequence[int],
    viewer: Viewer,
    now: datetime,
    *,
    is_dated: bool,
    has_scheduled: bool | None,
    with_json_ld: bool = False,
) -> list[Related]:
    """Run the statement; look up ``has_scheduled`` first where it is not known."""
    if not ids:
        return []
    modified_at = "{}.modified_at" if is_dated else "NULL"
    published_at = "CASE WHEN r.status = 'publish' THEN r.published_at END"
    rules = {
        visibility.VENUE: visibility.visible(viewer, visibility.VENUE, now),
        visibility.ORGANIZER: visibility.visible(viewer, visibility.ORGANIZER, now),
    }
    moment = sql.moment(now)
    linked = sql.Conditions()
    if len(ids) == 1:
        linked.add("l.event_id = %s", ids[0])
    else:
        linked.any_of("l.event_id", ids)
    texts: list[str] = []
    params: list[Any] = []
    for kind, rule in rules.items():
        visible = conditions_of(rule, "r")
        texts.append(
            _RECORDS.format(
                kind=kind,
                visible=visible,
                modified_at=modified_at.format("r"),
                published_at=published_at if is_dated else "NULL",
                linked=linked,
                json_ld="r.json_ld" if with_json_ld else "''",
            )
        )
        params += [moment, *visible.params, *linked.params]
    number = _NUMBER if sql.is_postgres() else "0"
    terms = _TERMS.format(modified_at=modified_at.format("t"), linked=linked, number=number)
    texts.append(terms)
    params += linked.params
    if not sql.is_postgres():
        texts.append(_COUNTED.format(linked=linked))
        params += linked.params
    scheduled = _SCHEDULED.format(linked=linked), [moment, *linked.params]
    if has_scheduled is None:
        texts.append(_AHEAD)
        params.append(moment)
    elif has_scheduled:
        texts.append(scheduled[0])
        params += scheduled[1]
    moments = _MOMENTS if is_dated else ()
    rows = sql.rows(" UNION ALL ".join(texts), params, moments=moments)
    related = [Related(*row) for row in rows]
    if has_scheduled is None:
        is_ahead = any(row.kind == "ahead" and row.number for row in related)
        related = [row for row in related if row.kind != "ahead"]
        if is_ahead:
            related += [Related(*row) for row in sql.rows(*scheduled)]
    return _with_counts(related)


def _with_counts(rows: list[Related]) -> list[Related]:
    """Add to the numbers of terms; sort links by position, terms by name."""
    more: Counter[int] = Counter()
    for row in rows:
        if row.kind == "number":
            more[row.id] += row.number
    related = [row for row in rows if row.kind != "number"]
    if more:
        related = [
            row._replace(number=row.number + more[row.id]) if row.name else row
            for row in related
        ]
    related.sort(key=attrgetter("name", "position", "id"))
    return related
