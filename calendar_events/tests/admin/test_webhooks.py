"""Webhooks in the admin: requests and answers, tests, sending again, and no secret."""

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from calendar_events.models import WebhookDelivery, WebhookSubscription
from calendar_events.tests.factories import (
    UserFactory,
    WebhookDeliveryFactory,
    WebhookSubscriptionFactory,
)

pytestmark = pytest.mark.django_db

SUBSCRIPTIONS = reverse("admin:calendar_events_webhooksubscription_changelist")
DELIVERIES = reverse("admin:calendar_events_webhookdelivery_changelist")


@pytest.fixture
def administrator(client):
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    return client


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
    row = WebhookDeliveryFactory(
        state="failed", answer_status=500, answer="<b>Out of order</b>", milliseconds=42
    )

    content = administrator.get(page_of(row)).content.decode()

    assert "&quot;type&quot;: &quot;event.created&quot;" in content
    assert "&lt;b&gt;Out of order&lt;/b&gt;" in content
    assert "42" in content
    assert 'name="_save"' not in content


def test_a_message_is_sent_again(administrator):
    done = WebhookDeliveryFactory(state="delivered", attempts=3, next_attempt_at=None)
    waiting = WebhookDeliveryFactory(attempts=2)

    answer = act(administrator, DELIVERIES, "send_again", done, waiting)

    assert "Messages that will be sent again: 1." in answer.content.decode()
    done.refresh_from_db()
    waiting.refresh_from_db()
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
    from django.contrib.auth.models import Group  # noqa: PLC0415 -- one use

    own = WebhookDeliveryFactory(subscription__institution="1001")
    theirs = WebhookDeliveryFactory(subscription__institution="1002")
    person = UserFactory(roles=["editor"], is_staff=True)
    institution = pytest.importorskip("authserver.models").Institution
    person.institution = institution.objects.create(registry_id="1001", name="Ours")
    person.save()
    assert Group.objects.filter(user=person).exists()
    client.force_login(person)

    listed = client.get(DELIVERIES).content.decode()
    act(client, DELIVERIES, "send_again", own, theirs)

    assert own.message_id in listed
    assert theirs.message_id not in listed
    assert client.get(page_of(theirs)).status_code in {302, 403, 404}
    assert client.get(page_of(theirs.subscription)).status_code in {302, 403, 404}
