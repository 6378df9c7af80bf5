"""Webhooks in the admin: requests and answers, tests, sending again, and no secret."""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.urls import reverse
from django.utils import timezone
from standardwebhooks import Webhook

from calendar_events.models import WebhookDelivery, WebhookSubscription
from calendar_events.tests.callers import key_for
from calendar_events.tests.factories import (
    CategoryFactory,
    TagFactory,
    UserFactory,
    WebhookDeliveryFactory,
    WebhookSubscriptionFactory,
)
from calendar_events.webhooks import signing

pytestmark = pytest.mark.django_db

SUBSCRIPTIONS = reverse("admin:calendar_events_webhooksubscription_changelist")
DELIVERIES = reverse("admin:calendar_events_webhookdelivery_changelist")


@pytest.fixture
def administrator(client):
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    return client


def editor_of(registry_id):
    """Return an editor whom the project keeps to an institution."""
    institutions = get_user_model()._meta.get_field("institution").related_model
    person = UserFactory(roles=["editor"], is_staff=True)
    person.institution = institutions.objects.create(registry_id=registry_id, name="Ours")
    person.save()
    return person


def act(client, page, action, *rows):
    fields = {"action": action, "_selected_action": [row.pk for row in rows]}
    return client.post(page, fields, follow=True)


def page_of(row):
    return reverse(f"admin:calendar_events_{row._meta.model_name}_change", args=[row.pk])


def test_no_page_shows_a_secret(administrator):
    row = WebhookSubscriptionFactory(
        encrypted_secret="gAAAA-current", encrypted_previous_secret="gAAAA-previous"
    )

    for page in (SUBSCRIPTIONS, page_of(row)):
        content = administrator.get(page).content.decode()
        assert row.url in content
        assert "gAAAA" not in content


def test_a_message_is_shown_with_its_request_and_the_answer(administrator):
    row = WebhookDeliveryFactory(state="failed")
    for status in (500, 502):
        row.history.create(
            at=timezone.now(),
            url="https://receiver.example/before",
            milliseconds=42,
            answer_status=status,
            answer="<b>Out of order</b>",
        )

    content = administrator.get(page_of(row)).content.decode()

    assert "&quot;type&quot;: &quot;event.created&quot;" in content
    assert "&lt;b&gt;Out of order&lt;/b&gt;" in content
    assert content.count("https://receiver.example/before") >= 2
    assert all(text in content for text in ("42", "500", "502"))
    assert 'name="_save"' not in content


def test_a_message_is_sent_again(administrator):
    done = WebhookDeliveryFactory(state="delivered", attempts=3, next_attempt_at=None)
    waiting = WebhookDeliveryFactory(attempts=2)
    later = timezone.now() + timedelta(hours=14)
    paused = WebhookDeliveryFactory(attempts=2, next_attempt_at=later)

    answer = act(administrator, DELIVERIES, "send_again", done, waiting, paused)

    assert "Messages that will be sent again: 2." in answer.content.decode()
    done.refresh_from_db()
    waiting.refresh_from_db()
    paused.refresh_from_db()
    assert paused.attempts == 2
    assert paused.next_attempt_at <= timezone.now()
    assert (done.state, done.attempts) == ("pending", 0)
    assert done.next_attempt_at is not None
    assert waiting.attempts == 2


def test_a_test_is_queued_for_what_is_active(administrator):
    active = WebhookSubscriptionFactory()
    disabled = WebhookSubscriptionFactory(status="disabled", disabled_reason="failing")

    answer = act(administrator, SUBSCRIPTIONS, "send_test", active, disabled)

    assert "Tests that will be sent: 1." in answer.content.decode()
    delivery = WebhookDelivery.objects.get()
    assert (delivery.subscription, delivery.type) == (active, "webhook.test")


def test_a_subscription_is_disabled_and_made_active(administrator):
    row = WebhookSubscriptionFactory()

    act(administrator, SUBSCRIPTIONS, "disable", row)
    disabled = WebhookSubscription.objects.get()
    act(administrator, SUBSCRIPTIONS, "enable", row)
    active = WebhookSubscription.objects.get()

    assert (disabled.status, disabled.disabled_reason) == ("disabled", "asked")
    assert (active.status, active.disabled_reason) == ("active", "")
    assert LogEntry.objects.filter(object_id=str(row.pk)).count() == 2


def test_a_subscription_is_deleted_with_its_messages(administrator):
    row = WebhookDeliveryFactory().subscription
    page = reverse("admin:calendar_events_webhooksubscription_delete", args=[row.pk])

    administrator.post(page, {"post": "yes"})

    assert not WebhookSubscription.objects.exists()
    assert not WebhookDelivery.objects.exists()


@pytest.mark.parametrize("count", [1, 8])
def test_the_lists_take_as_many_statements_however_many_rows(
    administrator, count, django_assert_max_num_queries
):
    WebhookDeliveryFactory.create_batch(count)

    for page in (SUBSCRIPTIONS, DELIVERIES):
        administrator.get(page)
        with django_assert_max_num_queries(10):
            administrator.get(page)


def test_staff_of_an_institution_meet_their_own(client):
    own = WebhookDeliveryFactory(subscription__institution="1001")
    theirs = WebhookDeliveryFactory(subscription__institution="1002")
    client.force_login(editor_of("1001"))

    listed = client.get(DELIVERIES).content.decode()
    act(client, DELIVERIES, "send_again", own, theirs)

    assert own.message_id in listed
    assert theirs.message_id not in listed
    assert client.get(page_of(theirs)).status_code in {302, 403, 404}
    assert client.get(page_of(theirs.subscription)).status_code in {302, 403, 404}


ADD = reverse("admin:calendar_events_webhooksubscription_add")
NEW = {
    "client_id": "key-1001",
    "institution": "1001",
    "url": "https://receiver.example/hook",
    "types": ["event.created", "venue.deleted"],
    "statuses": ["publish"],
}


def test_a_key_is_subscribed_and_its_secret_shown_once(administrator):
    key_for("1001")

    answer = administrator.post(ADD, NEW)

    row = WebhookSubscription.objects.get()
    (secret,) = re.findall(r"whsec_[^&\"]+", answer.content.decode())
    assert "no-store" in answer["Cache-Control"]
    assert (row.client_id, row.institution, row.url) == (
        *("key-1001", "1001"),
        "https://receiver.example/hook",
    )
    assert row.types == ["event.created", "venue.deleted"]
    assert secret not in administrator.get(page_of(row)).content.decode()
    assert secret not in str(LogEntry.objects.values())
    sent = signing.headers(row, message_id="msg_1", payload="{}", now=timezone.now())
    assert Webhook(secret).verify("{}", sent) == {}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"client_id": "unknown"}, "client_id"),
        ({"institution": "1002"}, "client_id"),
        ({"url": "https://127.0.0.1/"}, "url"),
        ({"url": "http://receiver.example/"}, "url"),
        ({"url": "nonsense"}, "url"),
        ({"url": ""}, "url"),
        ({"types": []}, "types"),
        ({"types": ["event.moved"]}, "types"),
        ({"statuses": ["trash"]}, "statuses"),
    ],
)
def test_what_the_interface_would_refuse_is_refused(administrator, change, field):
    key_for("1001")

    answer = administrator.post(ADD, {**NEW, **change})

    assert list(answer.context["adminform"].form.errors) == [field]
    assert not WebhookSubscription.objects.exists()


def test_a_key_that_has_enough_gets_no_more(administrator, settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "WEBHOOKS_PER_KEY": 1}
    key_for("1001")
    WebhookSubscriptionFactory()

    answer = administrator.post(ADD, NEW)

    assert list(answer.context["adminform"].form.errors) == ["client_id"]


def test_staff_of_an_institution_subscribe_for_theirs_alone(client):
    key_for("1001", "1002")
    client.force_login(editor_of("1001"))

    theirs = client.post(ADD, {**NEW, "client_id": "key-1001-1002", "institution": "1002"})
    assert list(theirs.context["adminform"].form.errors) == ["institution"]

    client.post(ADD, {**NEW, "client_id": "key-1001-1002"})
    assert WebhookSubscription.objects.get().institution == "1001"


def test_only_categories_of_the_calendar_can_be_a_filter(administrator):
    key_for("1001")
    category, tag = CategoryFactory(), TagFactory()

    refused = administrator.post(ADD, {**NEW, "categories": [tag.pk]})
    assert list(refused.context["adminform"].form.errors) == ["categories"]

    administrator.post(ADD, {**NEW, "categories": [category.pk]})
    assert WebhookSubscription.objects.get().categories == [category.pk]


def test_staff_of_an_institution_see_the_attempts_of_its_messages_alone(client):
    client.force_login(editor_of("1001"))
    own = WebhookDeliveryFactory()
    other = WebhookDeliveryFactory(subscription__institution="1002")
    for row in (own, other):
        row.history.create(at=timezone.now(), url="https://sent.example/", milliseconds=1)

    assert "https://sent.example/" in client.get(page_of(own)).content.decode()
    refused = client.get(page_of(other), follow=True)
    assert "https://sent.example/" not in refused.content.decode()
