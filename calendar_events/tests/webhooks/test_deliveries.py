"""``{events_root}/webhooks/{id}/deliveries``, and what is kept of each attempt."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from calendar_events.models import WebhookAttempt, WebhookDelivery
from calendar_events.tests.bodies import event
from calendar_events.tests.callers import bad_fields, refusal
from calendar_events.tests.factories import WebhookDeliveryFactory
from calendar_events.tests.receiving import answering, ok
from calendar_events.webhooks import deliveries, turns
from calendar_events.webhooks.sending import Answer

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

HOOK = "https://receiver.example/hook"
State = WebhookDelivery.State


@pytest.fixture
def one(subscribe):
    """The editor's subscription."""
    return subscribe(HOOK)


def made(one, count=1, **fields):
    return [
        WebhookDeliveryFactory(subscription_id=one["id"], **fields) for _ in range(count)
    ]


def page(editor, one, query=""):
    answer = editor.get(f"/webhooks/{one['id']}/deliveries{query}").json()
    return [row["message_id"] for row in answer["deliveries"]], answer["more"]


def test_a_key_reads_what_became_of_its_messages(editor, receiver, subscribe, deliver):
    one = subscribe(receiver.url)
    receiver.answer = answering(500, body=b"Out of order")
    record = editor.post("/events", event()).json()["id"]
    deliver()

    response = editor.get(f"/webhooks/{one['id']}/deliveries")

    (row,) = response.json()["deliveries"]
    assert response["Cache-Control"] == "no-store"
    assert row["message_id"] == receiver.received[0].id
    assert (row["type"], row["record"]) == ("event.created", record)
    assert (row["state"], row["attempts"], row["answer_status"]) == ("pending", 1, 500)
    assert (row["answer"], row["error"]) == ("Out of order", "")
    assert row["attempted_utc"] < row["next_attempt_utc"]
    assert response.json()["more"] is False


def test_messages_are_read_page_by_page_the_newest_first(editor, one):
    ids = [row.message_id for row in reversed(made(one, 5))]

    first = page(editor, one, "?per_page=2")
    second = page(editor, one, f"?per_page=2&before={ids[1]}")
    last = page(editor, one, f"?per_page=2&before={ids[3]}")

    assert [first, second, last] == [(ids[:2], True), (ids[2:4], True), (ids[4:], False)]
    assert page(editor, one, "?per_page=1000") == (ids, False)
    assert page(editor, one, "?before=msg_unknown") == ([], False)


def test_messages_are_chosen_by_state(editor, one):
    made(one)
    (failed,) = made(one, state=State.FAILED)

    assert page(editor, one, "?state=failed") == ([failed.message_id], False)


@pytest.mark.parametrize(
    ("query", "bad"),
    [
        ("state=lost", "state"),
        ("per_page=0", "per_page"),
        ("per_page=x", "per_page"),
        (f"per_page={'9' * 5000}", "per_page"),
        (f"before={'a' * 41}", "before"),
        ("before=%00", "before"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_refused(editor, one, query, bad):
    answer = editor.get(f"/webhooks/{one['id']}/deliveries?{query}")

    assert bad_fields(answer) == [bad]


@pytest.mark.parametrize("count", [1, 30])
def test_reading_messages_costs_the_same_however_many_there_are(
    editor, one, count, django_assert_num_queries
):
    made(one, count)

    with django_assert_num_queries(3):  # permissions, subscription, messages
        assert len(page(editor, one, "?per_page=100")[0]) == count


def test_a_message_is_sent_again_by_its_identifier(editor, receiver, subscribe, deliver):
    one = subscribe(receiver.url)
    editor.post("/events", event())
    deliver()
    (first,) = receiver.received
    path = f"/webhooks/{one['id']}/deliveries/{first.id}/again"

    answer, twice = editor.post(path), editor.post(path)
    deliver()

    assert answer.status_code == twice.status_code == 202
    assert answer.json() == twice.json() == {"message_id": first.id}
    assert [message.id for message in receiver.received] == [first.id, first.id]


def test_what_failed_is_sent_again_before_its_pause_is_over(
    editor, receiver, subscribe, deliver
):
    one = subscribe(receiver.url)
    receiver.answer = answering(500)
    editor.post("/events", event())
    deliver()
    receiver.answer = ok
    (message,) = receiver.received

    answer = editor.post(f"/webhooks/{one['id']}/deliveries/{message.id}/again")
    deliver()

    assert answer.status_code == 202
    assert [each.id for each in receiver.received] == [message.id, message.id]
    row = WebhookDelivery.objects.get()
    assert (row.state, row.attempts) == (State.DELIVERED, 2)


def test_nothing_is_sent_again_to_a_webhook_that_is_disabled(editor, one):
    (row,) = made(one, state=State.FAILED)
    editor.patch(f"/webhooks/{one['id']}", {"status": "disabled"})

    answer = editor.post(f"/webhooks/{one['id']}/deliveries/{row.message_id}/again")

    assert refusal(answer) == (409, "rest_conflict")
    row.refresh_from_db()
    assert row.state == State.FAILED


def test_a_neighbour_meets_no_message(editor, stranger, other_key, subscribe, one):
    (row,) = made(one, state=State.FAILED)

    for neighbour in (stranger, other_key):
        own = subscribe(HOOK, by=neighbour)
        there = f"/webhooks/{one['id']}/deliveries"
        mixed = f"/webhooks/{own['id']}/deliveries/{row.message_id}/again"
        for response in (
            neighbour.get(there),
            neighbour.post(f"{there}/{row.message_id}/again"),
            neighbour.post(mixed),
        ):
            assert refusal(response) == (404, "rest-webhook-not-found")
        assert page(neighbour, own) == ([], False)
        assert page(neighbour, own, f"?before={row.message_id}") == ([], False)
    row.refresh_from_db()
    assert row.state == State.FAILED


def test_messages_are_for_who_looks_after_webhooks(editor, author, anonymous, one):
    (row,) = made(one, state=State.FAILED)
    path = f"/webhooks/{one['id']}/deliveries"

    for caller, status in ((author, 403), (anonymous, 401)):
        assert caller.get(path).status_code == status
        assert caller.post(f"{path}/{row.message_id}/again").status_code == status


def test_each_attempt_is_kept_with_its_answer(editor, receiver, subscribe, deliver):
    subscribe(receiver.url)
    editor.post("/events", event())
    with time_machine.travel(timezone.now(), tick=False) as clock:
        receiver.answer = answering(500, body=b"Out of order")
        deliver()
        clock.shift(timedelta(seconds=6))
        receiver.answer = ok
        deliver()

    first, second = WebhookAttempt.objects.order_by("pk")
    assert (first.answer_status, first.answer) == (500, "Out of order")
    assert (second.answer_status, second.answer, second.error) == (204, "", "")
    assert second.at - first.at == timedelta(seconds=6)
    assert first.delivery == second.delivery == WebhookDelivery.objects.get()
    assert {first.url, second.url} == {receiver.url}


def test_of_very_many_attempts_the_last_ones_are_kept(one, monkeypatch):
    monkeypatch.setattr(turns, "KEPT_ATTEMPTS", 3)
    (row,), others = made(one), made(one, 2)
    for other in others:
        WebhookAttempt.objects.create(
            delivery=other, at=timezone.now(), url=HOOK, milliseconds=1
        )
    for number in range(5):
        now = timezone.now()
        (turn,) = turns.take(now, under_way=[], at_most=1, failing=1, per_key=1)
        assert turn.delivery == row.pk
        turns.give_back(turn, Answer(milliseconds=number, status=500), now=now)
        WebhookDelivery.objects.filter(pk=row.pk).update(next_attempt_at=now)

    kept = WebhookAttempt.objects.filter(delivery=row).order_by("pk")
    assert [attempt.milliseconds for attempt in kept] == [2, 3, 4]
    assert WebhookAttempt.objects.count() == 5


def test_messages_and_attempts_are_kept_for_days_after_the_last_attempt(one):
    now = timezone.now()
    old, young = now - timedelta(days=8), now - timedelta(days=6)
    (late,) = made(one, state=State.DELIVERED, created_at=old, attempted_at=young)
    (waiting,) = made(one, created_at=old, attempted_at=old)
    made(one, state=State.DELIVERED, created_at=old, attempted_at=old)
    for at in (old, young):
        for row in (late, waiting):
            row.history.create(at=at, url=HOOK, milliseconds=1)

    for rows in deliveries.purgeable(now):
        rows.delete()

    assert set(WebhookDelivery.objects.all()) == {late, waiting}
    assert set(WebhookAttempt.objects.values_list("at", flat=True)) == {young}
