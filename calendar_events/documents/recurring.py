"""What iCalendar says of a series (RFC 5545 3.8.4.4, 3.8.5): rule and exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from icalendar import Timezone, TimezoneStandard
from icalendar.timezone.tzid import is_utc

from calendar_events.documents.ical import EventText, line
from calendar_events.models import Series
from calendar_events.parsing import dates, zones

YEARS_AHEAD: Final = 5
"""So far beyond the horizon a zone is described for a rule without an end."""
_TIMES = re.compile(r"^DTSTART.*?(?=^DTSTAMP)", re.MULTILINE | re.DOTALL)


class InSeries(NamedTuple):
    """What makes a VEVENT one of a series."""

    uid: str
    sequence: int
    zone: str
    """``EventText.zone``; empty keeps that of the text."""
    component: str
    """A zone that has no name, described."""
    times: str
    """The first date in place of the text's own; empty keeps that."""
    lines: str
    """The rule, or which date of the series it is."""


def placed(pieces: EventText, place: InSeries) -> EventText:
    """Return the pieces of a VEVENT as one of a series."""
    head = _TIMES.sub(lambda _: place.times, pieces.head) if place.times else pieces.head
    return pieces._replace(
        zone=place.zone or pieces.zone,
        head=head + place.lines,
        sequence=line("SEQUENCE", str(place.sequence)),
    )


def master(series: Series, *, left_out: Iterable[datetime]) -> InSeries:
    """Return the VEVENT that stands for a whole series."""
    clock = _Clock(series)
    lines = [line("RRULE", series.rule_text)] if series.rule else []
    pattern = series.pattern.without(frozenset(left_out))
    lines += [clock.line("RDATE", wall) for wall in pattern.rdates]
    lines += [clock.line("EXDATE", wall) for wall in sorted(pattern.exdates)]
    start = clock.line("DTSTART", series.start_local)
    return InSeries(
        uid=f"series-{series.pk}",
        sequence=series.sequence,
        zone=clock.named,
        component=clock.component,
        times=start + _end(series, clock),
        lines="".join(lines),
    )


def _end(series: Series, clock: _Clock) -> str:
    """Return the line of the end, which is exclusive for whole days."""
    second = timedelta(seconds=1)
    if not series.all_day:
        return clock.line("DTEND", series.end_local)
    if series.end_local.date() < date.max:
        return clock.line("DTEND", series.end_local + second)
    # There is no day after the last.
    days = (series.end_local - series.start_local + second).days
    return line("DURATION", f"P{days}D")


def override(series: Series, wall: datetime) -> InSeries:
    """Return the VEVENT of a date that differs from its series."""
    clock = _Clock(series)
    return InSeries(
        uid=f"series-{series.pk}",
        sequence=series.sequence,
        zone="",
        component="",
        times="",
        lines=clock.line("RECURRENCE-ID", wall),
    )


class _Clock:
    """Writes wall clocks of a series as values of iCalendar."""

    def __init__(self, series: Series) -> None:
        self._is_day = series.all_day
        zone = zones.zone(series.timezone)
        self.named = self.component = self._tzid = ""
        # Of what is only an offset it would say yes, too.
        self._is_utc = zone is UTC or (isinstance(zone, ZoneInfo) and is_utc(zone))
        if self._is_day or self._is_utc:
            return
        if isinstance(zone, ZoneInfo):
            self._tzid = zone.key
            last = series.horizon.year + YEARS_AHEAD
            self.named = f"{zone.key} {series.start_local.year} {last}"
            return
        # A zone that is only an offset has no name that others know.
        offset = zone.utcoffset(None) or timedelta(0)
        minutes = int(offset.total_seconds() // 60)
        sign, size = "-" if minutes < 0 else "+", abs(minutes)
        self._tzid = f"Offset{sign}{size // 60:02}{size % 60:02}"
        self.component = _fixed(self._tzid, offset)

    def line(self, name: str, wall: datetime) -> str:
        """Return a line whose value is a wall clock."""
        if self._is_day:
            return line(f"{name};VALUE=DATE", f"{wall:%Y%m%d}")
        if self._is_utc:
            return line(name, f"{dates.written(wall, separator='T')}Z".translate(_BARE))
        value = dates.written(wall, separator="T").translate(_BARE)
        return line(f"{name};TZID={self._tzid}", value)


_BARE = str.maketrans({"-": None, ":": None})


def _fixed(tzid: str, offset: timedelta) -> str:
    """Return the component of a zone that has one offset all year."""
    component, part = Timezone(), TimezoneStandard()
    component.add("tzid", tzid)
    part.add("dtstart", datetime(1970, 1, 1))  # noqa: DTZ001 -- as clocks showed then
    part.add("tzoffsetfrom", offset)
    part.add("tzoffsetto", offset)
    part.add("tzname", tzid)
    component.add_component(part)
    return bytes(component.to_ical()).decode()
