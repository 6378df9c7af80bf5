"""What feeds say of an event, and that it stays true when other records change."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar
from icalendar.parser import Contentline

from calendar_events.documents import ical
from calendar_events.documents.ical import escape, fold
from calendar_events.tests.factories import (
    LONG_AGO,
    CategoryFactory,
    EventFactory,
    ImageFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)
from calendar_events.tests.reading import at, path

FEED = "/events.ics"


def calendar(response):
    assert response.status_code == 200
    return b"".join(response)


def only(response):
    """Return the only event of a feed."""
    (event,) = Calendar.from_ical(calendar(response)).events
    return event


def change(record, **columns):
    for column, value in columns.items():
        setattr(record, column, value)
    record.save(now=timezone.now())


@pytest.mark.django_db
def test_records_that_are_renamed_are_in_the_next_feed(anonymous):
    venue, organizer = VenueFactory(located=True), OrganizerFactory(complete=True)
    category, tag = CategoryFactory(name="Old"), TagFactory(name="Older")
    EventFactory(venues=[venue], organizers=[organizer], terms=[category, tag])
    etag = anonymous.get(FEED).headers["ETag"]

    change(venue, name="New, Hall", city="Ohio", geo_lat=1.5)
    change(organizer, name="New Club", email="new@club.example")
    change(category, name="New; Category")
    change(tag, name="New Tag")

    response = anonymous.get(FEED, If_None_Match=etag)
    event = only(response)
    assert event["LOCATION"] == "New, Hall, Ohio"
    assert event["GEO"].to_ical() == "1.5;-83.0"
    assert event["ORGANIZER"] == "MAILTO:new@club.example"
    assert event["ORGANIZER"].params["CN"] == "New Club"
    assert event["CATEGORIES"].to_ical() == rb"New\; Category,New Tag"


@pytest.mark.django_db
def test_records_that_are_withdrawn_are_in_no_feed(anonymous, editor):
    venues = [VenueFactory(name=name, located=True) for name in ("First", "Second")]
    organizers = [OrganizerFactory(complete=True, name=name) for name in ("One", "Two")]
    tag = TagFactory()
    event = EventFactory(venues=venues, organizers=organizers, terms=[tag])

    change(venues[0], status="draft")
    change(organizers[0], status="draft")
    editor.delete(f"/tags/{tag.pk}")

    for address in (FEED, f"/events/{event.pk}.ics"):
        public, own = only(anonymous.get(address)), only(editor.get(address))
        assert (public["LOCATION"], own["LOCATION"]) == ("Second", "First")
        assert public["ORGANIZER"].params["CN"] == "Two"
        assert own["ORGANIZER"].params["CN"] == "One"
        assert "CATEGORIES" not in public
        assert "CATEGORIES" not in own


@pytest.mark.django_db
def test_a_scheduled_venue_appears_when_its_time_comes(anonymous):
    opening = timezone.now() + timedelta(hours=1)
    EventFactory(venues=[VenueFactory(name="Soon", published_at=opening)])
    before = anonymous.get(FEED)
    assert "LOCATION" not in only(before)

    with time_machine.travel(opening + timedelta(seconds=1)):
        after = anonymous.get(FEED, If_None_Match=before.headers["ETag"])

    assert only(after)["LOCATION"] == "Soon"


@pytest.mark.django_db
def test_a_scheduled_event_is_tentative_until_its_time_comes(anonymous, editor):
    event = EventFactory(scheduled=True)

    assert Calendar.from_ical(calendar(anonymous.get(FEED))).events == []
    assert only(editor.get(path("events.ics", status="future")))["STATUS"] == "TENTATIVE"
    with time_machine.travel(event.published_at + timedelta(seconds=1)):
        assert only(anonymous.get(FEED))["STATUS"] == "CONFIRMED"


@pytest.mark.django_db
def test_who_has_credentials_sees_their_own_institution_in_a_feed(
    anonymous, editor, stranger, author
):
    public, draft = EventFactory(), EventFactory(draft=True)
    trashed = EventFactory(trashed=True)

    def uids(response):
        return {
            str(event["UID"]): str(event["STATUS"])
            for event in Calendar.from_ical(calendar(response)).events
        }

    shown = {f"event-{public.pk}@testserver": "CONFIRMED"}
    assert uids(anonymous.get(FEED)) == uids(stranger.get(FEED)) == shown
    assert uids(author.get(FEED)) == shown
    assert uids(editor.get(FEED)) == shown | {f"event-{draft.pk}@testserver": "TENTATIVE"}
    assert uids(editor.get(path("events.ics", status="trash"))) == {
        f"event-{trashed.pk}@testserver": "CANCELLED"
    }


@pytest.mark.django_db
def test_a_protected_event_keeps_its_secrets_in_feeds(anonymous):
    event = EventFactory(
        protected=True,
        title="Secret party",
        description="Where the key is",
        website="https://secret.example/",
        image=ImageFactory(),
        venues=[VenueFactory(name="Cellar", located=True)],
        organizers=[OrganizerFactory(complete=True)],
        terms=[CategoryFactory(name="Hidden"), TagFactory(name="Concealed")],
    )

    closed, opened = (
        only(anonymous.get(FEED)),
        only(anonymous.get(f"{FEED}?password=opensesame")),
    )

    secrets = {"DESCRIPTION", "LOCATION", "GEO", "ORGANIZER", "CATEGORIES", "ATTACH"}
    assert closed["SUMMARY"] == "Secret party"
    assert closed["URL"].endswith(f"/events/by-slug/{event.slug}")
    assert secrets.isdisjoint(closed)
    assert secrets <= set(opened)
    assert opened["URL"] == "https://secret.example/"
    assert anonymous.get(f"/events/{event.pk}.ics").status_code == 403
    single = anonymous.get(f"/events/{event.pk}.ics?password=opensesame")
    assert only(single)["LOCATION"] == "Cellar"


@pytest.mark.django_db
def test_an_event_is_linked_to_its_website_and_else_to_itself(anonymous):
    own = EventFactory(website="https://club.example/evening?a=1;b=2,3")
    other = EventFactory()

    assert only(anonymous.get(f"/events/{own.pk}.ics"))["URL"] == own.website
    address = only(anonymous.get(f"/events/{other.pk}.ics"))["URL"]
    assert address == (f"http://testserver/platform/events/v1/events/by-slug/{other.slug}")


@pytest.mark.django_db
def test_addresses_follow_the_settings_and_long_ones_are_folded(anonymous, settings):
    event = EventFactory(slug="long-" * 20, image=ImageFactory())
    settings.CALENDAR_EVENTS = {
        **settings.CALENDAR_EVENTS,
        "PUBLIC_URL": "https://a-name-that-is-rather-long.example",
    }

    content = calendar(anonymous.get(FEED))
    (parsed,) = Calendar.from_ical(content).events

    root = "https://a-name-that-is-rather-long.example/platform/events/v1"
    assert parsed["UID"] == f"event-{event.pk}@a-name-that-is-rather-long.example"
    assert parsed["URL"] == f"{root}/events/by-slug/{event.slug}"
    assert parsed["ATTACH"].startswith("https://a-name-that-is-rather-long.example/")
    assert all(len(line) <= 75 for line in content.split(b"\r\n"))
    assert all(byte >= 32 or byte in b"\r\n" for byte in content)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a b\n\nc\nx", "a b\nc\nx"),
        ("<p>a <b>b</b></p>\n<p>c<br />x</p>", "a b\nc\nx"),
        ("<ul><li>one</li><li>two</li></ul>", "one\ntwo"),
        ("<p>hard\nwrapped</p>", "hard wrapped"),
        ("<pre>a\n b</pre>", "a\nb"),
        ("1 &lt; 2 &amp;amp; \\n; ,", "1 < 2 &amp; \\n; ,"),
    ],
)
def test_paragraphs_and_breaks_are_line_feeds_in_a_feed(editor, written, shown):
    body = {"title": "Text", "start_date": "2031-01-01", "end_date": "2031-01-01"}
    event = editor.post("/events", body | {"description": written}).json()

    assert only(editor.get(f"/events/{event['id']}.ics"))["DESCRIPTION"] == shown


@pytest.mark.django_db
def test_calendars_are_asked_to_look_again_after_an_hour(anonymous):
    found = Calendar.from_ical(calendar(anonymous.get(FEED)))

    assert found["REFRESH-INTERVAL"].to_ical() == b"PT1H"
    assert found["REFRESH-INTERVAL"].params["VALUE"] == "DURATION"
    assert found["X-PUBLISHED-TTL"] == "PT1H"


@pytest.mark.django_db
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Pacific/Apia"])
@pytest.mark.parametrize("year", [1, 2, 1900, 2031, 9997, 9998, 9999])
def test_a_zone_is_described_for_every_year_that_has_an_event(anonymous, zone, year):
    start = datetime(year, 7, 15, 12)  # noqa: DTZ001 -- a wall clock
    event = EventFactory(start=start, timezone=zone, published_at=LONG_AGO)

    for address in (f"/events/{event.pk}.ics", path("events.ics", include=event.pk)):
        found = Calendar.from_ical(calendar(anonymous.get(address)))
        (described,) = found.walk("VTIMEZONE")
        assert described["TZID"] == zone
        onsets = {
            part["DTSTART"].dt: part["TZOFFSETTO"].td for part in described.subcomponents
        }
        assert onsets[max(at for at in onsets if at <= start)] == (
            start.replace(tzinfo=ZoneInfo(zone)).utcoffset()
        )


@pytest.mark.django_db
def test_a_zone_is_described_once_however_many_years_a_feed_has(anonymous):
    for year in range(2030, 2041):
        for zone in ("Europe/Berlin", "America/New_York"):
            EventFactory(start=at(f"{year}-07-15 12:00"), timezone=zone)

    response = anonymous.get(path("events.ics", start_date="2029", end_date="2050"))

    content = calendar(response)
    found = Calendar.from_ical(content)
    described = [str(zone["TZID"]) for zone in found.walk("VTIMEZONE")]
    assert sorted(described) == ["America/New_York", "Europe/Berlin"]
    assert len(found.events) == 22
    (berlin,) = (z for z in found.walk("VTIMEZONE") if z["TZID"] == "Europe/Berlin")
    onsets = {part["DTSTART"].dt for part in berlin.subcomponents}
    assert {moment.year for moment in onsets} >= set(range(2030, 2042))


@given(st.text(st.characters(blacklist_categories=["Cc", "Cs"]), max_size=300))
def test_lines_are_folded_as_another_library_folds_them(text):
    line = f"X-TEXT:{escape(text)}"

    assert fold(line).encode() == Contentline(line).to_ical()


@given(st.text(st.characters(blacklist_categories=["Cc", "Cs"]), max_size=100))
def test_what_is_escaped_is_read_back_by_another_library(text):
    assert Contentline(f"X-TEXT:{escape(text)}").parts()[2] == text


def test_a_stored_text_has_no_mark_that_came_from_outside():
    document = {"venue": "Hall\x04\x02\r\nX-FORGED:1", "geo_lat": 1.0, "geo_lng": 2.0}

    stored = ical.venue_text(document)

    assert stored == "GEO:1.0;2.0\r\n\x04LOCATION:Hall\\nX-FORGED:1\r\n"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    [
        'The "Blue" Club',
        "Blue: a, b; c",
        "^n = ^^",
        "Café \N{RIGHT SINGLE QUOTATION MARK}s",
    ],
)
def test_any_name_of_an_organizer_is_read_back(anonymous, name):
    EventFactory(organizers=[OrganizerFactory(complete=True, name=name)])

    assert only(anonymous.get(FEED))["ORGANIZER"].params["CN"] == name
