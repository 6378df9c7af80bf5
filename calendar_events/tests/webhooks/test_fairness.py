"""One key, or one receiver, that is slow keeps the messages of no other waiting."""

import threading

import pytest
from django.utils import timezone

from calendar_events.models import Change, WebhookDelivery, WebhookSubscription
from calendar_events.tests.callers import key_for
from calendar_events.tests.factories import (
    EventFactory,
    WebhookDeliveryFactory,
    WebhookSubscriptionFactory,
)
from calendar_events.tests.receiving import ok, receiving
from calendar_events.tests.settling import settle
from calendar_events.webhooks import fan_out, turns
from calendar_events.webhooks.messenger import Messenger

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

PATIENCE_SECONDS = 240


def test_slow_receivers_of_one_key_leave_a_place_for_another_key(
    stranger, receiver, subscribe, settings
):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "WEBHOOKS_AT_ONCE": 4}
    release = threading.Event()

    def slowly(handler, message):
        release.wait(PATIENCE_SECONDS)
        ok(handler, message)

    with receiving(slowly) as slow:
        for _ in range(6):  # none of them has ever failed
            subscribe(slow.url)
        subscribe(receiver.url, by=stranger)
        EventFactory()
        settle()
        messenger = Messenger()

        while not receiver.received:
            messenger.step()
            messenger.wait(0.1)
        release.set()
        messenger.close()

    assert len(slow.received) == 1
    assert len(receiver.received) == 1


def test_places_are_counted_with_what_is_under_way_and_filled_in_turn(subscribe):
    for institution in ("1001", "1002"):
        key_for(institution)
        for _ in range(4):
            row = WebhookSubscriptionFactory(
                client_id=f"key-{institution}", institution=institution
            )
            WebhookDeliveryFactory(subscription=row)
    now, limits = timezone.now(), {"at_most": 5, "failing": 2, "per_key": 2}

    first = turns.take(now, under_way=[], **limits)
    second = turns.take(now, under_way=first[1:], **limits)

    assert sorted(turn.client_id for turn in first) == ["key-1001"] * 2 + ["key-1002"] * 2
    assert [turn.client_id for turn in second] == [first[0].client_id]
    assert not {turn.subscription for turn in first} & {
        turn.subscription for turn in second
    }


def test_a_filter_that_matches_nothing_reads_in_steps_and_others_go_between(
    subscribe, receiver, monkeypatch
):
    monkeypatch.setattr(fan_out, "BATCH", 10)
    nothing = subscribe("https://receiver.example/", only_institution="9999")
    subscribe(receiver.url, types=["venue.created", "event.created"])
    changes = [
        Change(at=timezone.now(), kind="event", record=10**9 + n, version=1)
        for n in range(200)
    ]
    Change.objects.bulk_create(changes)
    EventFactory()
    settle()
    rows = WebhookSubscription.objects.filter(pk=nothing["id"])
    before = rows.get().cursor_change
    messenger = Messenger()

    messenger.step()
    read = Change.objects.filter(pk__gt=before, pk__lte=rows.get().cursor_change).count()
    while messenger.step():
        messenger.wait(60)
    messenger.close()

    assert read == 10
    assert rows.get().cursor_change == Change.objects.latest("pk").pk
    assert len(receiver.received) == WebhookDelivery.objects.count() == 1
