"""Fetch the events of a feed, batch by batch, with what they carry as stored texts.

Nothing is held between two batches, neither cursor nor transaction, so a slow reader holds
up nobody and any thread may fetch the next one.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.core.exceptions import EmptyResultSet
from django.db.models import F, Q
from django.db.models.functions import Coalesce

from calendar_events import documents
from calendar_events.models import Event, Taxonomy, visibility
from calendar_events.models.querysets.events import EventQuerySet
from calendar_events.models.visibility import Viewer
from calendar_events.store import sql
from calendar_events.store.sql import conditions_of

BATCH = 500
OCTETS = 1_000_000
"""Of the texts of one batch, which may have one more event than fits."""

MOMENTS = frozenset({"start_utc", "end_utc", "published_at", "modified_at"})

_ROW = """e.id, e.published_at > %s AND e.status = 'publish', e.password,
  e.feed_text, e.protected_feed_text"""
_BATCH = """SELECT * FROM (
  SELECT f.k, {row},
    SUM({size}) OVER (ORDER BY f.k {direction}, f.row {direction}
      ROWS UNBOUNDED PRECEDING) - {size} AS sent
  FROM ({walk}) f JOIN calendar_events_event e ON e.id = f.row) b
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
    """The columns of an event that a feed needs."""

    id: int
    is_scheduled: bool
    password: str
    text: str
    protected_text: str


class Embedded(NamedTuple):
    """The related records of an event in a calendar, as its viewer sees them.

    In the order of the JSON document.
    """

    categories: list[str]
    tags: list[str]
    places: list[str]
    organizers: list[str]


NOTHING = Embedded([], [], [], [])


def batches(events: EventQuerySet) -> Iterator[list[FeedRow]]:
    """Walk the whole list, a bounded batch at each step.

    By key, not by offset: rows that come and go meanwhile shift nothing. A calendar is no
    sequence: what is not sorted by a moment is sent by its start.
    """
    first = next(iter(events.query.order_by), None)
    key = getattr(first, "expression", None)
    is_moment = isinstance(key, Coalesce) or getattr(key, "name", "") in MOMENTS
    is_descending = is_moment and bool(getattr(first, "descending", False))
    keyed = events.order_by().annotate(row=F("pk"), k=key if is_moment else F("start_utc"))
    walk = keyed.order_by(*(["-k", "-pk"] if is_descending else ["k", "pk"]))
    after = "lt" if is_descending else "gt"
    while rows := _batch(walk, "DESC" if is_descending else "ASC"):
        yield [FeedRow(*row[1:-1]) for row in rows]
        last, pk = sql.as_moment(rows[-1][0]), rows[-1][1]
        # The first condition is implied by the second; an index begins at it.
        rest = Q(**{f"k__{after}e": last}) & (
            Q(**{f"k__{after}": last}) | Q(**{"k": last, f"pk__{after}": pk})
        )
        walk = walk.continued(rest)


def _batch(walk: EventQuerySet, direction: str) -> list[Any]:
    keys = walk.values_list("row", "k")[:BATCH]
    sql.close_old_connection()
    try:
        text, params = keys.query.get_compiler(sql.connection().alias).as_sql()
    except EmptyResultSet:
        return []
    statement = _BATCH.format(
        row=_ROW,
        # Where it is stored is known without reading it; SQLite has that only since 3.43.
        size=f"{'OCTET_' if sql.is_postgres() else ''}LENGTH(e.feed_text)",
        walk=text,
        direction=direction,
        octets=OCTETS,
    )
    return sql.rows(statement, [sql.moment(walk.moment), *params], prepare=False)


def single(pk: int, now: datetime) -> FeedRow | None:
    statement = f"SELECT {_ROW} FROM calendar_events_event e WHERE e.id = %s"
    rows = sql.rows(statement, [sql.moment(now), pk])
    return FeedRow(*rows[0]) if rows else None


def of(ids: Sequence[int], now: datetime) -> list[FeedRow]:
    """Return events, in the order of their starts."""
    linked = sql.Conditions()
    linked.any_of("e.id", ids)
    order = "ORDER BY e.start_utc, e.id"
    statement = f"SELECT {_ROW} FROM calendar_events_event e WHERE {linked} {order}"
    return [FeedRow(*row) for row in sql.rows(statement, [sql.moment(now), *linked.params])]


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
    return documents.columns(event)["feed_text" if is_open else "protected_feed_text"]


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
    by_event = {pk: Embedded([], [], [], []) for pk in ids}
    for event, rank, _name, _position, _pk, text in rows:
        if text is not None:  # for this viewer
            by_event[event][rank].append(text)
    return by_event
