"""Random rules: dateutil, and a program that reads our calendars, find the same dates."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import available_timezones

import icalendar
import pytest
import recurring_ical_events
from dateutil import rrule
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from calendar_events.api.feeds import CLOSING, Composer, opening
from calendar_events.documents import ical, recurring
from calendar_events.documents.timezones import ZonesOfFeed
from calendar_events.models import Series
from calendar_events.parsing import dates, recurrence, zones
from calendar_events.parsing.recurrence import DAYS, RuleError
from calendar_events.parsing.recurrence_dates import Pattern
from calendar_events.parsing.recurrence_words import words
from calendar_events.services.recurrence import schedule_at

IS_LONG = os.environ.get("FUZZ") == "long"
NUMBER = 10_000 if IS_LONG else 200
MOST = 40
# Every zone that has a name, and offsets.
ZONES = (
    *sorted(available_timezones() - {"Factory", "localtime"}),
    *("UTC+5:30", "-03:30"),
)


def subset(values, most):
    return st.lists(st.sampled_from(values), min_size=1, max_size=most, unique=True)


@st.composite
def rules(draw):
    """A rule as somebody might send it, and the wall clock from which it is looked for."""
    freq = draw(st.sampled_from(recurrence.FREQUENCIES))
    parts = [f"FREQ={freq}", f"INTERVAL={draw(st.integers(1, 4))}"]
    is_wide = freq in {"MONTHLY", "YEARLY"}

    def maybe(name, values, most=3):
        if draw(st.integers(0, 3)) == 0:
            parts.append(f"{name}={','.join(map(str, draw(subset(values, most))))}")

    maybe("BYMONTH", range(1, 13))
    if freq != "WEEKLY":
        maybe("BYMONTHDAY", [*range(1, 32), *range(-31, 0)])
    if freq == "YEARLY":
        maybe("BYYEARDAY", [*range(1, 367), *range(-366, 0)])
    numbers = ["", "1", "2", "-1", "3"] if is_wide else [""]
    maybe("BYDAY", [f"{number}{day}" for number in numbers for day in DAYS])
    if len(parts) > 2 and freq != "WEEKLY":
        maybe("BYSETPOS", [1, 2, -1, -2])
    if draw(st.booleans()):
        parts.append(f"WKST={draw(st.sampled_from(DAYS))}")
    if draw(st.booleans()):
        parts.append(f"COUNT={draw(st.integers(1, MOST))}")
    start = draw(st.datetimes(datetime(1970, 1, 2), datetime(2035, 1, 1)))  # noqa: DTZ001
    return ";".join(parts), start.replace(microsecond=0, second=0)


def begun(text, start, zone):
    """The pattern of a rule that starts at its first date on or after a wall clock."""
    until = start + timedelta(days=366 * 3)
    rule = recurrence.read(text, start=start, zone=zone, most=2000)
    found = Pattern(start=start, rule=rule).dates(until=until, most=MOST)
    by_rule = [one for one in found if one != start] or found
    first = Pattern(start=by_rule[0], rule=rule)
    first.require_start()
    return first, until


def as_others_read(pattern):
    """The same rule, read by dateutil from its text."""
    parts = str(pattern.rule)
    return rrule.rrulestr(parts, dtstart=pattern.start)


@pytest.mark.fuzz
@settings(max_examples=NUMBER, deadline=None)
@given(rules(), st.sampled_from(ZONES))
def test_dateutil_and_programs_find_the_dates_of_a_rule(rule, name):
    text, start = rule
    zone = zones.zone(name)
    try:
        pattern, until = begun(text, start, zone)
    except RuleError:
        assume(False)  # there is no such date
    walls = pattern.dates(until=until, most=MOST)
    until = walls[-1]

    judged = as_others_read(pattern).between(pattern.start, until, inc=True)
    assert walls == judged
    assert words(pattern.rule).startswith("Every ")
    for at in walls[1::7]:
        assert_split(pattern, at, until + timedelta(days=1))

    series = Series(pk=7, timezone=name, horizon=dates.to_utc(until, zone))
    series.start_local = pattern.start
    series.end_local = pattern.start + timedelta(minutes=90)
    series.pattern = pattern
    schedules = [schedule_at(series, wall) for wall in walls]
    shown = read(calendar_of(series), until)
    assert shown == sorted({one.start_utc for one in schedules})


def assert_split(pattern, at, until):
    """No date is lost or added where a series is cut, at a date of its rule or another."""
    for single in (at, at + timedelta(minutes=7), at - timedelta(minutes=7)):
        whole = replace(pattern, rdates=(single,))
        every = [
            one.dates(until=until, most=2 * MOST) for one in (*whole.split(single), whole)
        ]
        assert every[0] + every[1] == every[2]
        assert every[0][-1] < single == every[1][0]


def calendar_of(series):
    """A series as our calendars have it."""
    pieces = ical.EventText(
        zone="",
        head="BEGIN:VEVENT\r\nDTSTART:20000101T000000Z\r\nDTSTAMP:20000101T000000Z\r\n",
        sequence="",
        attach="",
        described="",
        modified="",
        status="",
        url="URL:https://calendar.example/",
    )
    place = recurring.master(series, left_out=())
    composer = Composer(ZonesOfFeed())
    event = composer.event(1, ical.MARK.join(pieces), is_scheduled=False, place=place)
    return opening("Random") + event + CLOSING


def read(text, until):
    """The instants at which a program shows a calendar, up to a wall clock."""
    calendar = icalendar.Calendar.from_ical(text)
    query = recurring_ical_events.of(calendar)
    found = query.between(datetime(1969, 12, 1, tzinfo=UTC), until + timedelta(days=1))
    return sorted(
        one["DTSTART"].dt.astimezone(UTC)
        for one in found
        if one["DTSTART"].dt.replace(tzinfo=None) <= until
    )
