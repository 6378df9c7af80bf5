"""Read dates, and cross between wall clocks and instants (decisions 7).

A ``Moment`` is an instant, how exactly it was given, and the days it covers.

A *wall* is what a clock on the wall shows, a naive ``datetime``; an *instant* is an
aware ``datetime`` in UTC. Only ``to_utc`` and ``to_wall`` cross over.
Pure: no clock, no settings, no models; ``now`` and the zone come in as arguments.
"""

import calendar
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from calendar_events.parsing import date_grammar, zones
from calendar_events.parsing.date_grammar import OUTSIDE, DateError, Precision, Reading

__all__ = ["DateError"]

FIRST = datetime.min.replace(tzinfo=UTC)
LAST = datetime.max.replace(microsecond=0, tzinfo=UTC)
"""The first and the last second of the calendar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One moment, as it was read in one zone."""

    utc: datetime
    """The instant; for a text without a time, that of the first second it covers."""
    zone: tzinfo
    """The zone the text was read in."""
    precision: Precision
    has_offset: bool
    """Whether the text itself fixed the instant: an offset, a zone or Unix seconds."""

    @property
    def has_time(self) -> bool:
        """Whether a time of day was given, not only a date."""
        return self.precision == "time"

    @property
    def wall(self) -> datetime:
        """The wall clock in the zone the text was read in."""
        return to_wall(self.utc, self.zone)

    @property
    def first_day(self) -> date:
        return self.wall.date()

    @property
    def last_day(self) -> date:
        """The last day the text covers: of a bare year, 31 December."""
        first = self.first_day
        if self.precision == "year":
            return first.replace(month=12, day=31)
        if self.precision == "month":
            return first.replace(day=calendar.monthrange(first.year, first.month)[1])
        return first

    def day_start(self) -> datetime:
        return day_start(self.first_day, self.zone)

    def day_end(self) -> datetime:
        return day_end(self.last_day, self.zone)


def parse(
    text: str | int, *, now: datetime, zone: tzinfo, is_clamped: bool = False
) -> Moment:
    """Read one date; a text without an offset is read in ``zone``.

    Fractions of a second are dropped: the interface answers whole seconds.
    ``now`` is aware. ``is_clamped`` is that of ``to_utc``: right for a limit of a list,
    wrong for an event. Raises ``DateError`` with a reason for people.
    """
    reading = date_grammar.read(str(text))
    try:
        utc = _instant(reading, now=now, zone=reading.zone or zone, is_clamped=is_clamped)
    except OverflowError as error:
        raise DateError(OUTSIDE) from error
    return Moment(
        utc=utc,
        zone=zone,
        precision=reading.precision,
        has_offset=reading.unix is not None or reading.zone is not None,
    )


def _instant(
    reading: Reading, *, now: datetime, zone: tzinfo, is_clamped: bool
) -> datetime:
    if reading.unix is not None:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=reading.unix)
    if reading.keeps_the_clock:
        # Not by way of the wall, which is the same twice when clocks are set back.
        utc = now.astimezone(UTC).replace(microsecond=0)
    else:
        wall = reading.wall(to_wall(now, zone).replace(microsecond=0))
        utc = to_utc(wall, zone, is_clamped=is_clamped)
    # Hours, minutes and seconds are elapsed time, whatever clocks do meanwhile.
    return utc + reading.elapsed


def to_utc(wall: datetime, zone: tzinfo, *, is_clamped: bool = False) -> datetime:
    """Return the instant at which clocks in ``zone`` show ``wall``.

    A wall that is skipped when clocks are set forward moves forward by the gap; one
    that comes twice when they are set back is the first (decisions 7). Both are
    what PEP 495 defines for ``fold=0``.

    Raises ``DateError`` when the instant is outside the years 1 to 9999; with
    ``is_clamped`` it is their first or last second instead.
    """
    try:
        return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    except OverflowError as error:
        if is_clamped:
            return FIRST if wall.year == 1 else LAST
        raise DateError(OUTSIDE) from error


def to_wall(instant: datetime, zone: tzinfo) -> datetime:
    """Return what clocks in ``zone`` show at ``instant``, see ``localtime``."""
    return localtime(instant, zone).replace(tzinfo=None, fold=0)


def localtime(instant: datetime, where: tzinfo) -> datetime:
    """Return ``instant`` as an aware time in ``where``.

    The first and last hours of the calendar are shown at its edge in zones where they are
    outside it, so that no stored instant can make a page fail.
    """
    try:
        return instant.astimezone(where)
    except OverflowError:
        if instant.year == 1:
            return datetime(1, 1, 1, tzinfo=where)
        return datetime(9999, 12, 31, 23, 59, 59, tzinfo=where)


def abbreviation(text: str, instant: datetime) -> str:
    """Return the abbreviation of the zone ``text`` at ``instant``: ``CET``, ``EDT``.

    ``UTC+2`` stays as it is; a bare offset, and a zone whose name in the database
    is a number, is ``GMT+0200`` (contract events 2).

    Raises ``ZoneError`` when ``text`` names no zone.
    """
    spelling = zones.name(text)
    if spelling.startswith(("UTC+", "UTC-")):
        return spelling
    local = localtime(instant, zones.zone(text))
    short = local.tzname() or ""
    return short if short.isalpha() else f"GMT{local:%z}"[:8]


def written(clock: datetime, *, separator: str = " ") -> str:
    """Return what a clock shows as ``YYYY-MM-DD HH:MM:SS``, whatever its zone."""
    return clock.replace(tzinfo=None).isoformat(separator, "seconds")


def day_start(day: date, zone: tzinfo) -> datetime:
    """Return the instant at which ``day`` begins in ``zone``, within the calendar."""
    return to_utc(datetime.combine(day, time.min), zone, is_clamped=True)


def day_end(day: date, zone: tzinfo) -> datetime:
    """Return the last whole second of ``day`` in ``zone``, within the calendar.

    Reckoned from the beginning of the next day, so that a day whose last hour comes
    twice ends with the second one. A day that a zone skipped altogether (Samoa had no
    30 December 2011) ends when it begins.
    """
    if day == date.max:
        return to_utc(datetime.combine(day, time(23, 59, 59)), zone, is_clamped=True)
    after = day_start(day + timedelta(days=1), zone)
    return max(day_start(day, zone), after - timedelta(seconds=1))
