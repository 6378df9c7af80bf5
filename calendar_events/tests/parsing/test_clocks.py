"""Walls and instants: clocks that are set, days, the edge of the calendar."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from dateutil import tz as dateutil_tz
from hypothesis import given
from hypothesis import strategies as st

from calendar_events.parsing import dates, zones
from calendar_events.parsing.dates import DateError

NOW = datetime(2026, 11, 20, 14, 23, 45, tzinfo=UTC)
NEW_YORK = ZoneInfo("America/New_York")
BERLIN = ZoneInfo("Europe/Berlin")


def moment(text, zone=NEW_YORK, now=NOW):
    return dates.parse(text, now=now, zone=zone)


def wall(text, zone=NEW_YORK, now=NOW):
    return str(moment(text, zone, now).wall)


def naive(text):
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("text", "zone", "wall_then", "utc"),
    [
        # Clocks are set forward: the wall moves forward by the gap.
        ("2027-03-14 02:30", "America/New_York", "03:30:00", "07:30"),
        ("2027-03-28 02:00", "Europe/Berlin", "03:00:00", "01:00"),
        ("2018-11-04 00:00", "America/Sao_Paulo", "01:00:00", "03:00"),
        ("2027-10-03 02:15", "Australia/Lord_Howe", "02:45:00", "15:45"),
        # Clocks are set back: the first of the two.
        ("2026-11-01 01:30", "America/New_York", "01:30:00", "05:30"),
        ("2027-10-31 02:30", "Europe/Berlin", "02:30:00", "00:30"),
    ],
)
def test_a_wall_in_a_gap_moves_and_one_in_a_fold_is_the_first(text, zone, wall_then, utc):
    read = moment(text, zone=ZoneInfo(zone))

    assert f"{read.wall:%H:%M:%S}" == wall_then
    assert f"{read.utc:%H:%M}" == utc


def test_now_in_the_second_hour_of_a_fold_is_now():
    second = datetime(2026, 11, 1, 6, 30, tzinfo=UTC)

    assert moment("now", now=second).utc == second
    assert moment("+10 minutes", now=second).utc == second + timedelta(minutes=10)
    assert moment("2026-11-01 01:30", now=second).utc == second - timedelta(hours=1)


def test_hours_are_elapsed_and_days_keep_the_wall():
    before_the_gap = datetime(2027, 3, 13, 17, tzinfo=UTC)  # noon in New York

    assert wall("+24 hours", now=before_the_gap) == "2027-03-14 13:00:00"
    assert wall("+1 day", now=before_the_gap) == "2027-03-14 12:00:00"


@pytest.mark.parametrize(
    ("text", "precision", "first", "last"),
    [
        ("2028", "year", date(2028, 1, 1), date(2028, 12, 31)),
        ("2028-02", "month", date(2028, 2, 1), date(2028, 2, 29)),
        ("2028-02-03", "day", date(2028, 2, 3), date(2028, 2, 3)),
        ("2028-02-03 22:00", "time", date(2028, 2, 3), date(2028, 2, 3)),
    ],
)
def test_a_moment_covers_what_its_text_names(text, precision, first, last):
    read = moment(text, zone=BERLIN)

    assert read.precision is precision
    assert (read.first_day, read.last_day) == (first, last)
    assert read.day_start() == dates.day_start(first, BERLIN)
    assert read.day_end() == dates.day_end(last, BERLIN)


@pytest.mark.parametrize(
    ("zone", "day", "start", "end"),
    [
        ("UTC", date(2031, 1, 15), "2031-01-15 00:00:00", "2031-01-15 23:59:59"),
        ("Europe/Berlin", date(2027, 3, 28), "2027-03-27 23:00:00", "2027-03-28 21:59:59"),
        (
            "America/Sao_Paulo",
            date(2018, 11, 4),
            "2018-11-04 03:00:00",
            "2018-11-05 01:59:59",
        ),
        # The last hour of the day came twice.
        (
            "America/Sao_Paulo",
            date(2018, 2, 17),
            "2018-02-17 02:00:00",
            "2018-02-18 02:59:59",
        ),
        # A day that was skipped.
        ("Pacific/Apia", date(2011, 12, 30), "2011-12-30 10:00:00", "2011-12-30 10:00:00"),
        ("UTC", date(1, 1, 1), "0001-01-01 00:00:00", "0001-01-01 23:59:59"),
        ("UTC", date(9999, 12, 31), "9999-12-31 00:00:00", "9999-12-31 23:59:59"),
        ("-05:00", date(9999, 12, 30), "9999-12-30 05:00:00", "9999-12-31 04:59:59"),
    ],
)
def test_a_day_begins_at_midnight_and_ends_a_second_before_the_next(zone, day, start, end):
    place = zones.zone(zone)

    assert str(dates.day_start(day, place).replace(tzinfo=None)) == start
    assert str(dates.day_end(day, place).replace(tzinfo=None)) == end


def test_elapsed_time_that_leaves_the_calendar_is_refused():
    with pytest.raises(DateError, match="years 1 to 9999"):
        moment("9999-12-31 23:59 +2 hours", zone=UTC)


def test_a_day_outside_the_calendar_in_utc_is_limited_to_it():
    assert str(dates.day_end(date.max, NEW_YORK)) == "9999-12-31 23:59:59+00:00"
    assert str(dates.day_start(date.min, BERLIN)) == "0001-01-01 00:00:00+00:00"


def test_an_instant_outside_the_calendar_of_a_zone_is_shown_at_its_edge():
    last_hour = datetime(9999, 12, 31, 23, tzinfo=UTC)

    assert dates.to_wall(last_hour, BERLIN) == naive("9999-12-31 23:59:59")


PLACES = st.sampled_from(
    ["UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia",
     "America/Sao_Paulo", "Africa/Casablanca", "+05:30"]
).map(zones.zone)  # fmt: skip
WALLS = st.datetimes(naive("1970-01-02"), naive("2037-12-31")).map(
    lambda value: value.replace(microsecond=0)
)


@given(WALLS, PLACES)
def test_walls_agree_with_dateutil(clock, place):
    theirs = dateutil_tz.resolve_imaginary(clock.replace(tzinfo=place))

    instant = dates.to_utc(clock, place)

    assert dates.to_wall(instant, place) == theirs.replace(tzinfo=None)
    assert instant == theirs.astimezone(UTC)


@given(WALLS, PLACES)
def test_a_shown_wall_is_read_as_the_same_wall(clock, place):
    shown = dates.to_wall(dates.to_utc(clock, place), place)

    assert dates.parse(str(shown), now=NOW, zone=place).wall == shown


@given(WALLS, PLACES, PLACES)
def test_an_instant_written_with_its_offset_is_read_exactly(clock, place, elsewhere):
    instant = dates.to_utc(clock, place)
    written = instant.astimezone(elsewhere).isoformat()

    read = dates.parse(written, now=NOW, zone=place)

    assert read.utc == instant
    assert read.has_offset


@given(st.dates(date(1, 1, 3), date(9999, 12, 29)), PLACES)
def test_every_day_ends_after_it_begins_and_the_next_follows(day, place):
    start, end = dates.day_start(day, place), dates.day_end(day, place)

    assert start <= end
    assert end < dates.day_start(day + timedelta(days=2), place)
