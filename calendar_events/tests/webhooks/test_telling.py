"""Which changes become messages, for whom, and what they say."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from calendar_events.models import Event, WebhookDelivery, WebhookSubscription
from calendar_events.tests.bodies import event
from calendar_events.tests.factories import CategoryFactory, EventFactory, VenueFactory
from calendar_events.tests.settling import settle
from calendar_events.webhooks import fan_out

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

HOOK = "https://receiver.example/hook"
ALL = [
    f"{kind}.{action}"
    for kind in ("event", "venue", "organizer", "category", "tag")
    for action in ("created", "updated", "deleted")
]


def told(subscription):
    """Return what a subscription is told, once its part of the log is read."""
    settle()
    now = timezone.now()
    while fan_out.read_on(subscription["id"], now=now):
        pass
    rows = WebhookDelivery.objects.filter(subscription=subscription["id"]).order_by("pk")
    return [(row.type, row.record) for row in rows]


def test_a_message_says_what_changed_and_where_to_read_it(
    editor, receiver, subscribe, deliver
):
    one = subscribe(receiver.url)
    created = editor.post("/events", event()).json()

    deliver()

    (message,) = receiver.received
    assert message.headers["content-type"] == "application/json"
    assert message.id.startswith("msg_")
    body = message.verified(one["secret"])
    assert body.pop("timestamp").endswith("Z")
    assert body == {
        "type": "event.created",
        "data": {
            "id": created["id"],
            "institution": "1001",
            "version": 1,
            "url": f"http://testserver/platform/events/v1/events/{created['id']}",
        },
    }


def test_every_kind_of_record_is_told_of_in_the_order_of_its_changes(editor, subscribe):
    one = subscribe(HOOK, types=ALL)
    venue = editor.post("/venues", {"venue": "Hall"}).json()["id"]
    organizer = editor.post("/organizers", {"organizer": "Club"}).json()["id"]
    category = editor.post("/categories", {"name": "Music"}).json()["id"]
    tag = editor.post("/tags", {"name": "outdoor"}).json()["id"]
    body = event(venue=venue, categories=[category], tags=[tag])
    evening = editor.post("/events", body).json()["id"]
    editor.patch(f"/events/{evening}", {"title": "Night"})
    editor.delete(f"/tags/{tag}")
    editor.delete(f"/events/{evening}?force=true")

    assert told(one) == [
        ("venue.created", venue),
        ("organizer.created", organizer),
        ("category.created", category),
        ("tag.created", tag),
        ("event.created", evening),
        ("event.updated", evening),
        ("tag.deleted", tag),
        ("event.updated", evening),  # its document showed the tag
        ("event.deleted", evening),
    ]


def test_a_change_is_told_once_however_often_the_log_is_read(editor, subscribe):
    one = subscribe(HOOK)
    evening = editor.post("/events", event()).json()["id"]

    assert told(one) == told(one) == [("event.created", evening)]


def test_what_was_there_before_is_not_told_of(editor, subscribe):
    evening = editor.post("/events", event()).json()["id"]
    one = subscribe(HOOK)
    editor.patch(f"/events/{evening}", {"title": "Night"})

    assert told(one) == [("event.updated", evening)]


def test_only_the_types_that_are_wanted_are_told(editor, subscribe):
    one = subscribe(HOOK, types=["event.deleted", "venue.created"])
    evening = editor.post("/events", event()).json()["id"]
    hall = editor.post("/venues", {"venue": "Hall"}).json()["id"]
    editor.post("/organizers", {"organizer": "Club"})
    editor.delete(f"/events/{evening}")

    assert told(one) == [("venue.created", hall), ("event.deleted", evening)]


def test_an_event_is_created_when_it_is_published_and_deleted_when_it_is_not(
    editor, subscribe
):
    one = subscribe(HOOK)
    evening = editor.post("/events", event(status="draft")).json()["id"]
    for status in ("draft", "publish", "private", "draft", "publish"):
        editor.patch(f"/events/{evening}", {"status": status})
    editor.delete(f"/events/{evening}")

    assert told(one) == [
        ("event.created", evening),
        ("event.deleted", evening),
        ("event.created", evening),
        ("event.deleted", evening),  # to the trash
    ]


def test_an_event_that_lists_hide_is_not_told_of(editor, subscribe):
    one = subscribe(HOOK)
    editor.post("/events", event(hide_from_listings=True))

    assert told(one) == []


def test_a_neighbour_is_told_of_nothing_that_is_not_public(editor, stranger, subscribe):
    everything = ["publish", "future", "draft", "pending", "private"]
    ours = subscribe(HOOK, statuses=everything)
    theirs = subscribe(HOOK, by=stranger, statuses=everything)
    draft = editor.post("/events", event(status="draft")).json()["id"]
    editor.patch(f"/events/{draft}", {"title": "Secret"})
    editor.patch(f"/events/{draft}", {"status": "private"})
    editor.delete(f"/events/{draft}?force=true")
    public = editor.post("/events", event()).json()["id"]

    assert told(theirs) == [("event.created", public)]
    assert told(ours) == [
        ("event.created", draft),
        ("event.updated", draft),
        ("event.updated", draft),
        ("event.deleted", draft),
        ("event.created", public),
    ]


def test_an_event_that_moves_to_another_institution_leaves_a_filter(editor, subscribe):
    here = subscribe(HOOK, only_institution="1001")
    there = subscribe(HOOK, only_institution="1002")
    everywhere = subscribe(HOOK)
    record = EventFactory()
    record.institution = "1002"
    record.save()

    assert told(here) == [("event.created", record.pk), ("event.deleted", record.pk)]
    assert told(there) == [("event.created", record.pk)]
    assert told(everywhere) == [("event.created", record.pk), ("event.updated", record.pk)]


def test_a_filter_by_category_has_those_under_it_and_tells_who_leaves(editor, subscribe):
    parent = CategoryFactory()
    child = CategoryFactory(parent=parent)
    one = subscribe(HOOK, categories=[parent.pk])
    evening = editor.post("/events", event(categories=[child.pk])).json()["id"]
    editor.post("/events", event())
    editor.patch(f"/events/{evening}", {"title": "Night"})
    editor.patch(f"/events/{evening}", {"categories": []})
    editor.patch(f"/events/{evening}", {"title": "Late"})

    assert told(one) == [
        ("event.created", evening),
        ("event.updated", evening),
        ("event.deleted", evening),
    ]


def test_a_filter_by_category_says_nothing_of_what_a_password_protects(editor, subscribe):
    category = CategoryFactory()
    one = subscribe(HOOK, categories=[category.pk])
    EventFactory(protected=True, terms=[category])

    assert told(one) == []


def test_an_event_changes_with_what_it_embeds(editor, subscribe):
    venue = VenueFactory()
    evening, other = EventFactory(venues=[venue]), EventFactory()
    hidden = EventFactory(venues=[venue], draft=True)
    one = subscribe(HOOK)
    editor.patch(f"/venues/{venue.pk}", {"venue": "Great hall"})

    assert told(one) == [("event.updated", evening.pk)]
    assert {other.pk, hidden.pk} <= set(Event.objects.values_list("pk", flat=True))


def test_what_time_publishes_is_told_once_the_moment_has_come(editor, subscribe):
    one, patient = subscribe(HOOK), subscribe(HOOK, statuses=["publish", "future"])
    with time_machine.travel(timezone.now(), tick=False) as clock:
        at = timezone.now() + timedelta(hours=1)
        body = event(date_utc=f"{at:%Y-%m-%d %H:%M:%S}")
        evening = editor.post("/events", body).json()["id"]
        assert told(one) == []
        assert told(patient) == [("event.created", evening)]

        clock.shift(timedelta(hours=2))

        assert [one["id"], patient["id"]] == fan_out.behind(timezone.now(), at_most=10)
        assert told(one) == told(one) == [("event.created", evening)]
        assert told(patient) == [("event.created", evening), ("event.updated", evening)]


def test_what_is_written_and_published_between_two_looks_is_told_once(editor, subscribe):
    one = subscribe(HOOK)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        at = timezone.now() + timedelta(minutes=1)
        body = event(date_utc=f"{at:%Y-%m-%d %H:%M:%S}")
        evening = editor.post("/events", body).json()["id"]
        clock.shift(timedelta(hours=2))

        assert told(one) == told(one) == [("event.created", evening)]


def test_a_subscription_that_is_disabled_reads_on_where_it_stopped(editor, subscribe):
    one = subscribe(HOOK)
    editor.patch(f"/webhooks/{one['id']}", {"status": "disabled"})
    evening = editor.post("/events", event()).json()["id"]
    assert told(one) == []

    editor.patch(f"/webhooks/{one['id']}", {"status": "active"})

    assert told(one) == [("event.created", evening)]


def test_the_log_waits_while_very_many_messages_do(editor, subscribe, monkeypatch):
    monkeypatch.setattr(fan_out, "MOST_PENDING", 2)
    monkeypatch.setattr(fan_out, "BATCH", 1)
    one = subscribe(HOOK)
    ids = [editor.post("/events", event()).json()["id"] for _ in range(3)]
    assert len(told(one)) == 2

    WebhookDelivery.objects.update(state="delivered")

    assert told(one) == [("event.created", pk) for pk in ids]


def test_a_log_of_another_cluster_is_read_from_its_end(editor, subscribe):
    one = subscribe(HOOK)
    rows = WebhookSubscription.objects.filter(pk=one["id"])
    rows.update(cursor_transaction=2**62, cursor_change=2**62)
    assert told(one) == []

    evening = editor.post("/events", event()).json()["id"]

    assert told(one) == [("event.created", evening)]


@pytest.mark.parametrize("count", [1, 5])
def test_reading_the_log_costs_the_same_however_much_is_in_it(
    editor, subscribe, count, django_assert_max_num_queries
):
    one = subscribe(HOOK)
    for _ in range(count):
        editor.post("/events", event())
    settle()

    # Transaction 2, subscription, pending, changes, published, states, messages, cursor.
    with django_assert_max_num_queries(10):
        fan_out.read_on(one["id"], now=timezone.now())
    assert WebhookDelivery.objects.count() == count


def test_each_date_of_a_series_is_told_of(editor, subscribe):
    one = subscribe(HOOK)
    first = editor.post("/events", event(rrule="FREQ=WEEKLY;COUNT=3")).json()["id"]
    dates = sorted(Event.objects.values_list("pk", flat=True))
    editor.patch(f"/events/{first}?scope=all", {"title": "Other"})
    editor.delete(f"/events/{first}?scope=all&force=true")

    assert first in dates
    assert told(one) == [
        (f"event.{action}", pk)
        for action in ("created", "updated", "deleted")
        for pk in dates
    ]


def test_a_protected_event_does_not_tell_what_it_is_linked_to(editor, subscribe):
    venue = VenueFactory()
    EventFactory(venues=[venue], protected=True)
    one = subscribe(HOOK)
    editor.patch(f"/venues/{venue.pk}", {"venue": "Great hall"})

    assert told(one) == []
