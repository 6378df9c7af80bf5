"""Whether an event takes place, where it is online, and who may see that."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from calendar_events.models import Event
from calendar_events.tests import bodies
from calendar_events.tests.callers import caller
from calendar_events.tests.factories import EventFactory, VenueFactory
from calendar_events.tests.reading import ids, pks

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SECRET = "https://meet.example/secret"
MEMBERS = {
    *("event_status", "status_reason", "previous_start_date", "previous_utc_start_date"),
    *("attendance_mode", "online_address", "online_audience", "online_from_utc"),
}


def single(who, event):
    answer = who.get(f"/events/{event.pk}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def feed_of(who, event):
    return who.get(f"/events/{event.pk}.ics").content.decode().replace("\r\n ", "")


def test_an_event_that_says_nothing_of_it_is_answered_as_ever(anonymous):
    event = EventFactory()

    answer = single(anonymous, event)

    assert not MEMBERS & answer.keys()
    assert answer["json_ld"]["eventStatus"] == "https://schema.org/EventScheduled"
    mode = answer["json_ld"]["eventAttendanceMode"]
    assert mode == "https://schema.org/OfflineEventAttendanceMode"
    assert "STATUS:CONFIRMED" in feed_of(anonymous, event)


@pytest.mark.parametrize(
    ("status", "schema", "calendar"),
    [
        ("cancelled", "EventCancelled", "CANCELLED"),
        ("postponed", "EventPostponed", "TENTATIVE"),
        ("moved_online", "EventMovedOnline", "CONFIRMED"),
    ],
)
def test_a_status_and_its_reason_are_told_in_every_form(
    anonymous, editor, status, schema, calendar
):
    event = EventFactory()
    body = {"event_status": status, "status_reason": "The <b>speaker</b> is ill"}

    changed = editor.patch(f"/events/{event.pk}", body).json()

    assert changed["event_status"] == status
    assert changed["status_reason"] == "The speaker is ill"
    (listed,) = anonymous.get("/events").json()["events"]
    assert listed["event_status"] == status
    assert ids(anonymous.get("/events?search=evening")) == pks(event)
    answer = single(anonymous, event)
    assert answer["json_ld"]["eventStatus"] == f"https://schema.org/{schema}"
    feed = feed_of(anonymous, event)
    assert f"STATUS:{calendar}\r\n" in feed
    assert "COMMENT:The speaker is ill\r\n" in feed


def test_moved_online_means_taking_part_online(anonymous, editor):
    event = EventFactory(venues=[VenueFactory()])
    body = {"event_status": "moved_online", "online_address": "https://meet.example/a"}
    editor.patch(f"/events/{event.pk}", body)

    described = single(anonymous, event)["json_ld"]

    mode = described["eventAttendanceMode"]
    assert mode == "https://schema.org/OnlineEventAttendanceMode"
    place, online = described["location"]
    assert place["@type"] == "Place"
    assert online == {"@type": "VirtualLocation", "url": "https://meet.example/a"}
    assert "CONFERENCE;VALUE=URI:https://meet.example/a\r\n" in feed_of(anonymous, event)


def test_online_without_a_venue_has_one_location(anonymous, editor):
    event = EventFactory()
    body = {"attendance_mode": "online", "online_address": "https://meet.example/a"}
    editor.patch(f"/events/{event.pk}", body)

    described = single(anonymous, event)["json_ld"]

    assert described["location"]["@type"] == "VirtualLocation"


def test_a_postponed_event_with_a_new_date_keeps_the_first(anonymous, editor):
    address = f"/events/{EventFactory(timezone='Europe/Berlin').pk}"
    before = editor.get(address).json()
    editor.patch(address, {"event_status": "postponed"})
    assert "previous_start_date" not in editor.get(address).json()

    for year in ("2032", "2033"):
        dates = {"start_date": f"{year}-01-01 10:00", "end_date": f"{year}-01-01 11:00"}
        changed = editor.patch(address, dates).json()

    assert changed["previous_start_date"] == before["start_date"]
    assert changed["previous_utc_start_date"] == before["utc_start_date"]
    described = anonymous.get(address).json()["json_ld"]
    assert described["eventStatus"] == "https://schema.org/EventRescheduled"
    assert described["previousStartDate"] == before.get("json_ld", described)[
        "startDate"
    ] or (described["previousStartDate"][:10] == before["start_date"][:10])
    assert "STATUS:CONFIRMED" in feed_of(anonymous, Event.objects.get())
    back = editor.patch(address, {"event_status": ""}).json()
    assert not MEMBERS & back.keys()


def test_lists_are_filtered_by_the_status_of_events(anonymous):
    planned = EventFactory()
    cancelled = EventFactory(event_status="cancelled")
    postponed = EventFactory(event_status="postponed", protected=True)

    assert ids(anonymous.get("/events?event_status=scheduled")) == pks(planned)
    assert ids(anonymous.get("/events?event_status=cancelled")) == pks(cancelled)
    both = anonymous.get("/events?event_status=cancelled,postponed")
    assert sorted(ids(both)) == sorted(pks(cancelled, postponed))
    assert both.json()["total"] == 2
    unknown = anonymous.get("/events?event_status=maybe")
    assert unknown.status_code == 400
    assert list(unknown.json()["data"]["params"]) == ["event_status"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("event_status", "maybe"),
        ("event_status", ["cancelled"]),
        ("event_status", 5),
        ("status_reason", "x" * 501),
        ("attendance_mode", "hybrid"),
        ("online_address", "javascript:alert(1)"),
        ("online_address", "meet.example"),
        ("online_audience", "friends"),
        ("online_audience", {"a": 1}),
        ("online_from_utc", "soon-ish"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_field(editor, field, value):
    answer = editor.post("/events", bodies.event(**{field: value}))

    assert answer.status_code == 400
    assert list(answer.json()["data"]["params"]) == [field]


def test_its_own_answer_sent_back_changes_nothing(editor):
    event = EventFactory()
    soon = timezone.now() + timedelta(hours=1)
    body = {
        "event_status": "moved_online",
        "status_reason": "Snow",
        "attendance_mode": "mixed",
        "online_address": SECRET,
        "online_audience": "institution",
        "online_from_utc": f"{soon:%Y-%m-%d %H:%M:%S}",
    }
    answer = editor.patch(f"/events/{event.pk}", body).json()
    assert answer.items() >= body.items()

    again = editor.put(f"/events/{event.pk}", answer).json()

    for passing in ("modified", "modified_utc"):
        del answer[passing], again[passing]
    assert again == answer


def neighbours(who, event):
    """Return everything in which somebody could look for the address of an event."""
    settled = who.get("/changes").json()["next"]
    pages = [
        f"/events/{event.pk}",
        f"/events/by-slug/{event.slug}",
        f"/events/{event.pk}?_fields=online_address,json_ld",
        "/events",
        "/events?search=meet",
        "/events?search=evening",
        f"/events?include={event.pk}",
        "/events?_fields=events.online_address",
        "/events?modified_after=2019-01-01",
        "/events.ics",
        f"/events/{event.pk}.ics",
        f"/changes?since={settled}",
    ]
    event.save()
    return b"".join(b"".join(who.get(page)) for page in pages)


@pytest.fixture
def people(anonymous, editor, stranger, subscriber, author):
    return {
        "anonymous": anonymous,
        "editor": editor,
        "stranger": stranger,
        "subscriber": subscriber,
        "author": author,
    }


@pytest.mark.parametrize(
    ("fields", "seen_by"),
    [
        ({}, {"anonymous", "editor", "stranger", "subscriber", "author"}),
        ({"online_audience": "institution"}, {"editor", "subscriber", "author"}),
        ({"online_from": timedelta(hours=1)}, {"editor"}),
        ({"online_from": -timedelta(hours=1)}, {"anonymous", "editor", "stranger"}),
        (
            {"online_from": timedelta(hours=1), "online_audience": "institution"},
            {"editor"},
        ),
    ],
    ids=["everybody", "institution", "until a moment", "since a moment", "both"],
)
def test_an_online_address_is_seen_by_whom_the_event_says(people, fields, seen_by):
    if "online_from" in fields:
        fields = fields | {"online_from": timezone.now() + fields["online_from"]}
    event = EventFactory(online_address=SECRET, attendance_mode="online", **fields)

    for name, who in people.items():
        answer = single(who, event)
        if name in seen_by:
            assert answer["online_address"] == SECRET, name
            assert ids(who.get("/events")) == pks(event)
            (listed,) = who.get("/events").json()["events"]
            assert listed["online_address"] == SECRET, name
        elif not seen_by >= {"anonymous"}:
            assert SECRET.encode() not in neighbours(who, event), name
            assert "online_address" not in answer, name


def test_who_wrote_an_event_and_may_change_it_sees_its_address(author):
    later = timezone.now() + timedelta(hours=1)
    own = EventFactory(online_address=SECRET, online_from=later, author=author.user)
    other = EventFactory(online_address=SECRET, online_from=later)

    assert single(author, own)["online_address"] == SECRET
    assert "online_address" not in single(author, other)


def test_a_protected_event_hides_its_address_and_reason_until_its_password_comes(anonymous):
    event = EventFactory(
        protected=True,
        online_address=SECRET,
        attendance_mode="online",
        event_status="cancelled",
        status_reason="Private reason",
    )

    for text in (neighbours(anonymous, event), feed_of(anonymous, event).encode()):
        assert SECRET.encode() not in text
        assert b"Private reason" not in text
    (listed,) = anonymous.get("/events").json()["events"]
    assert listed["event_status"] == "cancelled"
    opened = anonymous.get(f"/events/{event.pk}?password={event.password}").json()
    assert opened["online_address"] == SECRET


def test_time_shows_an_address_without_a_write(anonymous):
    moment = timezone.now() + timedelta(minutes=20)
    event = EventFactory(online_address=SECRET, online_from=moment)
    address = f"/events/{event.pk}"
    before, listed = anonymous.get(address), anonymous.get("/events")

    with time_machine.travel(moment + timedelta(seconds=1)):
        asked = {
            "If_None_Match": before.headers["ETag"],
            "If_Modified_Since": before.headers["Last-Modified"],
        }
        after = anonymous.get(address, **asked)
        dated = anonymous.get(address, If_Modified_Since=before.headers["Last-Modified"])
        again = anonymous.get("/events", If_None_Match=listed.headers["ETag"])
        since = (moment - timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        found = ids(anonymous.get(f"/events?modified_after={since}"))

    assert after.status_code == dated.status_code == again.status_code == 200
    assert after.json()["online_address"] == SECRET
    assert again.json()["events"][0]["online_address"] == SECRET
    assert found == pks(event)


def test_a_list_asks_once_more_however_many_addresses_are_restricted(
    subscriber, django_assert_num_queries
):
    for number in (1, 4):
        EventFactory.create_batch(
            number, online_address=SECRET, online_audience="institution"
        )
        # State and permissions, page, addresses, what the events carry.
        with django_assert_num_queries(4):
            page = subscriber.get("/events").json()
        assert {one["online_address"] for one in page["events"]} == {SECRET}


def test_who_loses_the_institution_loses_the_address(subscriber):
    event = EventFactory(online_address=SECRET, online_audience="institution")
    seen = subscriber.get(f"/events/{event.pk}")
    elsewhere = caller(institution="1002", user=subscriber.user)

    other = elsewhere.get(f"/events/{event.pk}", If_None_Match=seen.headers["ETag"])

    assert other.status_code == 200
    assert "online_address" not in other.json()
