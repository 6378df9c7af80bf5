"""One page of a list of events and its total, in one statement, whatever finds them.

No wide row is read before the page is cut: the walk sees only index columns, the fragments
are joined to the few identifiers that remain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from calendar_events.store import scans, sql
from calendar_events.store.events import totals
from calendar_events.store.list_version import NO_HINTS
from calendar_events.store.search_conditions import Source

if TYPE_CHECKING:
    from calendar_events.store.events.query import EventQuery
    from calendar_events.store.ordering import Order
    from calendar_events.store.search_conditions import Part

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


def fetch(query: EventQuery, *, limit: int, offset: int) -> EventPage:
    """Return a page and the exact total, as of one moment."""
    build = _index_scan_page if query.is_walked else found
    statement, params = build(query, limit=limit, offset=offset)
    if query.change is not None:
        # Depending on the moment few events have changed, or nearly all.
        rows = scans.rows(statement, params, settings=scans.AT_FULL_SPEED)
        return page_of(rows)
    if query.is_walked and offset < DEEP:
        # Only page one is read so often that its plan is worth keeping.
        rows = sql.rows(statement, params, prepare=offset == 0)
    else:
        rows = scans.rows(statement, params)
    if rows[0][1]:
        # Written since the hints were read: look at everything.
        return fetch(query.but(hints=NO_HINTS), limit=limit, offset=offset)
    return page_of(rows)


def _index_scan_page(
    query: EventQuery, *, limit: int, offset: int
) -> tuple[str, list[Any]]:
    """Walk each part from the end that is nearer, only as far as the page reaches."""
    streams, own = query.walked(), query.own_parts()
    number, number_params = _number(query, own)
    stale, stale_params = totals.hints_are_stale(query.window, query.now, query.hints)
    if len([*streams, *own]) == 1 and offset >= DEEP:
        counted = sql.rows(f"SELECT {number}", number_params, prepare=False)[0][0]
        if offset > counted / 2:
            part = query.streams()[0]
            return _reverse_index_scan_page(query, part, limit=limit, offset=offset)
    order, reach = query.order, offset + limit
    texts = [cut(part.text, order, f"LIMIT {reach}") for part in (*streams, *own)]
    # An event that two streams bring is one event.
    merge = " UNION " if len(streams) > 1 else " UNION ALL "
    merged = merge.join(
        f"SELECT id, k FROM ({text}) p{index}" for index, text in enumerate(texts)
    )
    statement = PAGE.format(
        common="",
        row=ROW,
        total=f"{number} AS number, {stale} AS hint",
        walk=cut(
            f"SELECT id, k FROM ({merged}) u", order, f"LIMIT {limit} OFFSET {offset}"
        ),
        direction=order.direction,
    )
    params = [param for part in (*streams, *own) for param in part.conditions.params]
    known = [*number_params, *stale_params]
    return statement, [sql.moment(query.now), *known, *params]


def _reverse_index_scan_page(
    query: EventQuery, part: Part, *, limit: int, offset: int
) -> tuple[str, list[Any]]:
    """Walk from the end; where the page begins from there, the same statement counts."""
    number, number_params = totals.total(_scope(query), query.window, query.now, NO_HINTS)
    least, most = ("LEAST", "GREATEST") if sql.is_postgres() else ("MIN", "MAX")
    left = f"(SELECT number FROM total) - {offset}"
    limits = f"LIMIT {most}(0, {least}({limit}, {left})) OFFSET {most}(0, {left} - {limit})"
    statement = PAGE.format(
        common=f"WITH total AS (SELECT {number} AS number)",
        row=ROW,
        total="number, 0 AS hint FROM total",
        walk=cut(part.text, query.order.reverse, limits),
        direction=query.order.direction,
    )
    return statement, [*number_params, sql.moment(query.now), *part.conditions.params]


def _number(query: EventQuery, own: list[Part]) -> tuple[str, list[Any]]:
    """Return the total: the public part is known, what only the viewer sees is counted."""
    number, params = totals.total(_scope(query), query.window, query.now, query.hints)
    for part in own:
        number += f" + (SELECT COUNT(*) FROM ({part.text}) c)"
        params = [*params, *part.conditions.params]
    return number, params


def _scope(query: EventQuery) -> totals.Scope:
    return query.scope or totals.EVERYTHING


def page_of(rows: list[Any]) -> EventPage:
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
