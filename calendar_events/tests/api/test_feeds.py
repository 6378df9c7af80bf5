"""iCalendar feeds (decisions 7, "Feeds"; RFC 5545)."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar

from calendar_events.documents.timezones import timezone_component
from calendar_events.store import feeds
from calendar_events.tests.callers import bad_fields, refusal
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)
from calendar_events.tests.reading import at, path

pytestmark = pytest.mark.both_databases


def feed(response):
    """Return the bytes of a feed."""
    assert response.status_code == 200, response.content
    assert response.headers["Content-Type"] == "text/calendar; charset=utf-8"
    return b"".join(response)


def events(response):
    """Return the events of a feed, parsed by an independent reader."""
    return Calendar.from_ical(feed(response)).events


@pytest.mark.django_db
def test_a_feed_is_complete_however_many_events_there_are(anonymous):
    made = {EventFactory().pk for _ in range(60)}

    found = events(anonymous.get("/events.ics?page=7&per_page=2"))

    assert {str(event["UID"]) for event in found} == {
        f"event-{pk}@testserver" for pk in made
    }


@pytest.mark.django_db
@pytest.mark.parametrize("batch", [1, 2, 7])
def test_a_feed_is_read_in_batches_without_losing_or_repeating(
    anonymous, editor, monkeypatch, batch
):
    for day in range(5):
        EventFactory(start=at(f"2031-01-0{1 + day // 2} 10:00"), draft=day == 3)
    monkeypatch.setattr(feeds, "BATCH", batch)

    for viewer, count in ((anonymous, 4), (editor, 5)):
        for order in ("asc", "desc"):
            response = viewer.get(path("events.ics", starts_after="2030", order=order))
            assert len({str(event["UID"]) for event in events(response)}) == count


@pytest.mark.django_db
def test_a_feed_has_the_filters_and_the_window_of_the_list(anonymous):
    tag = TagFactory()
    wanted = EventFactory(terms=[tag])
    EventFactory()
    EventFactory(terms=[tag], start=at("2001-01-01 10:00"))

    (event,) = events(anonymous.get(path("events.ics", tags=tag.pk)))

    assert event["SUMMARY"] == wanted.title
    assert bad_fields(anonymous.get(path("events.ics", tags="nothing"))) == ["tags"]
    assert anonymous.get("/events.ics?page=foo&_fields=").status_code == 200


@pytest.mark.django_db
def test_an_empty_feed_is_a_calendar(anonymous):
    calendar = Calendar.from_ical(feed(anonymous.get("/events.ics")))

    assert calendar["VERSION"] == "2.0"
    assert calendar["METHOD"] == "PUBLISH"
    assert calendar.events == []


@pytest.mark.django_db
def test_an_event_says_everything_that_other_calendars_understand(anonymous):
    event = EventFactory(
        title="Bread, cheese; wine\\",
        description="<p>First line</p><p>Ünïcode " + "long " * 40 + "</p>",
        start=at("2031-07-15 18:00"),
        end=at("2031-07-15 19:30"),
        timezone="Europe/Berlin",
        venues=[VenueFactory(complete=True, name="Hall")],
        organizers=[OrganizerFactory(complete=True, name="The, Club")],
        terms=[CategoryFactory(name="Food, drink"), TagFactory(name="Free")],
    )

    content = feed(anonymous.get(f"/events/{event.pk}.ics"))
    (parsed,) = Calendar.from_ical(content).events

    assert parsed["SUMMARY"] == "Bread, cheese; wine\\"
    assert parsed["DESCRIPTION"].startswith("First line\nÜnïcode long")
    assert parsed["DTSTART"].dt == datetime(
        2031, 7, 15, 18, tzinfo=ZoneInfo("Europe/Berlin")
    )
    assert parsed["DTEND"].dt == datetime(2031, 7, 15, 17, 30, tzinfo=UTC)
    assert parsed["UID"] == f"event-{event.pk}@testserver"
    assert parsed["URL"].endswith(f"/events/by-slug/{event.slug}")
    assert parsed["STATUS"] == "CONFIRMED"
    assert parsed["LOCATION"] == "Hall, 1 Main Street, Dublin, OH, 43017, United States"
    assert parsed["GEO"].to_ical() == "40.0;-83.0"
    assert parsed["ORGANIZER"] == "MAILTO:club@club.example"
    assert parsed["ORGANIZER"].params["CN"] == "The, Club"
    assert parsed["CATEGORIES"].to_ical() == b"Food\\, drink,Free"
    assert b"DTSTART;TZID=Europe/Berlin:20310715T180000\r\n" in content
    assert content.index(b"TZID:Europe/Berlin") < content.index(b"BEGIN:VEVENT")
    assert all(len(line) <= 75 for line in content.split(b"\r\n"))


@pytest.mark.django_db
def test_sequence_counts_changes_and_the_uid_stays(anonymous):
    event = EventFactory()
    (before,) = events(anonymous.get(f"/events/{event.pk}.ics"))

    event.title = "Renamed"
    event.save(now=datetime(2030, 1, 1, tzinfo=UTC))
    (after,) = events(anonymous.get(f"/events/by-slug/{event.slug}.ics"))

    assert (before["SEQUENCE"], after["SEQUENCE"]) == (0, 1)
    assert before["UID"] == after["UID"]
    assert after["LAST-MODIFIED"].dt == datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.django_db
def test_whole_days_are_dates_with_an_exclusive_end_in_any_zone(anonymous):
    event = EventFactory(
        start=at("2031-03-10 00:00"),
        end=at("2031-03-11 23:59:59"),
        timezone="Pacific/Kiritimati",
        all_day=True,
    )

    (parsed,) = events(anonymous.get(f"/events/{event.pk}.ics"))

    assert parsed["DTSTART"].dt == date(2031, 3, 10)
    assert parsed["DTEND"].dt == date(2031, 3, 12)


@pytest.mark.django_db
@pytest.mark.parametrize("zone", ["UTC", "UTC+2", "+05:30", "EST"])
def test_a_zone_that_is_an_offset_is_written_in_utc(anonymous, zone):
    event = EventFactory(start=at("2031-03-10 18:00"), timezone=zone)

    content = feed(anonymous.get(f"/events/{event.pk}.ics"))

    assert f"DTSTART:{event.start_utc:%Y%m%dT%H%M%SZ}\r\n".encode() in content
    assert b"VTIMEZONE" not in content


@pytest.mark.django_db
def test_what_may_not_be_read_is_refused_like_the_single(anonymous):
    draft = EventFactory(draft=True)

    assert refusal(anonymous.get("/events/0.ics")) == (404, "rest-event-not-found")
    assert refusal(anonymous.get("/events/by-slug/nothing.ics"))[0] == 404
    assert refusal(anonymous.get(f"/events/{draft.pk}.ics")) == (
        403,
        "event-not-accessible",
    )


@pytest.mark.django_db
@pytest.mark.parametrize("accept", ["text/calendar", "*/*", "text/*"])
def test_calendars_may_ask_for_their_own_type(anonymous, accept):
    assert anonymous.get("/events.ics", Accept=accept).status_code == 200


@pytest.mark.django_db
def test_a_feed_is_not_json(anonymous):
    response = anonymous.get("/events.ics", Accept="application/json")

    assert response.status_code == 406


COMPACT = str.maketrans("", "", "-:")
ZONES = [
    *("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"),
    *("Asia/Kolkata", "America/St_Johns", "Pacific/Apia", "Europe/Dublin", "UTC"),
]


@given(
    zone=st.sampled_from(ZONES),
    wall=st.datetimes(at("2010-01-01"), at("2036-12-30")),
)
def test_a_calendar_that_only_knows_our_rules_comes_to_the_same_instant(zone, wall):
    wall = wall.replace(second=0, microsecond=0)
    here = ZoneInfo(zone)
    instant = wall.replace(tzinfo=here)
    if instant.astimezone(UTC).astimezone(here).replace(tzinfo=None) != wall:
        return  # in a gap, where no event of ours is
    if instant.utcoffset() != instant.replace(fold=1).utcoffset():
        return  # an hour that comes twice: VTIMEZONE cannot say which
    component = timezone_component(here, wall.year, wall.year)

    told = onset(component, wall)

    assert told == instant.utcoffset()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2031-10-26T00:50:00Z", "2031-10-26T01:10:00Z"),
        ("2031-10-26T01:10:00Z", "2031-10-26T01:50:00Z"),
    ],
)
def test_a_clock_that_comes_a_second_time_is_written_in_utc(editor, start, end):
    body = {"title": "Long night", "start_date": start, "end_date": end}
    event = editor.post("/events", body | {"timezone": "Europe/Berlin"}).json()

    (told,) = events(editor.get(f"/events/{event['id']}.ics"))

    assert told["DTSTART"].to_ical() == start.translate(COMPACT).encode()
    assert told["DTEND"].to_ical() == end.translate(COMPACT).encode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("first", "duration"), [("9999-12-31", b"P1D"), ("9999-12-30", b"P2D")]
)
def test_an_event_on_the_last_day_of_the_calendar_lasts_that_day(editor, first, duration):
    body = {"title": "The end", "start_date": first, "end_date": "9999-12-31"}
    event = editor.post("/events", body | {"all_day": True}).json()

    (told,) = events(editor.get(f"/events/{event['id']}.ics"))

    assert told["DTSTART"].to_ical() == first.replace("-", "").encode()
    assert told["DURATION"].to_ical() == duration
    assert "DTEND" not in told


def onset(component, wall):
    """Return the offset that holds at a wall clock, as RFC 5545 3.6.5 tells to find it."""
    (zone,) = Calendar.from_ical(
        b"BEGIN:VCALENDAR\r\n" + component + b"END:VCALENDAR\r\n"
    ).walk("VTIMEZONE")
    begun = [
        (part["DTSTART"].dt, part["TZOFFSETTO"].td)
        for part in zone.subcomponents
        if part["DTSTART"].dt <= wall
    ]
    return max(begun)[1]


def test_the_onset_of_summer_time_is_written_in_the_clock_that_it_ends():
    component = timezone_component(ZoneInfo("Europe/Berlin"), 2031, 2031).decode()

    summer = component[component.index("BEGIN:DAYLIGHT") :]
    assert "DTSTART:20310330T020000" in summer
    assert "TZOFFSETFROM:+0100" in summer
    assert "TZOFFSETTO:+0200" in summer


@pytest.mark.django_db
def test_options_of_a_feed_describes_it_too(anonymous):
    assert anonymous.send("OPTIONS", "/events.ics").status_code == 200


@pytest.mark.django_db
def test_a_feed_names_an_organizer_without_an_address_nowhere(anonymous):
    event = EventFactory(organizers=[OrganizerFactory()], venues=[VenueFactory()])

    content = anonymous.get(f"/events/{event.pk}.ics").content

    assert b"ORGANIZER" not in content
    assert b"LOCATION" in content
