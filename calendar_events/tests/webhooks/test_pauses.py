"""``Retry-After``: a receiver that asks to be left alone is, for three days at most."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone
from django.utils.http import http_date

from calendar_events.models import WebhookDelivery, WebhookSubscription
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.receiving import answering, ok, receiving

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

PAUSE = timedelta(minutes=30)


@pytest.fixture
def clock():
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield traveller


def in_half_an_hour():
    return http_date((timezone.now() + PAUSE).timestamp())


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    "written", [lambda: "1800", in_half_an_hour], ids=["seconds", "date"]
)
def test_a_receiver_is_sent_nothing_before_the_moment_that_it_named(
    editor, receiver, subscribe, deliver, clock, status, written
):
    one = subscribe(receiver.url)
    EventFactory()
    receiver.answer = answering(status, {"Retry-After": written()})
    deliver()
    receiver.answer = ok
    EventFactory()  # another record, which waits as well
    clock.shift(PAUSE - timedelta(minutes=1))
    deliver()
    assert len(receiver.received) == 1
    assert editor.get(f"/webhooks/{one['id']}").json()["paused_until_utc"]

    clock.shift(timedelta(minutes=2))
    deliver()

    assert len(receiver.received) == 3
    assert editor.get(f"/webhooks/{one['id']}").json()["paused_until_utc"] is None


@pytest.mark.parametrize(
    "text", ["", "-5", "soon", "1.5", "0", "٣", "Wed, 21 Oct 2015 07:28:00 GMT", "9" * 39]
)
def test_what_no_receiver_means_is_ignored_or_bounded(
    receiver, subscribe, deliver, clock, text
):
    subscribe(receiver.url)
    EventFactory()
    receiver.answer = answering(503, {"Retry-After": text.encode().decode("latin-1")})

    deliver()

    row, now = WebhookSubscription.objects.get(), timezone.now()
    bound = timedelta(days=3) if text.startswith("9") else None
    assert row.paused_until == (now + bound if bound else None)
    # The schedule's own pause is never cut short.
    assert WebhookDelivery.objects.get().next_attempt_at >= now + timedelta(seconds=5)


@pytest.mark.parametrize("status", [200, 400, 500])
def test_another_status_asks_for_no_pause(receiver, subscribe, deliver, status):
    subscribe(receiver.url)
    EventFactory()
    receiver.answer = answering(status, {"Retry-After": "3600"})

    deliver()

    assert WebhookSubscription.objects.get().paused_until is None


def test_however_often_it_asks_it_is_disabled_after_three_days(
    receiver, subscribe, deliver, clock
):
    subscribe(receiver.url)
    EventFactory()
    begin = timezone.now()
    receiver.answer = answering(503, {"Retry-After": str(2 * 86400)})
    deliver()
    for _ in range(2):
        clock.move_to(WebhookSubscription.objects.get().paused_until)
        deliver()

    row = WebhookSubscription.objects.get()
    assert row.paused_until == begin + timedelta(days=3)
    assert (row.status, row.disabled_reason) == ("disabled", "failing")
    assert len(receiver.received) == 3


def test_a_pause_is_of_one_receiver_alone(receiver, subscribe, deliver, clock):
    with receiving(answering(429, {"Retry-After": "3600"})) as busy:
        subscribe(busy.url)
        subscribe(receiver.url)
        EventFactory()
        deliver()
        EventFactory()
        deliver()

        assert (len(busy.received), len(receiver.received)) == (1, 2)


def test_to_disable_it_and_make_it_active_again_ends_a_pause(
    editor, receiver, subscribe, deliver, clock
):
    one = subscribe(receiver.url)
    EventFactory()
    receiver.answer = answering(429, {"Retry-After": "3600"})
    deliver()
    receiver.answer = ok

    for status in ("disabled", "active"):
        editor.patch(f"/webhooks/{one['id']}", {"status": status})
    deliver()

    assert WebhookDelivery.objects.get().state == WebhookDelivery.State.DELIVERED
