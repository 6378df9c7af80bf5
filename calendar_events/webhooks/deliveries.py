"""Messages that were made: read, sent again, tried with a test, and forgotten."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from calendar_events.conf import conf
from calendar_events.models import WebhookAttempt, WebhookDelivery, WebhookSubscription
from calendar_events.models.webhooks import TEST_TYPE
from calendar_events.permissions import Actor
from calendar_events.webhooks import messages
from calendar_events.webhooks.subscriptions import require

State = WebhookDelivery.State


class SubscriptionDisabled(Exception):
    """The subscription is told of nothing until it is active again."""


def newest(
    subscription: WebhookSubscription, *, state: str, before: str, at_most: int
) -> list[WebhookDelivery]:
    """Return messages, the newest first; those older than ``before`` where it is named.

    ``state``: only those in it; empty for all.
    """
    rows = WebhookDelivery.objects.filter(subscription=subscription)
    if before:
        rows = rows.filter(pk__lt=rows.filter(message_id=before).values("pk"))
    if state:
        rows = rows.filter(state=state)
    return list(rows.order_by("-pk")[:at_most])


def send_test(
    subscription: WebhookSubscription, *, actor: Actor, now: datetime
) -> WebhookDelivery:
    """Have a message sent that only shows that messages arrive, once.

    Raises ``NotAllowed`` and ``SubscriptionDisabled``.
    """
    require(actor, "change")
    if not subscription.is_active:
        raise SubscriptionDisabled
    return queue_test(subscription, now=now)


def queue_test(subscription: WebhookSubscription, *, now: datetime) -> WebhookDelivery:
    """Return the test that waits to be sent; one at a time is enough."""
    waiting = WebhookDelivery.objects.pending().filter(
        subscription=subscription, type=TEST_TYPE
    )
    delivery = waiting.first()
    if delivery is None:
        delivery = messages.test(subscription, now=now)
        delivery.save(force_insert=True)
    return delivery


def send_one_again(
    subscription: WebhookSubscription, message_id: str, *, actor: Actor, now: datetime
) -> WebhookDelivery:
    """Have a message sent once more, unless it is about to be sent anyhow.

    Raises ``NotAllowed``, ``SubscriptionDisabled`` and ``DoesNotExist``.
    """
    require(actor, "change")
    if not subscription.is_active:
        raise SubscriptionDisabled
    rows = WebhookDelivery.objects.filter(subscription=subscription)
    delivery = rows.get(message_id=message_id)
    send_again(rows.filter(pk=delivery.pk), now=now)
    return delivery


def send_again(deliveries: QuerySet[WebhookDelivery], *, now: datetime) -> int:
    """Have messages sent once more, or at once if a pause keeps them; return how many."""
    paused = deliveries.filter(state=State.PENDING, next_attempt_at__gt=now)
    count = paused.update(next_attempt_at=now)
    return count + deliveries.exclude(state=State.PENDING).update(
        state=State.PENDING, attempts=0, next_attempt_at=now
    )


def purgeable(now: datetime, **_kwargs: Any) -> list[QuerySet[Any]]:
    """Return attempts and messages that are done with and old (``clear_expired``)."""
    until = now - timedelta(conf.webhook_days)
    done = WebhookDelivery.objects.exclude(state=State.PENDING)
    unsent = Q(attempted_at=None) | Q(attempted_at__lt=until)
    return [
        WebhookAttempt.objects.filter(at__lt=until),
        done.filter(unsent, created_at__lt=until),
    ]
