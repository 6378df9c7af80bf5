"""Fetch one page of a list of events, and its total, in one statement.

No wide row is read before the page is cut: the walk sees only index columns, the fragments
are joined to the few identifiers that remain.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from calendar_events import sql
from calendar_events.queries import searching, totals
from calendar_events.queries.searching import Source
from calendar_events.state import FAR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calendar_events.queries.events import EventQuery
    from calendar_events.queries.ordering import Order
    from calendar_events.queries.searching import Part
    from calendar_events.text import SearchQuery

DEEP = 500
"""From this offset on it pays to know which end of the list is nearer."""

SAMPLE, MANY = 40, 12
"""So many events tell whether a search finds many: when so many of them match."""
FEW = 2_000
"""So many events are looked at faster than everything is searched."""

# A bitmap that has no room becomes inexact, and what the index knows is made again for
# every row. Before the index is looked at, in this statement's transaction only.
_WORK_MEM = "set_config('work_mem', '256MB', true)"
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
    if query.search is not None and sql.is_postgres():
        return _search(query, query.search, limit=limit, offset=offset)
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


def _search(
    query: EventQuery, search: SearchQuery, *, limit: int, offset: int
) -> EventPage:
    """Find what is rare at once; else see first how many events there are to look at.

    Few matches are found once; when there are many, they are counted, by several
    processes, and the page is walked to. A word is rare when no event of a sample has it.
    """
    if search.wanted:
        statement, params = _found_if_rare(query, search, limit=limit, offset=offset)
        rows = sql.rows(statement, params)
        matches = rows[0][1]
        if not matches:
            return _page(rows)
    else:
        matches = sql.rows(*_sample(query, search), prepare=False)[0][0]
    build, source, by_index = _counted, Source.TEXTS, False
    if _has_few(query):
        build, source = _found, Source.EVENTS
    elif matches < MANY:
        build, by_index = _found, bool(search.wanted)
        source = Source.INDEX if by_index else Source.TEXTS
    statement, params = build(query, limit=limit, offset=offset, source=source)
    return _page(sql.rows_of_scan(statement, params, by_index=by_index))


def _sample(query: EventQuery, search: SearchQuery) -> tuple[str, list[Any]]:
    """Return how many of the first events that begin in the window have the text."""
    conditions = query.from_start()
    found = searching.read(search, "e")
    first = (
        f"SELECT e.search_text FROM {searching.EVENTS} WHERE {conditions} "
        f"ORDER BY e.start_utc, e.id LIMIT {SAMPLE}"
    )
    statement = f"SELECT COUNT(*) AS matches FROM ({first}) e WHERE {found}"
    return statement, [*conditions.params, *found.params]


def _has_few(query: EventQuery) -> bool:
    """Return whether the list without its search is short."""
    source, params = _union(replace(query, search=None))
    statement = f"SELECT COUNT(*) FROM (SELECT 1 FROM ({source}) u LIMIT {FEW}) few"
    return bool(sql.rows(statement, params, prepare=False)[0][0] < FEW)


def each(query: EventQuery, *, batch: int = 500) -> Iterator[list[EventRow]]:
    """Walk the whole list in its order, a batch at a time (for feeds).

    By key, not by offset: rows that come and go meanwhile shift nothing.
    """
    last: tuple[Any, int] | None = None
    source = _source_of_walk(query)
    while True:
        union, params = _union(query, source)
        direction, keyset = query.order.direction, ""
        if last is not None:
            operator = "<" if query.order.descending else ">"
            keyset = f"WHERE k {operator} %s OR (k = %s AND id {operator} %s)"
            params = [*params, last[0], *last]
        walk = (
            f"SELECT id, k FROM ({union}) u {keyset} "
            f"ORDER BY k {direction}, id {direction} LIMIT {batch}"
        )
        statement = _BATCH.format(row=_ROW, walk=walk, direction=direction)
        params = [sql.moment(query.now), *params]
        if source is Source.INDEX:
            rows = sql.rows_of_scan(statement, params, by_index=True)
        else:
            rows = sql.rows(statement, params, prepare=False)
        if not rows:
            return
        yield [EventRow(*row[1:]) for row in rows]
        last = rows[-1][0], rows[-1][1]


def _source_of_walk(query: EventQuery) -> Source:
    """Return where to look for the words of a feed: the rare are few in every batch."""
    if query.search is None or not query.search.wanted or not sql.is_postgres():
        return Source.EVENTS
    matches = sql.rows(*_sample(query, query.search), prepare=False)[0][0]
    return Source.EVENTS if matches else Source.INDEX


def _found(
    query: EventQuery, *, limit: int, offset: int, source: Source = Source.EVENTS
) -> tuple[str, list[Any]]:
    """Find everything once, then count it and cut the page out of it."""
    union, params = _union(query, source)
    statement = _page_of_found(
        query,
        common=f"WITH found AS MATERIALIZED ({union})",
        total="COUNT(*) AS number, 1 = 0 AS is_surprised FROM found",
        limits=f"LIMIT {limit} OFFSET {offset}",
    )
    return statement, [*params, sql.moment(query.now)]


def _found_if_rare(
    query: EventQuery, search: SearchQuery, *, limit: int, offset: int
) -> tuple[str, list[Any]]:
    """Find everything once, unless a sample has any; tell how many the sample has.

    Its plan can be kept, for it looks at nothing but the index of suffixes. Where that
    does not know every text nothing counts as rare.
    """
    sample, sample_params = _sample(query, search)
    known = (
        f"SELECT GREATEST(matches, ({searching.OTHERS})) AS matches, {_WORK_MEM} "
        f"FROM ({sample}) s"
    )
    union, params = _union(query, Source.SUFFIXES, "(SELECT matches FROM sample) = 0")
    statement = _page_of_found(
        query,
        common=f"WITH sample AS MATERIALIZED ({known}), found AS MATERIALIZED ({union})",
        total="COUNT(*) AS number, (SELECT matches FROM sample) AS is_surprised FROM found",
        limits=f"LIMIT {limit} OFFSET {offset}",
    )
    return statement, [*sample_params, *params, sql.moment(query.now)]


def _page_of_found(query: EventQuery, *, common: str, total: str, limits: str) -> str:
    return _PAGE.format(
        common=common,
        row=_ROW,
        total=total,
        walk=_cut("SELECT id, k FROM found", query.order, limits),
        direction=query.order.direction,
    )


def _counted(
    query: EventQuery, *, limit: int, offset: int, source: Source = Source.EVENTS
) -> tuple[str, list[Any]]:
    """Count everything, and walk to the page in the same statement."""
    union, params = _union(query, source)
    walk, walk_params = _union(query)
    order = query.order
    statement = _PAGE.format(
        common="",
        row=_ROW,
        total=f"(SELECT COUNT(*) FROM ({union}) c) AS number, 1 = 0 AS is_surprised",
        walk=_cut(f"SELECT id, k FROM ({walk}) u", order, f"LIMIT {limit} OFFSET {offset}"),
        direction=order.direction,
    )
    return statement, [sql.moment(query.now), *params, *walk_params]


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


def _union(
    query: EventQuery, source: Source = Source.EVENTS, only_if: str = ""
) -> tuple[str, list[Any]]:
    parts = query.searched(source)
    for part in parts:
        if only_if:
            part.conditions.add(only_if)
    params = [param for part in parts for param in part.conditions.params]
    return " UNION ALL ".join(part.text for part in parts), params


def _cut(select: str, order: Order, limits: str) -> str:
    return f"{select} ORDER BY k {order.direction}, id {order.direction} {limits}"
