"""Fetch one page of a list of events, and its total, in one statement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from calendar_events.store import scans, sql
from calendar_events.store.events import page_statements as statements
from calendar_events.store.events import searches, totals
from calendar_events.store.list_version import NO_HINTS

if TYPE_CHECKING:
    from calendar_events.store.events.page_statements import EventPage
    from calendar_events.store.events.query import EventQuery
    from calendar_events.store.search_conditions import Part


def fetch(query: EventQuery, *, limit: int, offset: int) -> EventPage:
    """Return a page and the exact total, as of one moment."""
    if query.search is not None and sql.is_postgres():
        return searches.fetch(query, query.search, limit=limit, offset=offset)
    build = _index_scan_page if query.is_walked else statements.found
    statement, params = build(query, limit=limit, offset=offset)
    if query.change is not None:
        # Depending on the moment few events have changed, or nearly all.
        rows = scans.rows(statement, params, settings=scans.AT_FULL_SPEED)
        return statements.page(rows)
    if query.is_walked and offset < statements.DEEP:
        # Only page one is read so often that its plan is worth keeping.
        rows = sql.rows(statement, params, prepare=offset == 0)
    else:
        rows = scans.rows(statement, params)
    if rows[0][1]:
        # Written since the hints were read: look at everything.
        return fetch(replace(query, hints=NO_HINTS), limit=limit, offset=offset)
    return statements.page(rows)


def _index_scan_page(
    query: EventQuery, *, limit: int, offset: int
) -> tuple[str, list[Any]]:
    """Walk each part from the end that is nearer, only as far as the page reaches."""
    streams, own = query.streams(), query.own_parts()
    number, number_params = _number(query, own)
    stale, stale_params = totals.hints_are_stale(query.window, query.now, query.hints)
    if len([*streams, *own]) == 1 and offset >= statements.DEEP:
        counted = sql.rows(f"SELECT {number}", number_params, prepare=False)[0][0]
        if offset > counted / 2:
            return _reverse_index_scan_page(query, streams[0], limit=limit, offset=offset)
    order, reach = query.order, offset + limit
    texts = [
        statements.cut(part.text, order, f"LIMIT {reach}") for part in (*streams, *own)
    ]
    # An event that two streams bring is one event.
    merge = " UNION " if len(streams) > 1 else " UNION ALL "
    merged = merge.join(
        f"SELECT id, k FROM ({text}) p{index}" for index, text in enumerate(texts)
    )
    statement = statements.PAGE.format(
        common="",
        row=statements.ROW,
        total=f"{number} AS number, {stale} AS hint",
        walk=statements.cut(
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
    statement = statements.PAGE.format(
        common=f"WITH total AS (SELECT {number} AS number)",
        row=statements.ROW,
        total="number, 0 AS hint FROM total",
        walk=statements.cut(part.text, query.order.reverse, limits),
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
