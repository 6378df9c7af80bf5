"""VTIMEZONE components (RFC 5545 section 3.6.5) for zones of the IANA database.

Our own, because ``icalendar`` writes the onset of summer time in the new offset, where the
standard wants the old one; an hour of events a year would be an hour off.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from icalendar import Timezone, TimezoneDaylight, TimezoneStandard

MOST_YEARS = 30
"""For so many years from an event's on a zone is described in advance."""
EARLIEST = datetime(1, 1, 2, tzinfo=UTC)
LATEST = datetime(9999, 12, 30, tzinfo=UTC)
"""The first and the last moment that every zone has a clock for."""
STEP = timedelta(days=7)
"""No zone changes its clocks twice within a week (save for a few years before 1950)."""


class ZonesOfFeed:
    """Describes each zone once, before its first event.

    The years of later events are not known yet. ``reach`` holds the first and the last that
    the feed is about, as far as that is known; a zone that comes again in other years is
    described again, for more: calendars keep the last that they read.
    """

    def __init__(self, reach: tuple[int, int] | None = None) -> None:
        self._reach = reach
        self._seen: set[str] = set()
        self._years: dict[str, tuple[int, int]] = {}

    def describe(self, wanted: str) -> str:
        """Return what is yet to be said of a zone and years (``EventText.zone``)."""
        if not wanted or wanted in self._seen:
            return ""
        self._seen.add(wanted)
        key, *years = wanted.rsplit(" ", 2)
        first, last = map(int, years)
        known = self._years.get(key)
        if known and known[0] <= first and last <= known[1]:
            return ""
        if self._reach:
            first = min(first, max(self._reach[0], first - MOST_YEARS))
            last = max(last, min(self._reach[1], last + MOST_YEARS))
        if known:
            first, last = min(first, known[0]), max(last, known[1])
        self._years[key] = first, last + 1
        return timezone_component(ZoneInfo(key), first, last + 1).decode()


class Change(NamedTuple):
    """A moment at which a zone changes its offset or what it is called."""

    at: datetime
    before: timedelta
    after: timedelta
    name: str
    is_summer: bool


@lru_cache(maxsize=256)
def timezone_component(zone: ZoneInfo, first_year: int, last_year: int) -> bytes:
    component = Timezone()
    component.add("tzid", zone.key)
    # A day earlier and later: years are counted in UTC, clocks are up to 14 hours away.
    begin = datetime(first_year - 1, 12, 30, tzinfo=UTC) if first_year > 1 else EARLIEST
    end = min(datetime(min(last_year + 1, 9999), 12, 31, tzinfo=UTC), LATEST)
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
    moment = begin
    while moment < end:
        after = moment + STEP if end - moment > STEP else end
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
