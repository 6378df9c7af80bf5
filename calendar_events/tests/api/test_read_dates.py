"""Date parameters of ``GET /events`` (spec 4.3, decisions 7)."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from calendar_events.tests.callers import bad_fields
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.reading import at, ids, path, pks

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
NOON = datetime(2031, 3, 10, 12, tzinfo=UTC)


def event(start, end, **fields):
    return EventFactory(start=at(start), end=at(end), **fields)


@pytest.fixture
def morning(db):
    return event("2031-03-10 09:00", "2031-03-10 10:00")


@pytest.fixture
def evening(db):
    return event("2031-03-10 20:00", "2031-03-10 21:00")


@pytest.fixture
def next_day(db):
    return event("2031-03-11 09:00", "2031-03-12 10:00")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"start_date": "2031-03-10"}, ["morning", "evening", "next_day"]),
        ({"start_date": "2031-03-10 12:00:00"}, ["morning", "evening", "next_day"]),
        ({"start_date": "2031-03-11"}, ["next_day"]),
        ({"end_date": "2031-03-10"}, ["morning", "evening"]),
        ({"end_date": "2031-03-11"}, ["morning", "evening"]),
        ({"start_date": "2031-03-10", "end_date": "2031-03-10"}, ["morning", "evening"]),
        ({"starts_after": "2031-03-10"}, ["next_day"]),
        ({"starts_before": "2031-03-10"}, ["morning", "evening"]),
        ({"ends_after": "2031-03-10"}, ["next_day"]),
        ({"ends_before": "2031-03-10"}, ["morning", "evening"]),
        ({"ends_before": "2031-03-11"}, ["morning", "evening"]),
        ({"starts_after": "2031-03-09", "ends_before": "2031-03-12"}, 3),
    ],
)
@time_machine.travel(NOON, tick=False)
def test_dates_are_whole_days_unless_strict(
    anonymous, morning, evening, next_day, query, found
):
    events = {"morning": morning, "evening": evening, "next_day": next_day}
    wanted = list(events) if found == 3 else found

    response = anonymous.get(path("events", **query))

    assert ids(response) == [events[name].pk for name in wanted]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"start_date": "2031-03-10 20:00:00", "end_date": "2031-03-10 21:00:00"}, 1),
        ({"start_date": "2031-03-10 20:00:01", "end_date": "2031-03-10 21:00:00"}, 0),
        ({"start_date": "2031-03-10 20:00:00", "end_date": "2031-03-10 20:59:59"}, 0),
        ({"starts_after": "2031-03-10 19:59:59", "ends_before": "2031-03-10 22:00"}, 1),
        ({"starts_after": "2031-03-10 20:00:00", "ends_before": "2031-03-10 22:00"}, 0),
        ({"starts_before": "2031-03-10 20:00:00", "start_date": "2031-03-10 18:00"}, 0),
        ({"starts_before": "2031-03-10 20:00:01", "start_date": "2031-03-10 18:00"}, 1),
        ({"ends_after": "2031-03-10 20:59:59"}, 1),
        ({"ends_after": "2031-03-10 21:00:00"}, 0),
        ({"ends_before": "2031-03-10 21:00:00"}, 0),
        ({"ends_before": "2031-03-10 21:00:01"}, 1),
    ],
)
def test_strict_dates_are_exact_to_the_second(anonymous, evening, query, found):
    response = anonymous.get(path("events", strict_dates="true", **query))

    assert len(ids(response)) == found


@time_machine.travel(NOON, tick=False)
def test_by_default_yesterday_begins_the_window_and_24_months_end_it(anonymous):
    event("2031-03-08 23:00", "2031-03-08 23:59")
    first = event("2031-03-09 00:00", "2031-03-09 01:00")
    last = event("2033-03-10 23:00", "2033-03-10 23:59:59")
    event("2033-03-10 23:00", "2033-03-11 00:00")

    response = anonymous.get("/events")

    assert ids(response) == pks(first, last)


@time_machine.travel(NOON, tick=False)
def test_a_relative_filter_takes_the_default_window_away(anonymous):
    long_ago = event("1999-01-01 10:00", "1999-01-01 11:00")

    response = anonymous.get(path("events", starts_before="2000-01-01"))

    assert ids(response) == pks(long_ago)


def test_a_running_event_is_only_found_by_overlap(anonymous):
    long = event("2031-04-01 09:00", "2031-04-05 10:00")
    window = {"start_date": "2031-04-02", "end_date": "2031-04-03"}

    contained = anonymous.get(path("events", **window))
    overlapping = anonymous.get(path("events", overlaps="true", **window))

    assert ids(contained) == []
    assert ids(overlapping) == pks(long)


def test_an_event_that_ends_when_the_window_begins_does_not_overlap(anonymous):
    event("2031-04-01 20:00", "2031-04-02 00:00")
    instant = event("2031-04-02 00:00", "2031-04-02 00:00")

    response = anonymous.get(
        path("events", overlaps=1, start_date="2031-04-02", end_date="2031-04-02")
    )

    assert ids(response) == pks(instant)


def test_a_reversed_window_is_empty(anonymous, morning):
    response = anonymous.get(path("events", start_date="2031-03-12", end_date="2031-03-09"))

    assert response.json()["total"] == 0


def test_include_ignores_every_date(anonymous):
    old = event("1990-01-01 10:00", "1990-01-01 11:00")
    far = event("2090-01-01 10:00", "2090-01-01 11:00")

    response = anonymous.get(
        path("events", include=f"{far.pk},{old.pk},999999", start_date="2031-01-01")
    )

    assert ids(response) == pks(old, far)


@pytest.mark.parametrize(
    "text",
    [
        "2031-03-11T00:00:00Z",
        "2031-03-11T05:00:00+05:00",
        "2031-03-11",
        "20310311",
        "03/11/2031",
        "11 March 2031",
        "tomorrow",
        "+1 day",
        "1930953600",
    ],
)
@time_machine.travel(datetime(2031, 3, 10, tzinfo=UTC), tick=False)
def test_dates_are_read_in_every_accepted_form(anonymous, next_day, text):
    before = event("2031-03-10 23:00", "2031-03-10 23:30")

    response = anonymous.get(path("events", start_date=text))

    assert before.pk not in ids(response)
    assert ids(response) == pks(next_day)


@pytest.mark.parametrize("name", ["start_date", "end_date", "starts_before", "ends_after"])
@pytest.mark.parametrize("text", ["", "before my birthday", "2031-02-30", "12", "\x00"])
def test_a_date_that_is_none_is_refused_by_name(anonymous, name, text):
    assert bad_fields(anonymous.get(path("events", **{name: text}))) == [name]


def test_every_bad_parameter_is_named_at_once(anonymous):
    response = anonymous.get(
        path(
            "events",
            page="foo",
            start_date="nonsense",
            featured="maybe",
            venue="4711",
            categories="no-such-slug",
            geoloc_lat="12",
        )
    )

    assert bad_fields(response) == [
        "categories",
        "featured",
        "geoloc_lng",
        "page",
        "start_date",
        "venue",
    ]


def test_naive_dates_are_read_in_tz(anonymous, morning, evening):
    response = anonymous.get(
        path(
            "events",
            strict_dates=1,
            start_date="2031-03-10 05:00",
            end_date="2031-03-10 07:00",
            tz="America/New_York",
        )
    )

    assert ids(response) == pks(morning)


def test_a_zone_that_is_none_is_refused(anonymous):
    assert bad_fields(anonymous.get(path("events", tz="Mars/Olympus"))) == ["tz"]


def test_events_are_compared_as_instants_whatever_their_own_zone(anonymous, settings):
    settings.TIME_ZONE = "America/New_York"
    los_angeles = event(
        "2031-03-10 22:00", "2031-03-10 23:00", timezone="America/Los_Angeles"
    )

    same_day = anonymous.get(path("events", start_date="2031-03-10", end_date="2031-03-10"))
    next_day = anonymous.get(path("events", start_date="2031-03-11", end_date="2031-03-11"))

    assert ids(same_day) == []
    assert ids(next_day) == pks(los_angeles)


def test_modified_after_finds_what_changed_since(anonymous):
    old = EventFactory(written_at=datetime(2024, 1, 1, tzinfo=UTC))
    new = EventFactory(written_at=datetime(2024, 1, 1, 0, 0, 1, tzinfo=UTC))

    response = anonymous.get(path("events", modified_after="2024-01-01 00:00:00"))

    assert ids(response) == pks(new)
    assert old.modified_at + timedelta(seconds=1) == new.modified_at
