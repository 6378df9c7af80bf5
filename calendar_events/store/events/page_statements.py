"""The statement of one page of events, whatever finds them.

No wide row is read before the page is cut: the walk sees only index columns, the fragments
are joined to the few identifiers that remain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from calendar_events.store import sql
from calendar_events.store.search_conditions import Source

if TYPE_CHECKING:
    from calendar_events.store.events.query import EventQuery
    from calendar_events.store.ordering import Order

DEEP = 500
"""From this offset on it pays to mind what is read on the way to a page."""

ROW = """e.id, e.version, e.published_at > %s AND e.status = 'publish', e.password,
  e.fragment, e.protected_fragment"""
PAGE = """{common} SELECT t.number, t.hint, {row}
FROM (SELECT {total}) t
LEFT JOIN ({walk}) p ON 1 = 1
LEFT JOIN calendar_events_event e ON e.id = p.id
ORDER BY p.k {direction}, p.id {direction}"""


class EventRow(NamedTuple):
    """What a list needs of an event."""

    id: int
    version: int
    is_scheduled: bool
    password: str
    fragment: str
    protected_fragment: str


class EventPage(NamedTuple):
    """One page and how many there are in all."""

    rows: list[EventRow]
    total: int


def page(rows: list[Any]) -> EventPage:
    """Return the page that a statement found; each of its rows has the total, too."""
    return EventPage(
        rows=[EventRow(*row[2:]) for row in rows if row[2] is not None],
        total=int(rows[0][0]),
    )


def found(
    query: EventQuery, *, limit: int, offset: int, source: Source = Source.EVENTS
) -> tuple[str, list[Any]]:
    """Find everything once, then count it and cut the page out of it."""
    everything, params = union(query, source)
    statement = page_of_found(
        query,
        common=f"WITH found AS MATERIALIZED ({everything})",
        total="COUNT(*) AS number, 0 AS hint FROM found",
        limits=f"LIMIT {limit} OFFSET {offset}",
    )
    return statement, [*params, sql.moment(query.now)]


def page_of_found(query: EventQuery, *, common: str, total: str, limits: str) -> str:
    """Return the statement of a page that is cut out of ``found``, which ``common`` has."""
    return PAGE.format(
        common=common,
        row=ROW,
        total=total,
        walk=cut("SELECT id, k FROM found", query.order, limits),
        direction=query.order.direction,
    )


def union(
    query: EventQuery, source: Source = Source.EVENTS, only_if: str = ""
) -> tuple[str, list[Any]]:
    """Return what finds all of a list, each event once, and its parameters.

    Where there is a condition ``only_if``, nothing is found unless it holds.
    """
    parts = query.searched(source)
    if only_if:
        for part in parts:
            part.conditions.add(only_if)
    params = [param for part in parts for param in part.conditions.params]
    merge = " UNION ALL " if query.change is None else " UNION "
    return merge.join(part.text for part in parts), params


def cut(select: str, order: Order, limits: str) -> str:
    """Return a page of what ``select`` finds, in order."""
    return f"{select} ORDER BY k {order.direction}, id {order.direction} {limits}"
