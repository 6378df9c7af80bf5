"""Fetch one page of a list of events, and its total, in one statement.

No wide row is read before the page is cut: the walk sees only index columns, the fragments
are joined to the few identifiers that remain.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from calendar_events import sql
from calendar_events.queries import totals
from calendar_events.state import FAR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calendar_events.queries.events import EventQuery, Part
    from calendar_events.queries.ordering import Order

DEEP = 500
"""From this offset on it pays to know which end of the list is nearer."""

SAMPLE, MANY = 100, 30
"""So many events tell whether a search finds many: when so many of them match."""

_ROW = """e.id, e.version, e.published_at > %s AND e.status = 'publish', e.password,
  e.fragment, e.protected_fragment"""
_PAGE = """{common} SELECT t.number, t.is_surprised, {row}
FROM (SELECT {total}) t
LEFT JOIN ({walk}) p ON 1 = 1
LEFT JOIN calendar_events_event e ON e.id = p.id
ORDER BY p.k {direction}, p.id {direction}"""
_BATCH = """SELECT f.k, {row}
FROM ({walk}) f JOIN calendar_events_event e ON e.id = f.id
ORDER BY f.k {direction}, f.id {direction}"""


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
    if query.search.texts and sql.is_postgres():
        return _search(query, limit=limit, offset=offset)
    build = _walked if query.is_walked else _found
    statement, params = build(query, limit=limit, offset=offset)
    # Only page one is asked for so often that its plan is worth keeping.
    rows = sql.rows(statement, params, prepare=query.is_walked and offset == 0)
    if rows[0][1]:
        # Written since the horizon was seen: look at everything.
        return fetch(replace(query, horizon=FAR), limit=limit, offset=offset)
    return _page(rows)


def _page(rows: list[Any]) -> EventPage:
    return EventPage(
        rows=[EventRow(*row[2:]) for row in rows if row[2] is not None],
        total=int(rows[0][0]),
    )


def _search(query: EventQuery, *, limit: int, offset: int) -> EventPage:
    """Find few matches once; when there are many, count them and walk to the page apart.

    What is kept for both is a copy that one process makes; several can count.
    """
    sample = query.sample(SAMPLE)
    found = sql.rows(sample.text, sample.conditions.params, prepare=False)[0][0]
    build = _counted if found >= MANY else _found
    statement, params = build(query, limit=limit, offset=offset)
    if not found:
        return _page(sql.rows(statement, params, prepare=False))
    return _page(sql.rows_of_scan(statement, params))


def each(query: EventQuery, *, batch: int = 500) -> Iterator[list[EventRow]]:
    """Walk the whole list in its order, a batch at a time (for feeds).

    By key, not by offset: rows that come and go meanwhile shift nothing.
    """
    last: tuple[Any, int] | None = None
    while True:
        source, params = _union(query)
        direction, keyset = query.order.direction, ""
        if last is not None:
            operator = "<" if query.order.descending else ">"
            keyset = f"WHERE k {operator} %s OR (k = %s AND id {operator} %s)"
            params = [*params, last[0], *last]
        walk = (
            f"SELECT id, k FROM ({source}) u {keyset} "
            f"ORDER BY k {direction}, id {direction} LIMIT {batch}"
        )
        statement = _BATCH.format(row=_ROW, walk=walk, direction=direction)
        rows = sql.rows(statement, [sql.moment(query.now), *params], prepare=False)
        if not rows:
            return
        yield [EventRow(*row[1:]) for row in rows]
        last = rows[-1][0], rows[-1][1]


def _found(query: EventQuery, *, limit: int, offset: int) -> tuple[str, list[Any]]:
    """Find everything once, then count it and cut the page out of it."""
    source, params = _union(query)
    order = query.order
    statement = _PAGE.format(
        common=f"WITH found AS MATERIALIZED ({source})",
        row=_ROW,
        total="COUNT(*) AS number, 1 = 0 AS is_surprised FROM found",
        walk=_cut("SELECT id, k FROM found", order, f"LIMIT {limit} OFFSET {offset}"),
        direction=order.direction,
    )
    return statement, [*params, sql.moment(query.now)]


def _counted(query: EventQuery, *, limit: int, offset: int) -> tuple[str, list[Any]]:
    """Count everything, and walk to the page in the same statement."""
    source, params = _union(query)
    order = query.order
    statement = _PAGE.format(
        common="",
        row=_ROW,
        total=f"(SELECT COUNT(*) FROM ({source}) c) AS number, 1 = 0 AS is_surprised",
        walk=_cut(
            f"SELECT id, k FROM ({source}) u", order, f"LIMIT {limit} OFFSET {offset}"
        ),
        direction=order.direction,
    )
    return statement, [sql.moment(query.now), *params, *params]


def _walked(query: EventQuery, *, limit: int, offset: int) -> tuple[str, list[Any]]:
    """Walk each part from the end that is nearer, only as far as the page reaches."""
    streams, own = query.streams(), query.own_parts()
    number, number_params = _number(query, own)
    surprise, surprise_params = totals.surprise(query.window, query.now, query.horizon)
    if len([*streams, *own]) == 1 and offset >= DEEP:
        counted = sql.rows(f"SELECT {number}", number_params, prepare=False)[0][0]
        if offset > counted / 2:
            return _walked_back(query, streams[0], limit=limit, offset=offset)
    order, reach = query.order, offset + limit
    texts = [_cut(part.text, order, f"LIMIT {reach}") for part in (*streams, *own)]
    # An event that two streams bring is one event.
    merge = " UNION " if len(streams) > 1 else " UNION ALL "
    merged = merge.join(
        f"SELECT id, k FROM ({text}) p{index}" for index, text in enumerate(texts)
    )
    statement = _PAGE.format(
        common="",
        row=_ROW,
        total=f"{number} AS number, {surprise} AS is_surprised",
        walk=_cut(
            f"SELECT id, k FROM ({merged}) u", order, f"LIMIT {limit} OFFSET {offset}"
        ),
        direction=order.direction,
    )
    params = [param for part in (*streams, *own) for param in part.conditions.params]
    known = [*number_params, *surprise_params]
    return statement, [sql.moment(query.now), *known, *params]


def _walked_back(
    query: EventQuery, part: Part, *, limit: int, offset: int
) -> tuple[str, list[Any]]:
    """Walk from the end; where the page begins from there, the same statement counts."""
    number, number_params = totals.total(_scope(query), query.window, query.now, FAR)
    least, most = ("LEAST", "GREATEST") if sql.is_postgres() else ("MIN", "MAX")
    left = f"(SELECT number FROM total) - {offset}"
    limits = f"LIMIT {most}(0, {least}({limit}, {left})) OFFSET {most}(0, {left} - {limit})"
    statement = _PAGE.format(
        common=f"WITH total AS (SELECT {number} AS number)",
        row=_ROW,
        total="number, 1 = 0 AS is_surprised FROM total",
        walk=_cut(part.text, query.order.reverse, limits),
        direction=query.order.direction,
    )
    return statement, [*number_params, sql.moment(query.now), *part.conditions.params]


def _number(query: EventQuery, own: list[Part]) -> tuple[str, list[Any]]:
    """Return the total: the public part is known, what only the viewer sees is counted."""
    number, params = totals.total(_scope(query), query.window, query.now, query.horizon)
    for part in own:
        number += f" + (SELECT COUNT(*) FROM ({part.text}) c)"
        params = [*params, *part.conditions.params]
    return number, params


def _scope(query: EventQuery) -> totals.Scope:
    return query.scope or totals.EVERYTHING


def _union(query: EventQuery) -> tuple[str, list[Any]]:
    public = query.public_part()
    parts = [*([public] if public else []), *query.own_parts()]
    params = [param for part in parts for param in part.conditions.params]
    return " UNION ALL ".join(part.text for part in parts), params


def _cut(select: str, order: Order, limits: str) -> str:
    return f"{select} ORDER BY k {order.direction}, id {order.direction} {limits}"
