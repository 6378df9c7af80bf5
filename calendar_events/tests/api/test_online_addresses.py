"""Where an event is online, in everything that might tell it, up to the very moment."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from calendar_events.models import Event, WebhookDelivery
from calendar_events.models.webhooks import WebhookSubscription
from calendar_events.tests.callers import caller
from calendar_events.tests.series import yoga
from calendar_events.tests.settling import settle
from calendar_events.webhooks import fan_out

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

SECRET = "https://meet.example/room-4711"
ALL = "starts_after=2000-01-01"
SHOWN = (
    "/events/{id}",
    "/events/by-slug/{slug}",
    "/events/{id}?_fields=online_address",
    "/events/{id}?_fields=json_ld",
    f"/events?{ALL}",
    f"/events?{ALL}&series={{series}}",
    f"/events?{ALL}&expand=false",
    f"/events?{ALL}&_fields=events.online_address",
    "/events?include={id}",
    f"/events?{ALL}&modified_after=2019-01-01",
    "/changes?since={since}",
    "/events/{id}.ics",
    f"/events.ics?{ALL}",
    f"/events.ics?{ALL}&expand=false",
    "/series/{series}.ics",
)
"""What tells everybody an address that everybody may see."""
SILENT = (
    "/series/{series}",
    f"/events?{ALL}&search=meet",
    f"/events?{ALL}&search=room-4711",
    f"/events.ics?{ALL}&search=4711",
    "/doc",
    "/",
    "/venues",
    "/organizers",
)


@pytest.fixture
def make(editor):
    """Make a series that is online, and return what the first answer says of it."""

    def write(**changes):
        body = yoga(
            rrule="FREQ=WEEKLY;COUNT=3",
            attendance_mode="online",
            online_address=SECRET,
            **changes,
        )
        answer = editor.post("/events", body)
        assert answer.status_code == 201, answer.content
        return answer.json()

    return write


def told(who, event, pages, since):
    """Return the pages in which a caller reads the address."""
    names = {**event, "series": event["recurrence"]["series"], "since": since}
    answers = {page: b"".join(who.get(page.format(**names))) for page in pages}
    # Slashes may be escaped, and lines of calendars are folded.
    plain = {
        page: text.replace(b"\\/", b"/").replace(b"\r\n ", b"")
        for page, text in answers.items()
    }
    return [page for page, text in plain.items() if b"meet.example" in text]


def page_is_of(page, words):
    return any(word in page for word in words)


def beginning(who):
    return who.get("/changes").json()["next"]


def test_an_address_for_everybody_is_told_wherever_it_can_be(make, anonymous):
    since = beginning(anonymous)
    event = make()
    settle()

    assert told(anonymous, event, SHOWN + SILENT, since) == list(SHOWN)


def test_an_address_for_the_institution_is_told_to_nobody_else(
    make, anonymous, stranger, subscriber
):
    starts = {who: beginning(who) for who in (anonymous, stranger, subscriber)}
    event = make(online_audience="institution")
    settle()

    for who in (anonymous, stranger):
        assert told(who, event, SHOWN + SILENT, starts[who]) == []
    assert told(subscriber, event, SHOWN[:1], starts[subscriber]) == [SHOWN[0]]
    # The same person under the other institution's credentials.
    elsewhere = caller(institution="1002", user=subscriber.user)
    assert told(elsewhere, event, SHOWN + SILENT, beginning(elsewhere)) == []


def test_an_address_is_told_from_its_moment_on_and_not_before(
    make, anonymous, stranger, subscriber
):
    moment = timezone.now().replace(microsecond=0) + timedelta(minutes=30)
    callers = (anonymous, stranger, subscriber)
    starts = {who: beginning(who) for who in callers}
    event = make(online_from_utc=f"{moment:%Y-%m-%d %H:%M:%S}")
    assert Event.objects.filter(online_from=moment).count() == 3
    settle()

    with time_machine.travel(moment - timedelta(microseconds=1), tick=False):
        for who in callers:
            assert told(who, event, SHOWN + SILENT, starts[who]) == []
    with time_machine.travel(moment, tick=False):
        for who in callers:
            found = told(who, event, SHOWN, starts[who])
            # What is stored for everybody, JSON-LD and calendars, never has it.
            stored = ("json_ld", ".ics")
            assert found == [page for page in SHOWN if not page_is_of(page, stored)]


def test_both_conditions_hold_together(make, anonymous, stranger, subscriber):
    moment = timezone.now().replace(microsecond=0) + timedelta(minutes=30)
    event = make(
        online_from_utc=f"{moment:%Y-%m-%d %H:%M:%S}", online_audience="institution"
    )

    for at, knows in ((moment - timedelta(microseconds=1), False), (moment, True)):
        with time_machine.travel(at, tick=False):
            for who in (anonymous, stranger):
                assert told(who, event, SHOWN + SILENT, beginning(who)) == []
            assert bool(told(subscriber, event, SHOWN[:1], "")) == knows


def test_a_message_of_a_webhook_names_no_address(make, editor, settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "WEBHOOK_HTTP": True}
    hook = {"url": "https://receiver.example/hook"}
    assert editor.post("/webhooks", hook).status_code == 201
    event = make(online_audience="institution")
    editor.patch(f"/events/{event['id']}?scope=all", {"online_address": f"{SECRET}-b"})
    settle()

    one = WebhookSubscription.objects.get()
    while fan_out.read_on(one.pk, now=timezone.now()):
        pass

    payloads = WebhookDelivery.objects.values_list("payload", flat=True)
    assert len(payloads) == 6
    assert not [text for text in payloads if "meet" in text]
    listed = editor.get(f"/webhooks/{one.pk}/deliveries").content
    assert b"meet" not in listed
