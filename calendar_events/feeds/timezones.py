"""VTIMEZONE components (RFC 5545 section 3.6.5) for zones of the IANA database.

Our own, because ``icalendar`` writes the onset of summer time in the new offset, where the
standard wants the old one; an hour of events a year would be an hour off.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from icalendar import Timezone, TimezoneDaylight, TimezoneStandard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from zoneinfo import ZoneInfo

STEP = timedelta(days=7)
"""No zone changes its clocks twice within a week (save for a few years before 1950)."""


class Change(NamedTuple):
    """A moment at which a zone changes its offset or what it is called."""

    at: datetime
    before: timedelta
    after: timedelta
    name: str
    is_summer: bool


@lru_cache(maxsize=256)
def timezone_component(zone: ZoneInfo, first_year: int, last_year: int) -> bytes:
    """Return the component that holds for these years."""
    component = Timezone()
    component.add("tzid", zone.key)
    # A day earlier and later: years are counted in UTC, clocks are up to 14 hours away.
    begin = datetime(max(first_year - 1, 2), 12, 30, tzinfo=UTC)
    end = datetime(min(last_year + 1, 9998), 12, 31, tzinfo=UTC)
    local = begin.astimezone(zone)
    offset = local.utcoffset() or timedelta(0)
    _observance(component, _as_change(begin, offset, local))
    for change in _changes(zone, begin, end):
        _observance(component, change)
    return bytes(component.to_ical())


def _observance(component: Timezone, change: Change) -> None:
    part = TimezoneDaylight() if change.is_summer else TimezoneStandard()
    # The onset is written in the clock that is about to change.
    part.add("dtstart", (change.at + change.before).replace(tzinfo=None))
    part.add("tzoffsetfrom", change.before)
    part.add("tzoffsetto", change.after)
    part.add("tzname", change.name)
    component.add_component(part)


def _changes(zone: ZoneInfo, begin: datetime, end: datetime) -> Iterator[Change]:
    """Find the changes between two moments, each to the second."""
    moment = begin
    while moment < end:
        after = min(moment + STEP, end)
        if _look(moment, zone) != _look(after, zone):
            yield _between(zone, moment, after)
        moment = after


def _between(zone: ZoneInfo, low: datetime, high: datetime) -> Change:
    before = _look(low, zone)
    start = low
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) // 2
        middle = middle.replace(microsecond=0)
        if _look(middle, zone) == before:
            low = middle
        else:
            high = middle
    offset = start.astimezone(zone).utcoffset() or timedelta(0)
    return _as_change(high, offset, high.astimezone(zone))


def _as_change(at: datetime, before: timedelta, local: datetime) -> Change:
    return Change(
        at=at,
        before=before,
        after=local.utcoffset() or timedelta(0),
        name=local.tzname() or "",
        is_summer=bool(local.dst()),
    )


def _look(moment: datetime, zone: ZoneInfo) -> tuple[timedelta | None, str | None, bool]:
    local = moment.astimezone(zone)
    return local.utcoffset(), local.tzname(), bool(local.dst())
