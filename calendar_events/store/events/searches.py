"""Searches on PostgreSQL: which of the ways to a page and its total pays.

What is rare is found at once, in the index. Else it matters how many events there are to
look at, and how many of them match: few are found once; when there are many, they are
counted, by several processes, and the page is walked to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calendar_events.store import scans, search_conditions, sql
from calendar_events.store.events import pages
from calendar_events.store.search_conditions import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from calendar_events.parsing.text import SearchQuery
    from calendar_events.store.events.pages import EventPage
    from calendar_events.store.events.query import EventQuery

    Build = Callable[..., tuple[str, list[Any]]]

SAMPLE, MANY = 40, 12
"""So many events tell whether a search finds many: when so many of them match."""
FEW = 2_000
"""So many events are looked at faster than everything is searched."""

# A bitmap that has no room becomes inexact, and what the index knows is made again for
# every row. Before the index is looked at, in this statement's transaction only.
_WORK_MEM = "set_config('work_mem', '256MB', true)"


def fetch(query: EventQuery, search: SearchQuery, *, limit: int, offset: int) -> EventPage:
    """Return a page and the exact total, as of one moment.

    A word is rare when no event of a sample has it.
    """
    if search.wanted:
        statement, params = _found_if_rare(query, search, limit=limit, offset=offset)
        # Only page one is asked for so often that its plan is worth keeping.
        rows = sql.rows(statement, params, prepare=offset == 0)
        matches = rows[0][1]
        if matches == 0:
            return pages.page_of(rows)
    else:
        matches = sql.rows(*_sample(query, search), prepare=False)[0][0]
    build, source = _way(query, search, matches)
    statement, params = build(query, limit=limit, offset=offset, source=source)
    settings = scans.AT_FULL_SPEED + (scans.BY_INDEX if source is Source.INDEX else "")
    return pages.page_of(scans.rows(statement, params, settings=settings))


def _way(query: EventQuery, search: SearchQuery, matches: int) -> tuple[Build, Source]:
    """Return how and where to find a page, if so many of a sample match."""
    if matches >= 0 and _has_few(query):
        return pages.found, Source.EVENTS
    if matches >= MANY:
        return _counted, Source.TEXTS
    return pages.found, Source.INDEX if search.wanted else Source.TEXTS


def _sample(query: EventQuery, search: SearchQuery) -> tuple[str, list[Any]]:
    """Return how many of the first events that begin in the window have the text."""
    conditions = query.from_start()
    found = search_conditions.read(search, "e")
    first = (
        f"SELECT e.search_text FROM {search_conditions.EVENTS} WHERE {conditions} "
        f"ORDER BY e.start_utc, e.id LIMIT {SAMPLE}"
    )
    statement = f"SELECT COUNT(*) AS matches FROM ({first}) e WHERE {found}"
    return statement, [*conditions.params, *found.params]


def _has_few(query: EventQuery) -> bool:
    """Return whether the list without its search is short."""
    source, params = pages.union(query.but(search=None))
    statement = f"SELECT COUNT(*) FROM (SELECT 1 FROM ({source}) u LIMIT {FEW}) few"
    return bool(sql.rows(statement, params, prepare=False)[0][0] < FEW)


def source_of_walk(query: EventQuery) -> Source:
    """Return where to look for the words of a feed: the rare are few in every batch."""
    if query.search is None or not query.search.wanted or not sql.is_postgres():
        return Source.EVENTS
    matches = sql.rows(*_sample(query, query.search), prepare=False)[0][0]
    return Source.EVENTS if matches else Source.INDEX


def _found_if_rare(
    query: EventQuery, search: SearchQuery, *, limit: int, offset: int
) -> tuple[str, list[Any]]:
    """Find everything once, unless a sample has any; tell how many the sample has.

    Its plan can be kept, for it looks at nothing but the index of suffixes. Where that
    does not know every text, nothing is found, and -1 told instead of 0.
    """
    sample, sample_params = _sample(query, search)
    known = (
        f"SELECT CASE WHEN matches > 0 THEN matches ELSE -({search_conditions.OTHERS}) END "
        f"AS matches, {_WORK_MEM} FROM ({sample}) s"
    )
    union, params = pages.union(query, Source.SUFFIXES, "(SELECT matches FROM sample) = 0")
    statement = pages.page_of_found(
        query,
        common=f"WITH sample AS MATERIALIZED ({known}), found AS MATERIALIZED ({union})",
        total="COUNT(*) AS number, (SELECT matches FROM sample) AS hint FROM found",
        limits=f"LIMIT {limit} OFFSET {offset}",
    )
    return statement, [*sample_params, *params, sql.moment(query.now)]


def _counted(
    query: EventQuery, *, limit: int, offset: int, source: Source
) -> tuple[str, list[Any]]:
    """Count everything, and walk to the page in the same statement."""
    union, params = pages.union(query, source)
    # Far from the beginning many texts are read on the way.
    is_deep = offset >= pages.DEEP
    walk, walk_params = pages.union(query, source if is_deep else Source.EVENTS)
    order = query.order
    statement = pages.PAGE.format(
        common="",
        row=pages.ROW,
        total=f"(SELECT COUNT(*) FROM ({union}) c) AS number, 0 AS hint",
        walk=pages.cut(
            f"SELECT id, k FROM ({walk}) u", order, f"LIMIT {limit} OFFSET {offset}"
        ),
        direction=order.direction,
    )
    return statement, [sql.moment(query.now), *params, *walk_params]
