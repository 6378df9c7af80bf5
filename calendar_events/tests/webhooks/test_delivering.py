"""Messages on their way: signed, in order, again after a failure, in the end given up."""

import threading
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from calendar_events.models import WebhookDelivery, WebhookSubscription
from calendar_events.signals import webhook_disabled
from calendar_events.tests.bodies import event
from calendar_events.tests.callers import key_for
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.receiving import answering, ok, receiving
from calendar_events.tests.settling import settle
from calendar_events.webhooks import deliveries, sending, subscriptions, turns
from calendar_events.webhooks.messenger import Messenger
from platform_errors.keys import SecretUnreadable
from platform_errors.tests.store import MemoryKeyStore

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

State = WebhookDelivery.State
PATIENCE_SECONDS = 240


@pytest.fixture
def clock():
    """The clock, which a test may move on; messages are verified by the real one."""
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield traveller


@pytest.fixture
def disabled():
    """What was announced as disabled."""
    heard = []

    def hear(subscription, reason, **_kwargs):
        heard.append((subscription, reason))

    webhook_disabled.connect(hear)
    yield heard
    webhook_disabled.disconnect(hear)


def post_event(editor, **changes):
    return editor.post("/events", event(**changes)).json()["id"]


def test_a_message_is_verified_by_the_package_and_no_other_secret_verifies_it(
    editor, receiver, subscribe, deliver
):
    one = subscribe(receiver.url)
    another = subscribe("https://receiver.example/other")
    post_event(editor)
    WebhookSubscription.objects.filter(pk=another["id"]).delete()

    deliver()

    (message,) = receiver.received
    assert message.verified(one["secret"])["type"] == "event.created"
    with pytest.raises(Exception, match="No matching signature found"):
        message.verified(another["secret"])


def test_after_a_rotation_both_secrets_verify_until_the_overlap_ends(
    editor, receiver, subscribe, deliver
):
    one = subscribe(receiver.url)
    post_event(editor)
    new = editor.post(f"/webhooks/{one['id']}/rotate").json()["secret"]

    deliver()

    (message,) = receiver.received
    assert message.verified(one["secret"]) == message.verified(new)
    rows = WebhookSubscription.objects.filter(pk=one["id"])
    rows.update(previous_secret_until=timezone.now())
    post_event(editor)
    deliver()
    later = receiver.received[1]
    assert later.verified(new)
    with pytest.raises(Exception, match="No matching signature found"):
        later.verified(one["secret"])


def test_a_failure_is_tried_again_under_the_same_identifier(
    editor, receiver, subscribe, deliver, clock
):
    subscribe(receiver.url)
    post_event(editor)
    receiver.answer = answering(500, body=b"Out of order")
    deliver()
    row = WebhookDelivery.objects.get()
    assert (row.state, row.attempts, row.answer_status) == (State.PENDING, 1, 500)
    assert row.answer == "Out of order"
    assert row.milliseconds is not None

    receiver.answer = ok
    deliver()
    assert len(receiver.received) == 1  # it is not its time yet
    clock.shift(timedelta(seconds=6))
    deliver()

    first, second = receiver.received
    assert (first.id, first.body) == (second.id, second.body)
    row.refresh_from_db()
    assert (row.state, row.attempts, row.answer_status) == (State.DELIVERED, 2, 204)


def test_the_pauses_are_those_of_standard_webhooks_and_a_little_more(
    editor, receiver, subscribe, deliver, clock
):
    receiver.answer = answering(503)
    subscribe(receiver.url)
    post_event(editor)
    pauses = []
    for _ in range(9):
        deliver()
        row = WebhookDelivery.objects.get()
        pauses.append((row.next_attempt_at - row.attempted_at).total_seconds())
        WebhookSubscription.objects.update(failing_since=None)
        clock.move_to(row.next_attempt_at)

    expected = [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]
    assert all(
        wanted <= pause <= wanted * 1.1
        for wanted, pause in zip(expected, pauses, strict=True)
    )
    assert sum(pauses) >= 3 * 86400
    deliver()
    row.refresh_from_db()
    assert (row.state, row.attempts, row.next_attempt_at) == (State.FAILED, 10, None)


def test_a_receiver_that_fails_for_three_days_is_disabled_and_harms_no_other(
    editor, receiver, subscribe, deliver, clock, disabled
):
    with receiving(answering(500)) as broken:
        bad, good = subscribe(broken.url), subscribe(receiver.url)
        days = 0
        while WebhookSubscription.objects.get(pk=bad["id"]).is_active:
            EventFactory()
            deliver()
            clock.shift(timedelta(hours=12))
            days += 0.5
            assert days < 5

    assert days >= 3
    assert len(receiver.received) == days * 2
    assert disabled == [(bad["id"], "failing")]
    assert WebhookSubscription.objects.get(pk=bad["id"]).disabled_reason == "failing"
    assert WebhookSubscription.objects.get(pk=good["id"]).is_active


def test_one_that_was_disabled_gets_what_it_missed_when_it_is_active_again(
    editor, receiver, subscribe, deliver, clock
):
    one = subscribe(receiver.url)
    receiver.answer = answering(500)
    ids = [post_event(editor)]
    deliver()
    rows = WebhookSubscription.objects.filter(pk=one["id"])
    subscriptions.disable(rows, WebhookSubscription.Reason.FAILING)
    ids.append(post_event(editor))
    receiver.answer, receiver.received[:] = ok, []
    deliver()
    assert receiver.received == []

    editor.patch(f"/webhooks/{one['id']}", {"status": "active"})
    deliver()

    messages = WebhookDelivery.objects.filter(state=State.DELIVERED).order_by("pk")
    assert [row.record for row in messages] == ids
    assert len(receiver.received) == 2


def test_a_receiver_that_is_gone_is_disabled_at_once(
    editor, receiver, subscribe, deliver, disabled
):
    receiver.answer = answering(410)
    one = subscribe(receiver.url)
    post_event(editor)
    post_event(editor)

    deliver()

    assert len(receiver.received) == 1
    assert disabled == [(one["id"], "gone")]
    assert editor.get(f"/webhooks/{one['id']}").json()["disabled_reason"] == "gone"


def test_a_later_message_about_a_record_waits_and_those_about_others_do_not(
    editor, receiver, subscribe, deliver, clock
):
    subscribe(receiver.url)
    first = post_event(editor)
    failing = [f'"id":{first},'.encode()]

    def answer(handler, message):
        is_failing = any(each in message.body for each in failing)
        answering(500 if is_failing else 200)(handler, message)

    receiver.answer = answer
    editor.patch(f"/events/{first}", {"title": "Night"})
    other = post_event(editor)
    deliver()
    sent = [row.record for row in WebhookDelivery.objects.filter(state=State.DELIVERED)]
    assert sent == [other]
    assert len(receiver.received) == 2

    failing.clear()
    receiver.received.clear()
    clock.shift(timedelta(seconds=6))
    deliver()

    types = [WebhookDelivery.objects.get(message_id=m.id).type for m in receiver.received]
    assert types == ["event.created", "event.updated"]


def test_a_test_is_sent_once(editor, receiver, subscribe, deliver, clock):
    one = subscribe(receiver.url)
    answer = editor.post(f"/webhooks/{one['id']}/test")
    again = editor.post(f"/webhooks/{one['id']}/test")
    assert (answer.status_code, again.json()) == (202, answer.json())
    receiver.answer = answering(500)

    deliver()
    clock.shift(timedelta(days=1))
    deliver()

    (message,) = receiver.received
    assert message.id == answer.json()["message_id"]
    assert b'"type":"webhook.test"' in message.body
    assert WebhookDelivery.objects.get().state == State.FAILED
    assert WebhookSubscription.objects.get().failing_since is None


def test_a_test_of_a_disabled_subscription_is_refused(editor, subscribe):
    one = subscribe("https://receiver.example/")
    editor.patch(f"/webhooks/{one['id']}", {"status": "disabled"})

    assert editor.post(f"/webhooks/{one['id']}/test").status_code == 409
    assert not WebhookDelivery.objects.exists()


def test_a_message_is_sent_again_under_the_same_identifier(
    editor, receiver, subscribe, deliver
):
    subscribe(receiver.url)
    post_event(editor)
    deliver()

    assert deliveries.send_again(WebhookDelivery.objects.all(), now=timezone.now()) == 1
    deliver()

    first, second = receiver.received
    assert first.id == second.id


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "canceled"},
        {"expires_at": timezone.now() - timedelta(seconds=1)},
        {"institutions": frozenset({"1002"})},
        {"services": {}},
    ],
    ids=["canceled", "expired", "another institution", "no service"],
)
def test_nothing_is_sent_for_a_key_that_may_not_read_any_more(
    editor, receiver, subscribe, deliver, disabled, changes
):
    one = subscribe(receiver.url)
    post_event(editor)
    key = key_for("1001")
    fields = {name: getattr(key, name) for name in key.__dataclass_fields__}
    MemoryKeyStore.keys[key.client_id] = type(key)(**{**fields, **changes})

    deliver()

    assert receiver.received == []
    assert disabled == [(one["id"], "key")]


def test_two_messengers_send_each_message_once(editor, receiver, subscribe):
    subscribe(receiver.url)
    for _ in range(5):
        post_event(editor)
    both = [Messenger(), Messenger()]
    settle()

    while any([messenger.step() for messenger in both]):  # noqa: C419 -- both, each time
        for messenger in both:
            messenger.wait(0.1)
    for messenger in both:
        messenger.close()

    assert len(receiver.received) == len({message.id for message in receiver.received}) == 5


def test_a_message_whose_worker_died_is_sent_again_when_its_lease_ends(
    editor, receiver, subscribe, deliver, clock
):
    subscribe(receiver.url)
    post_event(editor)
    messenger = Messenger()
    settle()
    messenger._read_log()
    (lost,) = turns.take(timezone.now(), under_way=[], at_most=1, failing=1, per_key=1)
    assert lost.attempt == 1
    deliver()
    assert receiver.received == []

    clock.shift(timedelta(minutes=1))
    deliver()

    assert WebhookDelivery.objects.get().attempts == 2
    # One that comes back from the dead has no say any more.
    turns.give_back(lost, sending.Answer(milliseconds=1, status=500), now=timezone.now())
    assert WebhookDelivery.objects.get().state == State.DELIVERED
    messenger.close()


def test_a_secret_that_nobody_can_open_is_a_failure_and_no_end(
    editor, receiver, subscribe, deliver
):
    bad, good = subscribe(receiver.url), subscribe(receiver.url)
    rows = WebhookSubscription.objects.filter(pk=bad["id"])
    rows.update(encrypted_secret="gAAAAA")
    post_event(editor)

    deliver()

    (message,) = receiver.received
    assert message.verified(good["secret"])
    row = WebhookDelivery.objects.get(subscription=bad["id"])
    assert (row.state, row.error) == (State.PENDING, "no encryption key opens the secret")


def test_a_mistake_of_ours_while_sending_is_a_failure_and_no_end(
    editor, receiver, subscribe, deliver, settings, caplog
):
    subscribe(receiver.url)
    post_event(editor)
    settings.CALENDAR_EVENTS = {
        **settings.CALENDAR_EVENTS,
        "WEBHOOK_NETWORKS": ["nonsense"],
    }

    deliver()

    row = WebhookDelivery.objects.get()
    assert (row.state, row.error) == (State.PENDING, "the message could not be sent")
    assert "A webhook could not be sent" in caplog.text


@pytest.mark.parametrize("count", [1, 6])
def test_looking_for_work_costs_the_same_however_many_wait(
    editor, subscribe, count, django_assert_max_num_queries
):
    for _ in range(count):
        subscribe("https://receiver.example/")
    post_event(editor)
    messenger = Messenger()
    settle()
    messenger._read_log()

    with django_assert_max_num_queries(8):
        assert (
            len(turns.take(timezone.now(), under_way=[], at_most=1, failing=1, per_key=1))
            == 1
        )
    messenger.close()


def test_a_receiver_that_hangs_keeps_no_other_waiting(
    editor, receiver, subscribe, settings
):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "WEBHOOKS_AT_ONCE": 4}
    release = threading.Event()
    with receiving(lambda *_: release.wait(PATIENCE_SECONDS)) as hanging:
        for _ in range(6):
            subscribe(hanging.url)
        WebhookSubscription.objects.update(failing_since=timezone.now())
        subscribe(receiver.url)
        post_event(editor)
        messenger = Messenger()

        while not receiver.received:
            messenger.step()
            messenger.wait(0.1)

        assert len(hanging.received) <= 2  # half of what may be under way
        release.set()
        messenger.close()


def test_a_key_whose_secret_nobody_can_open_keeps_no_other_waiting(
    editor, stranger, receiver, subscribe, deliver, monkeypatch
):
    bad = subscribe("https://receiver.example/")
    good = subscribe(receiver.url, by=stranger)
    find = MemoryKeyStore.find_key

    def find_key(self, client_id, **options):
        if client_id == "key-1001":
            raise SecretUnreadable
        return find(self, client_id, **options)

    monkeypatch.setattr(MemoryKeyStore, "find_key", find_key)
    EventFactory()

    deliver()

    (message,) = receiver.received
    assert message.verified(good["secret"])
    assert WebhookSubscription.objects.get(pk=bad["id"]).is_active


def test_a_subscription_that_cannot_be_read_keeps_no_other_waiting(
    editor, receiver, subscribe, deliver, caplog
):
    bad, good = subscribe(receiver.url), subscribe(receiver.url)
    WebhookSubscription.objects.filter(pk=bad["id"]).update(types=[1])
    post_event(editor)

    deliver()

    (message,) = receiver.received
    assert message.verified(good["secret"])
    assert f"The changes of webhook {bad['id']} could not be read" in caplog.text


def test_without_subscriptions_a_look_is_one_statement(db, django_assert_num_queries):
    messenger = Messenger()

    with django_assert_num_queries(1):
        assert messenger.step() is False
    messenger.close()
