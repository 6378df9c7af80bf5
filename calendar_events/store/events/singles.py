"""Fetch one event and the versions of all that it carries, in one statement.

That is everything that decides who may see it and whether it has changed: an answer that
nothing changed needs no other statement. Who looks is no part of the statement, so that
its plan is kept; what the viewer may see is told apart here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from calendar_events.documents.related import Related
from calendar_events.models import Status, Taxonomy, visibility
from calendar_events.models.visibility import LISTED
from calendar_events.parsing import slugs
from calendar_events.store import sql
from calendar_events.store.singles import Single
from calendar_events.store.visibility import text_of
from platform_errors import prepared

if TYPE_CHECKING:
    from datetime import datetime

    from calendar_events.models.visibility import Viewer

_EVENT = f"""SELECT 'event' AS kind, e.id, e.version, e.institution, e.author_id, e.status,
  e.published_at, e.modified_at, 0 AS position, '' AS name, e.fragment, e.json_ld,
  e.password, COALESCE((SELECT MAX(s.published_at) FROM calendar_events_event s
    WHERE {text_of(LISTED, "s")}) > %s, 1 = 0)
FROM calendar_events_event e WHERE e.id = %s"""
_RECORDS = """SELECT '{kind}', r.id, r.version, r.institution, r.author_id, r.status,
  r.published_at, r.modified_at, l.position, '', '', '', '', 1 = 0
FROM calendar_events_event{kind} l JOIN calendar_events_{kind} r ON r.id = l.{kind}_id
WHERE l.event_id = %s"""
_TERMS = """SELECT t.taxonomy, t.id, t.version, '', 0, '',
  NULL, t.modified_at, l.position, t.sort_text, '', '', '', 1 = 0
FROM calendar_events_eventterm l JOIN calendar_events_term t ON t.id = l.term_id
WHERE l.event_id = %s"""
_STATEMENT = " UNION ALL ".join(
    [
        _EVENT,
        _RECORDS.format(kind=visibility.VENUE),
        _RECORDS.format(kind=visibility.ORGANIZER),
        _TERMS,
    ]
)
_TERM_KINDS = frozenset(Taxonomy.values)
# The unique index leaves out empty slugs, which a prepared plan could not know.
_BY_SLUG = "SELECT id FROM calendar_events_event WHERE slug = %s AND NOT (slug = '')"


class _Row(NamedTuple):
    kind: str
    id: int
    version: int
    institution: str
    author_id: int
    status: str
    published_at: Any
    modified_at: Any
    position: int
    name: str
    fragment: str
    json_ld: str
    password: str
    has_scheduled: bool


class EventSingle(NamedTuple):
    """An event, and what it carries without what that looks like."""

    single: Single
    embedded: list[_Row]

    def related(self, viewer: Viewer, now: datetime) -> list[Related]:
        """Return what it carries as the viewer sees it, in the order of its answer."""
        found = [_related(row, self.single.id, viewer, now) for row in self.embedded]
        found.sort(key=lambda row: (row.name, row.position, row.id))
        return found


def by_id(pk: int, now: datetime) -> EventSingle | None:
    """Return the event with this identifier."""
    values = [sql.moment(now), pk, pk, pk, pk]
    rows = prepared.read_rows(sql.connection(), _STATEMENT, values)
    found = [_Row(*row) for row in rows]
    event = next((row for row in found if row.kind == visibility.EVENT), None)
    if event is None:
        return None
    single = Single(
        id=event.id,
        version=event.version,
        institution=event.institution,
        author_id=event.author_id,
        status=event.status,
        published_at=sql.as_moment(event.published_at),
        modified_at=sql.as_moment(event.modified_at),
        fragment=event.fragment,
        json_ld=event.json_ld,
        password=event.password,
        has_scheduled=event.has_scheduled,
    )
    return EventSingle(single, [row for row in found if row is not event])


def by_slug(slug: str, now: datetime) -> EventSingle | None:
    """Return the event with this slug, written in letters or in escapes."""
    rows = sql.rows(_BY_SLUG, [slugs.from_path(slug)], prepare=False)
    return by_id(rows[0][0], now) if rows else None


def _related(row: _Row, event: int, viewer: Viewer, now: datetime) -> Related:
    in_time = row._replace(published_at=sql.as_moment(row.published_at))
    is_shown = row.kind in _TERM_KINDS or visibility.holds(
        visibility.visible(viewer, row.kind, now), in_time
    )
    return Related(
        kind=row.kind,
        event=event,
        position=row.position,
        id=row.id,
        version=row.version,
        modified_at=row.modified_at,
        is_scheduled=visibility.holds(visibility.scheduled(now), in_time),
        fragment="" if is_shown else None,
        number=0,
        name=row.name,
        published_at=row.published_at if row.status == Status.PUBLISH else None,
    )
