"""Webhooks as processes send them: killed in the middle, told to stop, or embedded."""

import signal
import threading
import time
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from authserver import checks, retention
from authserver.keys import reencryption
from authserver.models import Institution, Service
from authserver.tests import factories
from calendar_events.models import WebhookDelivery, WebhookSubscription
from calendar_events.tests import factories as calendar
from calendar_events.tests.receiving import ok, receiving
from calendar_events.webhooks import messages, signing, subscriptions
from config.background.webhooks import WebhookLoop
from config.background.worker import Worker
from config.tests import prepared, servers
from config.tests.background.test_processes import database_of, db_worker
from config.tests.waiting import PATIENCE_SECONDS, eventually

LOOPBACK = {
    "TASK_POLL_SECONDS": "0.1",
    "WEBHOOK_NETWORKS": "127.0.0.0/8",
    "WEBHOOK_HTTP": "1",
    "WEBHOOK_SECONDS": "30",
}


@pytest.fixture
def environment(tmp_path):
    with servers.database(tmp_path, prepared.migrated()) as url:
        yield prepared.server_environment(tmp_path, url, **LOOPBACK)


def subscription_to(url):
    """Return a subscription of a key that may read, and the secret."""
    secret = signing.new_secret()
    key = factories.ServiceKeyFactory(contact_email="contact@receiver.example")
    # The demonstration has both already.
    institution = Institution.objects.filter(
        registry_id="1001"
    ).first() or factories.InstitutionFactory(registry_id="1001")
    service = Service.objects.filter(
        code="calendar_events"
    ).first() or factories.ServiceFactory(code="calendar_events")
    factories.KeyServiceFactory(key=key, service=service)
    factories.KeyInstitutionFactory(key=key, institution=institution)
    row = calendar.WebhookSubscriptionFactory(
        url=url, client_id=key.client_id, encrypted_secret=signing.encrypt(secret)
    )
    return row, secret


def delivered(environment):
    with database_of(environment):
        rows = WebhookDelivery.objects.filter(state=WebhookDelivery.State.DELIVERED)
        return [(row.message_id, row.attempts) for row in rows]


@pytest.mark.processes
def test_a_message_whose_worker_is_killed_is_sent_again_by_the_next(environment):
    hold = threading.Event()
    with receiving(lambda *_: hold.wait(PATIENCE_SECONDS)) as receiver:
        with database_of(environment):
            row, secret = subscription_to(receiver.url)
            messages.test(row, now=timezone.now()).save()
        with db_worker(environment):
            eventually(lambda: receiver.received)
        # It is killed now, and its lease would end in a minute.
        with database_of(environment):
            WebhookSubscription.objects.update(leased_until=timezone.now())
        receiver.answer = ok
        hold.set()
        with db_worker(environment):
            eventually(lambda: delivered(environment))

    first, second = receiver.received
    assert first.id == second.id
    assert second.verified(secret)["type"] == "webhook.test"
    assert delivered(environment) == [(first.id, 2)]


@pytest.mark.processes
def test_a_worker_that_is_told_to_stop_waits_for_the_answer(environment):
    hold = threading.Event()

    def answer(handler, received):
        hold.wait(PATIENCE_SECONDS)
        ok(handler, received)

    with receiving(answer) as receiver:
        with database_of(environment):
            row, _ = subscription_to(receiver.url)
            messages.test(row, now=timezone.now()).save()
        with db_worker(environment) as process:
            eventually(lambda: receiver.received)
            process.send_signal(signal.SIGTERM)
            hold.set()
            assert process.wait(PATIENCE_SECONDS) == 0

    assert delivered(environment) == [(receiver.received[0].id, 1)]


@pytest.mark.processes
def test_two_workers_send_each_message_once_and_in_order_per_record(environment):
    under_way, overlaps, lock = set(), [], threading.Lock()

    def answer(handler, received):
        with lock:
            overlaps.extend(under_way & {received.path})
            under_way.add(received.path)
        time.sleep(0.01)  # long enough for the other worker to come in between
        with lock:
            under_way.discard(received.path)
        ok(handler, received)

    with receiving(answer) as receiver:
        with database_of(environment):
            for name in ("a", "b"):
                row, _ = subscription_to(f"{receiver.url}/{name}")
                for record in (1, 2, 3) * 10:
                    calendar.WebhookDeliveryFactory(subscription=row, record=record)
        with db_worker(environment), db_worker(environment):
            eventually(lambda: len(delivered(environment)) == 60)

    ids = [message.id for message in receiver.received]
    assert overlaps == []
    assert len(ids) == len(set(ids)) == 60
    assert {attempts for _, attempts in delivered(environment)} == {1}
    with database_of(environment):
        rows = {row.message_id: row for row in WebhookDelivery.objects.all()}
    orders = {}
    for each in ids:
        row = rows[each]
        orders.setdefault((row.subscription_id, row.record), []).append(row.pk)
    assert all(order == sorted(order) for order in orders.values())


@pytest.mark.processes
def test_a_server_sends_what_is_written_through_it(tmp_path):
    with (
        receiving() as receiver,
        servers.demo_server(tmp_path, EMBEDDED_WORKER="1", **LOOPBACK) as server,
    ):
        with database_of(server.environment):
            subscription_to(receiver.url)
            calendar.EventFactory()

        eventually(lambda: receiver.received)
        eventually(lambda: delivered(server.environment))

    assert b'"type":"event.created"' in receiver.received[0].body


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_contact_of_the_key_is_told_once_when_a_webhook_is_disabled():
    row, _ = subscription_to("https://receiver.example/hook")
    rows = WebhookSubscription.objects.filter(pk=row.pk)

    subscriptions.disable(rows, WebhookSubscription.Reason.FAILING)
    subscriptions.disable(rows, WebhookSubscription.Reason.GONE)
    Worker().run_once()

    (message,) = mail.outbox
    assert message.to == ["contact@receiver.example"]
    assert "https://receiver.example/hook" in message.body
    assert "The receiver failed for three days" in message.body
    assert f"/webhooksubscription/{row.pk}/change/" in message.body


@pytest.mark.django_db
@pytest.mark.parametrize("case", ["no contact", "active again", "deleted"])
def test_nobody_is_told_where_there_is_nothing_to_tell(case):
    row, _ = subscription_to("https://receiver.example/hook")
    rows = WebhookSubscription.objects.filter(pk=row.pk)
    subscriptions.disable(rows, WebhookSubscription.Reason.FAILING)
    if case == "no contact":
        rows.update(client_id="unknown")
    elif case == "active again":
        rows.update(status=WebhookSubscription.Status.ACTIVE, disabled_reason="")
    else:
        rows.delete()

    Worker().run_once()

    assert mail.outbox == []


@pytest.mark.django_db
def test_messages_that_are_done_with_are_forgotten_after_some_days():
    old = timezone.now() - timedelta(days=8)
    states = WebhookDelivery.State
    kept = [
        calendar.WebhookDeliveryFactory(created_at=old),
        calendar.WebhookDeliveryFactory(state=states.DELIVERED),
    ]
    for state in (states.DELIVERED, states.FAILED):
        calendar.WebhookDeliveryFactory(created_at=old, state=state)

    retention.clear(timezone.now())

    assert list(WebhookDelivery.objects.order_by("pk")) == kept


@pytest.mark.django_db
def test_the_secrets_move_to_a_new_encryption_key(settings):
    row, secret = subscription_to("https://receiver.example/hook")
    new = "bmV3LXRlc3Qtb25seS1rZXktb2YtMzItYnl0ZXMhISE="
    keys = [new, *settings.AUTHSERVER["ENCRYPTION_KEYS"]]
    settings.AUTHSERVER = {**settings.AUTHSERVER, "ENCRYPTION_KEYS": keys}

    assert WebhookSubscription in reencryption.MODELS
    assert reencryption.reencrypt(WebhookSubscription) == (1, 1)

    settings.AUTHSERVER = {**settings.AUTHSERVER, "ENCRYPTION_KEYS": [new]}
    row.refresh_from_db()
    sent = signing.headers(row, message_id="msg_1", payload="{}", now=timezone.now())
    assert sent["webhook-signature"].startswith("v1,")
    assert secret


@pytest.mark.django_db
def test_a_secret_that_no_encryption_key_opens_stops_the_start(settings):
    row, _ = subscription_to("https://receiver.example/hook")
    other = "bmV3LXRlc3Qtb25seS1rZXktb2YtMzItYnl0ZXMhISE="
    settings.AUTHSERVER = {**settings.AUTHSERVER, "ENCRYPTION_KEYS": [other]}

    found = checks.check_stored_secrets(databases=["default"])

    assert ["authserver.E010"] * len(found) == [each.id for each in found]
    assert f"of webhook subscription {row.pk}." in found[-1].msg


@pytest.mark.django_db
def test_without_encryption_the_loop_does_nothing(settings):
    row = calendar.WebhookSubscriptionFactory()
    messages.test(row, now=timezone.now()).save()
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "ENCRYPTION": ""}

    WebhookLoop().run_once()

    assert WebhookDelivery.objects.get().attempts == 0
