"""Time zones in reading, against ``zoneinfo`` and ``python-dateutil``."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from dateutil import tz as dateutil_tz
from hypothesis import given
from hypothesis import strategies as st

from calendar_events.conf import conf
from calendar_events.filters.parameters import window_of, written
from calendar_events.parsing import dates
from calendar_events.tests.callers import bad_fields
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.reading import at, ids, path, pks

pytestmark = pytest.mark.both_databases

ZONES = [
    *("UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Kathmandu"),
    *("Australia/Lord_Howe", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Tehran"),
]
INSTANTS = st.datetimes(at("1990-01-01"), at("2037-12-01"), timezones=st.just(UTC)).map(
    lambda instant: instant.replace(microsecond=0)
)


def context(zone, now=datetime(2026, 1, 15, 12, tzinfo=UTC)):
    return {"now": now, "zone": ZoneInfo(zone)}


def limits(zone, **texts):
    here = context(zone)
    values = {name: dates.parse(text, **here) for name, text in texts.items()}
    return window_of(values, **here)


@given(zone=st.sampled_from(ZONES), instant=INSTANTS)
def test_a_loose_day_holds_exactly_its_instants(zone, instant):
    day = instant.astimezone(ZoneInfo(zone)).date()

    found = limits(zone, start_date=str(day), end_date=str(day))

    assert found.start <= instant <= found.end
    before = (found.start - timedelta(seconds=1)).astimezone(ZoneInfo(zone))
    after = (found.end + timedelta(seconds=1)).astimezone(ZoneInfo(zone))
    assert before.date() < day < after.date()


@given(zone=st.sampled_from(ZONES), instant=INSTANTS)
def test_a_day_begins_when_dateutil_says_so(zone, instant):
    here = dateutil_tz.gettz(zone)
    day = instant.astimezone(here).date()
    midnight = dateutil_tz.resolve_imaginary(datetime.combine(day, time.min, here))

    found = limits(zone, start_date=str(day))

    assert found.start == midnight.astimezone(UTC)


@given(zone=st.sampled_from(ZONES), instant=INSTANTS)
def test_what_is_written_in_links_is_read_back(zone, instant):
    here = context(zone)

    text = written(instant, here["zone"])

    assert dates.parse(text, **here).utc == instant


@given(zone=st.sampled_from(ZONES), now=INSTANTS)
def test_the_default_window_begins_yesterday_and_ends_with_a_day(zone, now):
    here = context(zone, now=now)

    window = window_of({}, **here)

    today = now.astimezone(here["zone"]).date()
    assert window.start.astimezone(here["zone"]).date() == today - timedelta(days=1)
    assert (window.start - timedelta(seconds=1)).astimezone(here["zone"]).date() < (
        today - timedelta(days=1)
    )
    assert window.end.astimezone(here["zone"]).date().year == today.year + 2
    assert (window.end + timedelta(seconds=1)).astimezone(here["zone"]).date() > (
        window.end.astimezone(here["zone"]).date()
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("zone", "wall", "utc"),
    [
        ("Europe/Berlin", "2031-01-15 20:00", "2031-01-15 19:00:00"),
        ("Europe/Berlin", "2031-07-15 20:00", "2031-07-15 18:00:00"),
        ("Europe/Berlin", "2031-03-30 02:30", "2031-03-30 01:30:00"),  # in the gap
        ("Europe/Berlin", "2031-10-26 02:30", "2031-10-26 00:30:00"),  # the first of two
        ("America/New_York", "2031-03-09 02:30", "2031-03-09 07:30:00"),
        ("Australia/Lord_Howe", "2031-07-15 20:00", "2031-07-15 09:30:00"),
        ("Asia/Kathmandu", "2031-07-15 20:00", "2031-07-15 14:15:00"),
        ("UTC+2", "2031-07-15 20:00", "2031-07-15 18:00:00"),
        ("UTC-5:30", "2031-07-15 20:00", "2031-07-16 01:30:00"),
        ("+02:00", "2031-07-15 20:00", "2031-07-15 18:00:00"),
        ("EST", "2031-07-15 20:00", "2031-07-16 01:00:00"),
        ("Pacific/Kiritimati", "2031-07-15 00:30", "2031-07-14 10:30:00"),
    ],
)
def test_an_event_in_any_zone_is_found_at_its_instant(anonymous, zone, wall, utc):
    event = EventFactory(start=at(wall), end=at(wall), timezone=zone)
    exact = {"strict_dates": "true", "start_date": f"{utc}Z", "end_date": f"{utc}Z"}

    document = anonymous.get(f"/events/{event.pk}").json()

    assert document["utc_start_date"] == utc
    assert ids(anonymous.get(path("events", **exact))) == pks(event)


@pytest.mark.django_db
def test_an_all_day_event_is_on_its_day_where_it_is(anonymous):
    event = EventFactory(
        start=at("2031-03-10 00:00"),
        end=at("2031-03-10 23:59:59"),
        timezone="Pacific/Kiritimati",
        all_day=True,
    )
    day = {"start_date": "2031-03-10", "end_date": "2031-03-10"}

    there = anonymous.get(path("events", tz="Pacific/Kiritimati", **day))
    elsewhere = anonymous.get(path("events", **day))

    assert ids(there) == pks(event)
    assert ids(elsewhere) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("start", "end"),
    [("2031-03-10 22:00", "2031-03-11 02:00"), ("2031-03-10 22:00", "2044-01-01 02:00")],
)
def test_an_event_across_midnight_or_years_is_found_by_both_its_ends(anonymous, start, end):
    event = EventFactory(start=at(start), end=at(end))

    for query in (
        {"start_date": "2031-03-10", "end_date": end[:10]},
        {"starts_after": "2031-03-09", "starts_before": "2031-03-10"},
        {"ends_after": "2031-03-10", "ends_before": end[:10]},
        {"start_date": "2031-03-11", "end_date": "2031-03-11", "overlaps": "1"},
    ):
        assert ids(anonymous.get(path("events", **query))) == pks(event)


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["0001-01-01", "9999-12-31", "0001", "9999"])
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
@pytest.mark.parametrize("name", ["start_date", "end_date", "starts_after", "ends_before"])
def test_the_edges_of_the_calendar_are_no_accident(anonymous, name, text, zone):
    response = anonymous.get(path("events", **{name: text}, tz=zone))

    assert response.status_code == 200
    strict = path("events", **{name: text}, tz=zone, strict_dates="true")
    assert anonymous.get(strict).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo", "UTC"])
@pytest.mark.parametrize("strict", ["true", "false"])
def test_a_window_from_the_first_to_the_last_day_of_all_finds_everything(
    anonymous, zone, strict
):
    events = [
        EventFactory(start=at(f"{day} 12:00")) for day in ("1970-01-02", "2031-01-15")
    ]
    address = path(
        "events",
        start_date="0001-01-01 00:00:00",
        end_date="9999-12-31 23:59:59",
        tz=zone,
        strict_dates=strict,
        per_page=1,
    )

    first = anonymous.get(address)
    following = first.json()["next_rest_url"].removeprefix(conf.root_url)
    second = anonymous.get(following)

    assert ids(first) + ids(second) == pks(*events)
    assert (first.json()["total"], second.json()["total"]) == (2, 2)


@pytest.mark.django_db
def test_a_date_that_no_calendar_has_is_still_refused(anonymous):
    for text in ("9999-12-31 +1 day", "10000-01-01", "0000-01-01"):
        assert bad_fields(anonymous.get(path("events", end_date=text))) == ["end_date"]


def test_the_edge_of_the_calendar_is_written_as_an_instant():
    here = ZoneInfo("Pacific/Kiritimati")
    last = datetime.max.replace(tzinfo=UTC, microsecond=0)

    assert written(last, here) == "9999-12-31T23:59:59Z"
