"""Fetch the events of a feed, batch by batch, with what they carry as stored texts.

Nothing is held between two batches, neither cursor nor transaction, so a slow reader holds
up nobody and any thread may fetch the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from calendar_events import documents
from calendar_events.models import Event, Taxonomy, visibility
from calendar_events.store import scans, sql
from calendar_events.store.events import pages, searches
from calendar_events.store.events.query import BY_START
from calendar_events.store.search_conditions import Source
from calendar_events.store.visibility import conditions_of
from platform_errors.errors.catalogue import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from calendar_events.models.visibility import Viewer
    from calendar_events.store.events.query import EventQuery

BATCH = 500
OCTETS = 1_000_000
"""Of the texts of one batch, which may have one more event than fits."""

_ROW = """e.id, e.published_at > %s AND e.status = 'publish', e.password,
  e.feed_text, e.protected_feed_text"""
_BATCH = """SELECT * FROM (
  SELECT f.k, {row},
    SUM({size}) OVER (ORDER BY f.k {direction}, f.id {direction}
      ROWS UNBOUNDED PRECEDING) - {size} AS sent
  FROM ({walk}) f JOIN calendar_events_event e ON e.id = f.id) b
WHERE sent < {octets} ORDER BY 1 {direction}, 2 {direction}"""

_CATEGORY, _TAG, _VENUE, _ORGANIZER = range(4)
_RECORDS = """SELECT l.event_id, {rank}, '', l.position, r.id,
  CASE WHEN {visible} THEN r.feed_text END
FROM calendar_events_event{kind} l JOIN calendar_events_{kind} r ON r.id = l.{kind}_id
WHERE {linked}"""
_TERMS = f"""SELECT l.event_id,
  CASE t.taxonomy WHEN '{Taxonomy.CATEGORY.value}' THEN {_CATEGORY} ELSE {_TAG} END,
  t.sort_text, l.position, t.id, t.name
FROM calendar_events_eventterm l JOIN calendar_events_term t ON t.id = l.term_id
WHERE {{linked}}"""


class FeedRow(NamedTuple):
    """What a feed needs of an event's row."""

    id: int
    is_scheduled: bool
    password: str
    text: str
    protected_text: str


class Embedded(NamedTuple):
    """What a calendar shows of the other rows of an event, as its viewer sees them.

    In the order of the JSON document.
    """

    categories: list[str]
    tags: list[str]
    places: list[str]
    organizers: list[str]


NOTHING = Embedded([], [], [], [])


def batches(query: EventQuery) -> Iterator[list[FeedRow]]:
    """Walk the whole list, a bounded batch at each step.

    By key, not by offset: rows that come and go meanwhile shift nothing.
    """
    if query.order.column == "sort_text":
        # A calendar is not a sequence, and each batch would sort all events anew.
        query = query.but(order=BY_START)
    last: tuple[Any, int] | None = None
    source = searches.source_of_walk(query)
    while rows := _batch(query, source, last):
        yield [FeedRow(*row[1:-1]) for row in rows]
        last = rows[-1][0], rows[-1][1]


def _batch(query: EventQuery, source: Source, last: tuple[Any, int] | None) -> list[Any]:
    order, limit = query.order, f"LIMIT {BATCH}"
    # Compared as rows, which an index can begin at.
    keyset = f"WHERE (k, id) {'<' if order.descending else '>'} (%s, %s)" if last else ""
    walks: list[str] = []
    params: list[Any] = [sql.moment(query.now)]
    # Each part by itself walks its index no further than a batch reaches.
    for number, part in enumerate(query.searched(source)):
        walk = f"SELECT id, k FROM ({part.text}) p{number} {keyset}"
        walks.append(f"SELECT id, k FROM ({pages.cut(walk, order, limit)}) w{number}")
        params += [*part.conditions.params, *(last or ())]
    # An event that several changes concern is in several parts.
    merge = " UNION ALL " if query.change is None else " UNION "
    statement = _BATCH.format(
        row=_ROW,
        # Where it is stored is known without reading it; SQLite has that only since 3.43.
        size=f"{'OCTET_' if sql.is_postgres() else ''}LENGTH(e.feed_text)",
        walk=pages.cut(f"SELECT id, k FROM ({merge.join(walks)}) u", order, limit),
        direction=order.direction,
        octets=OCTETS,
    )
    sql.settle()
    if source is Source.INDEX:
        settings = scans.AT_FULL_SPEED + scans.BY_INDEX
        try:
            return scans.rows(statement, params, settings=settings)
        except scans.ScanTooLong as error:
            raise Unavailable("the database did not answer in time") from error
    return sql.rows_by_index(statement, params)


def single(pk: int, now: datetime) -> FeedRow | None:
    """Return one event."""
    statement = f"SELECT {_ROW} FROM calendar_events_event e WHERE e.id = %s"
    rows = sql.rows(statement, [sql.moment(now), pk])
    return FeedRow(*rows[0]) if rows else None


def text_of(row: FeedRow, *, is_open: bool) -> str:
    """Return an event's text; without its password when it is not ``is_open``.

    Where there is none, for the row was loaded past ``store.saving`` or written by an older
    version, it is made; an event that is deleted meanwhile has none.
    """
    text = row.text if is_open else row.protected_text
    if text:
        return text
    event = Event.objects.select_related("image").filter(pk=row.id).first()
    if event is None:
        return ""
    rendered = documents.render_event(event)
    return rendered.feed_text if is_open else rendered.protected_feed_text


def embedded(ids: Sequence[int], viewer: Viewer, now: datetime) -> dict[int, Embedded]:
    """Return what a calendar shows of these events' venues, organizers and terms."""
    if not ids:
        return {}
    linked = sql.Conditions()
    linked.any_of("l.event_id", ids)
    texts = [_TERMS.format(linked=linked)]
    params = [*linked.params]
    for kind, rank in ((visibility.VENUE, _VENUE), (visibility.ORGANIZER, _ORGANIZER)):
        visible = conditions_of(visibility.visible(viewer, kind, now), "r")
        texts.append(_RECORDS.format(kind=kind, rank=rank, linked=linked, visible=visible))
        params += [*visible.params, *linked.params]
    rows = sql.rows(" UNION ALL ".join(texts), params)
    rows.sort()
    found = {pk: Embedded([], [], [], []) for pk in ids}
    for event, rank, _name, _position, _pk, text in rows:
        if text is not None:  # for this viewer
            found[event][rank].append(text)
    return found
