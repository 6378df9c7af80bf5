"""How many events a default list has, exactly, without counting them.

Triggers keep the number of listed events that start on each day (``models.DayCount``). The
days inside the window are summed; the two parts of days at its ends, events that outlast it
and events that time has not published yet are counted, which are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from calendar_events import sql

if TYPE_CHECKING:
    from calendar_events.queries.windows import Window

FIRST_DAY = date(1, 1, 2)  # the day before holds the sum of all
LAST_DAY = date.max
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)

NEAR = timedelta(days=300)
"""A window that ends sooner is counted: too many events may come after it."""

_LISTED = "NOT e.hide_from_listings AND e.status = 'publish'"
_TOTAL = f"""
(SELECT COALESCE(SUM(d.number), 0) FROM calendar_events_daycount d
  WHERE d.scope = %s AND d.day >= %s AND d.day < %s)
+ (SELECT COUNT(*) FROM calendar_events_event e WHERE {_LISTED}
  AND e.start_utc >= %s AND e.start_utc < %s{{of_scope}})
+ (SELECT COUNT(*) FROM calendar_events_event e WHERE {_LISTED}
  AND e.start_utc >= %s AND e.start_utc < %s{{of_scope}})
- (SELECT COUNT(*) FROM calendar_events_event e WHERE {_LISTED}
  AND e.end_utc > %s AND e.start_utc >= %s AND e.start_utc < %s{{of_scope}})
- (SELECT COUNT(*) FROM calendar_events_event e WHERE {_LISTED}
  AND e.published_at > %s AND e.end_utc <= %s AND e.start_utc >= %s{{of_scope}})
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What the counters are kept for: everything, an institution or a term."""

    name: str
    condition: str = ""
    params: tuple[Any, ...] = ()


EVERYTHING = Scope(name="all")


def of_institution(registry_id: str) -> Scope:
    """Return the scope of an institution's events."""
    return Scope(
        name=f"institution:{registry_id}",
        condition=" AND e.institution = %s",
        params=(registry_id,),
    )


def of_term(pk: int) -> Scope:
    """Return the scope of a category or tag itself, without what is under it."""
    return Scope(
        name=f"term:{pk}",
        condition=" AND EXISTS (SELECT 1 FROM calendar_events_eventterm x"
        " WHERE x.event_id = e.id AND x.term_id = %s AND x.listed)",
        params=(pk,),
    )


def is_kept(window: Window, now: datetime) -> bool:
    """Return whether the counters can tell how many events a window has."""
    relative = (
        window.starts_before,
        window.starts_after,
        window.ends_before,
        window.ends_after,
    )
    return (
        not window.overlaps
        and relative == (None,) * 4
        and (window.end is None or window.end >= now + NEAR)
        and (window.start is None or window.end is None or window.start < window.end)
    )


def total(scope: Scope, window: Window, now: datetime) -> tuple[str, list[Any]]:
    """Return the expression for the number of public events in a window."""
    start = window.start or datetime.min.replace(tzinfo=UTC)
    end = window.end or datetime.max.replace(tzinfo=UTC, microsecond=0) - SECOND
    after = end + SECOND  # limits are inclusive, and events begin at whole seconds
    days, head, tail = _parts(start, after)
    moment = sql.moment
    params = [
        *(scope.name, *days),
        *(*map(moment, head), *scope.params),
        *(*map(moment, tail), *scope.params),
        *(moment(end), moment(start), moment(after), *scope.params),
        *(moment(now), moment(end), moment(start), *scope.params),
    ]
    return _TOTAL.format(of_scope=scope.condition), params


def _parts(
    start: datetime, after: datetime
) -> tuple[tuple[date, date], tuple[datetime, datetime], tuple[datetime, datetime]]:
    """Part a span into whole days (UTC), and what is before and after them."""
    start, after = start.astimezone(UTC), after.astimezone(UTC)
    first = start.replace(hour=0, minute=0, second=0, microsecond=0)
    if first < start:
        first += DAY
    last = after.replace(hour=0, minute=0, second=0, microsecond=0)
    if last <= first:
        return (FIRST_DAY, FIRST_DAY), (start, after), (after, after)
    begin = max(first.date(), FIRST_DAY)
    return (begin, last.date()), (start, first), (last, after)
