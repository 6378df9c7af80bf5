"""Dates: every form that is read, and the reasons for refusals."""

from datetime import UTC, datetime
from itertools import permutations
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calendar_events.parsing import dates, zones
from calendar_events.parsing.dates import DateError

# A Friday afternoon; in New York it is 09:23:45.
NOW = datetime(2026, 11, 20, 14, 23, 45, 678_000, tzinfo=UTC)
NEW_YORK = ZoneInfo("America/New_York")


def wall(text, zone=NEW_YORK, now=NOW):
    return str(dates.parse(text, now=now, zone=zone).wall)


def moment(text, zone=NEW_YORK, now=NOW):
    return dates.parse(text, now=now, zone=zone)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2031-01-15", "2031-01-15 00:00:00"),
        ("2031-1-5", "2031-01-05 00:00:00"),
        ("2031/01/15", "2031-01-15 00:00:00"),
        ("02/03/2027", "2027-02-03 00:00:00"),
        ("2/3/2027", "2027-02-03 00:00:00"),
        ("20310115", "2031-01-15 00:00:00"),
        ("2031", "2031-01-01 00:00:00"),
        ("2031-05", "2031-05-01 00:00:00"),
        ("15 January 2027", "2027-01-15 00:00:00"),
        ("1st may 2027", "2027-05-01 00:00:00"),
        ("Friday, 15 Jan 2027", "2027-01-15 00:00:00"),
        ("today", "2026-11-20 00:00:00"),
        ("tomorrow", "2026-11-21 00:00:00"),
        ("yesterday", "2026-11-19 00:00:00"),
        ("today +1 week", "2026-11-27 00:00:00"),
        ("friday", "2026-11-20 00:00:00"),
        ("this friday", "2026-11-20 00:00:00"),
        ("next friday", "2026-11-27 00:00:00"),
        ("last friday", "2026-11-13 00:00:00"),
        ("Sat", "2026-11-21 00:00:00"),
        ("previous mon", "2026-11-16 00:00:00"),
    ],
)
def test_a_date_without_a_time_begins_at_midnight(text, expected):
    read = moment(text)

    assert str(read.wall) == expected
    assert not read.has_time
    assert not read.has_offset


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2031-01-15 09:00:00", "2031-01-15 09:00:00"),
        ("2031-01-15 09:00", "2031-01-15 09:00:00"),
        ("2031-01-15T09:00:00", "2031-01-15 09:00:00"),
        ("2031-01-15t09:00", "2031-01-15 09:00:00"),
        ("2031-01-15T09", "2031-01-15 09:00:00"),
        ("20310115T0900", "2031-01-15 09:00:00"),
        ("20310115T090030", "2031-01-15 09:00:30"),
        ("20310115 09:00", "2031-01-15 09:00:00"),
        ("2031-01-15T09:00:00.999999999", "2031-01-15 09:00:00"),
        ("2031-01-15T09:00:00,5", "2031-01-15 09:00:00"),
        ("2031-01-15 24:00", "2031-01-16 00:00:00"),
        ("  2031-01-15\n  9:05  ", "2031-01-15 09:05:00"),
        ("02/03/2027 4:30 PM", "2027-02-03 16:30:00"),
        ("Jan 15, 2027 9:30pm", "2027-01-15 21:30:00"),
        ("1970-01-01 00:00:00", "1970-01-01 00:00:00"),
        ("now", "2026-11-20 09:23:45"),
        ("NOW", "2026-11-20 09:23:45"),
        ("noon", "2026-11-20 12:00:00"),
        ("midnight", "2026-11-20 00:00:00"),
        ("9am", "2026-11-20 09:00:00"),
        ("12am", "2026-11-20 00:00:00"),
        ("12 p.m.", "2026-11-20 12:00:00"),
        ("tomorrow 9am", "2026-11-21 09:00:00"),
        ("9am tomorrow", "2026-11-21 09:00:00"),
        ("tomorrow noon", "2026-11-21 12:00:00"),
        ("next friday 17:30", "2026-11-27 17:30:00"),
        ("next wednesday 4pm", "2026-11-25 16:00:00"),
        ("+2 weeks", "2026-12-04 09:23:45"),
        (" 2 weeks", "2026-12-04 09:23:45"),  # the plus of a query string is a blank
        ("-3 days", "2026-11-17 09:23:45"),
        ("5 days ago", "2026-11-15 09:23:45"),
        ("a week ago", "2026-11-13 09:23:45"),
        ("1 week 2 days ago", "2026-11-11 09:23:45"),
        ("now +1 fortnight", "2026-12-04 09:23:45"),
        ("+1 month -1 day", "2026-12-19 09:23:45"),
        ("last month", "2026-10-20 09:23:45"),
        ("next year", "2027-11-20 09:23:45"),
        ("this week", "2026-11-20 09:23:45"),
        ("next month 9am", "2026-12-20 09:00:00"),
        ("10:00 -3 days", "2026-11-17 10:00:00"),
        ("2031-01-15 10:00 +1 week", "2031-01-22 10:00:00"),
        ("2031-01-31 10:00 +1 month", "2031-02-28 10:00:00"),
        ("+2 hours", "2026-11-20 11:23:45"),
        ("90 minutes ago", "2026-11-20 07:53:45"),
        ("+30 sec", "2026-11-20 09:24:15"),
        ("2031-01-15 +2 hours", "2031-01-15 02:00:00"),
    ],
)
def test_a_time_without_an_offset_is_read_on_the_wall(text, expected):
    read = moment(text)

    assert str(read.wall) == expected
    assert read.has_time
    assert not read.has_offset


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2031-01-15T09:00:00Z", "2031-01-15T09:00:00+00:00"),
        ("2031-01-15 09:00:00 z", "2031-01-15T09:00:00+00:00"),
        ("2031-01-15T09:00:00+05:00", "2031-01-15T04:00:00+00:00"),
        ("2031-01-15T09:00:00 05:00", "2031-01-15T04:00:00+00:00"),  # a lost plus
        ("2031-01-15T09:00:00.5-0130", "2031-01-15T10:30:00+00:00"),
        ("2031-01-15 09:00 -05", "2031-01-15T14:00:00+00:00"),
        ("20310115T090000Z", "2031-01-15T09:00:00+00:00"),
        ("20310115T090000+0200", "2031-01-15T07:00:00+00:00"),
        ("2031-01-15 09:00 EST", "2031-01-15T14:00:00+00:00"),
        ("2031-07-15 09:00 Europe/Berlin", "2031-07-15T07:00:00+00:00"),
        ("2031-07-15 9am UTC+2", "2031-07-15T07:00:00+00:00"),
        ("Fri, 15 Jan 2027 10:00:00 +0000", "2027-01-15T10:00:00+00:00"),
        ("Fri, 15 Jan 2027 10:00:00 GMT", "2027-01-15T10:00:00+00:00"),
        ("Fri Jan 15 2027 10:00:00 GMT+0100", "2027-01-15T09:00:00+00:00"),
        ("tomorrow 9am UTC", "2026-11-21T09:00:00+00:00"),
        ("1900000000", "2030-03-17T17:46:40+00:00"),
        (1900000000, "2030-03-17T17:46:40+00:00"),
        ("-1900000000", "1909-10-17T06:13:20+00:00"),
        ("100000000", "1973-03-03T09:46:40+00:00"),
        ("@0", "1970-01-01T00:00:00+00:00"),
        ("@-1", "1969-12-31T23:59:59+00:00"),
    ],
)
def test_an_offset_or_unix_seconds_fix_the_instant(text, expected):
    read = moment(text)

    assert read.utc.isoformat() == expected
    assert read.has_time
    assert read.has_offset


def test_today_is_the_day_of_the_zone():
    assert wall("tomorrow", zone=ZoneInfo("Asia/Tokyo"), now=NOW) == "2026-11-21 00:00:00"
    late = NOW.replace(hour=20)
    assert wall("tomorrow", zone=ZoneInfo("Asia/Tokyo"), now=late) == "2026-11-22 00:00:00"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "cannot be empty"),
        (" \n ", "cannot be empty"),
        ("foo", "not a date"),
        ("utc", "not a date"),
        ("ago", "not a date"),
        ("now now", "not a date"),
        ("today tomorrow", "not a date"),
        ("tomorrow 9am 10am", "not a date"),
        ("10:00 2031", "not a date"),
        ("2031-01-15 2031-01-16", "not a date"),
        ("2031-01-15 foo", "not a date"),
        ("2031-01-15T", "not a date"),
        ("2031-01-15 9:5", "not a date"),
        ("2031-01-15 09:00:00:00", "not a date"),
        ("0000-00-00 00:00:00", "no such date"),
        ("2031-02-30", "no such date"),
        ("2031-13-01", "no such date"),
        ("13/02/2031", "no such date"),
        ("20310230", "no such date"),
        ("0000", "no such date"),
        ("31 February 2031", "no such date"),
        ("2031-01-15 25:00", "no such time"),
        ("2031-01-15 24:01", "no such time"),
        ("2031-01-15 12:60", "no such time"),
        ("2031-01-15 23:59:60", "no such time"),
        ("13pm", "no such time"),
        ("0am", "no such time"),
        ("0", "number"),
        ("12", "number"),
        ("202701", "number"),
        ("-2027", "number"),
        ("-20270101", "number"),
        ("Tue, 15 Jan 2027", "another weekday"),
        ("next friday +1 week", "weekday"),
        ("monday next week", "weekday"),
        ("friday tomorrow", "weekday"),
        ("2031-01-15 +09:00", "needs a time"),
        ("9" * 30, "years 1 to 9999"),
        ("+99999999999 years", "years 1 to 9999"),
        ("+9999999999999999999999 days", "years 1 to 9999"),
        ("+9999999999999999999999 seconds", "years 1 to 9999"),
        ("-3000 years", "years 1 to 9999"),
        ("+8000 years", "years 1 to 9999"),
        ("9999-12-31 +1 day", "years 1 to 9999"),
        ("9999-12-31 24:00", "years 1 to 9999"),
        ("9999-12-31 23:59 +2 hours", "years 1 to 9999"),
        ("9999-12-31 23:00", "years 1 to 9999"),  # in New York it is 10000 in UTC
        ("x" * 101, "100 characters"),
        ("\u0662\u0660\u0663\u0661-01-15", "not a date"),
        ("\ud800", "not a date"),
    ],
)
def test_what_is_no_date_is_refused_with_the_reason(text, reason):
    with pytest.raises(DateError, match=reason):
        moment(text)


def test_the_order_of_words_does_not_matter():
    orders = permutations(["2031-01-15", "17:30", "+1 week"])

    walls = {wall(" ".join(words)) for words in orders}

    assert walls == {"2031-01-22 17:30:00"}


PLACES = st.sampled_from(
    ["UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia",
     "America/Sao_Paulo", "Africa/Casablanca", "+05:30"]
).map(zones.zone)  # fmt: skip

WORDS = [
    "now", "today", "noon", "tomorrow", "next", "last", "friday", "month", "+2", "-3", "5",
    "weeks", "days", "hours", "ago", "9am", "17:30", "2031-02-28", "02/03/2027", "2027",
    "T10:00", "Z", "+02:00", "EST", "jan", "15", "99999999999", "@", ",", "\u0660", "24:00",
]  # fmt: skip


@given(
    st.one_of(
        st.text(max_size=30),
        st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
        st.lists(st.sampled_from(WORDS), max_size=4).map("".join),
        st.integers().map(str),
    ),
    PLACES,
    st.datetimes(timezones=st.just(UTC)),
)
@example("next friday", UTC, datetime(9999, 12, 31, 12, tzinfo=UTC))
@example("yesterday", UTC, datetime(1, 1, 1, tzinfo=UTC))
@example("now", zones.zone("+05:30"), datetime(9999, 12, 31, 23, tzinfo=UTC))
def test_any_text_at_any_time_is_a_moment_in_the_calendar_or_refused(text, place, now):
    try:
        read = dates.parse(text, now=now, zone=place)
    except DateError:
        return

    assert read.utc.tzinfo is UTC
    assert read.utc.microsecond == read.wall.microsecond == 0
    assert read.first_day <= read.last_day
