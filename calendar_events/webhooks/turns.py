"""Who is sent to next, and what an answer means for a message and its subscription.

A worker takes a subscription for as long as one attempt may last, so that a receiver has
one message at a time, whatever the number of processes. The lease of a worker that dies
ends, and the message is sent again: at least once, with the same identifier.
"""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F, QuerySet

from calendar_events.conf import conf
from calendar_events.models import WebhookDelivery, WebhookSubscription
from calendar_events.models.webhooks import TEST_TYPE
from calendar_events.signals import webhook_disabled
from calendar_events.webhooks import signing
from calendar_events.webhooks.audience import has_access
from calendar_events.webhooks.sending import Answer
from platform_errors.keys import SecretUnreadable

SCHEDULE: Final = tuple(
    timedelta(seconds=seconds)
    for seconds in (
        *(5, 5 * 60, 30 * 60),
        *(hours * 3600 for hours in (2, 5, 10, 14, 20, 24)),
    )
)
"""The pauses after failures that Standard Webhooks recommends: three days in all."""
JITTER: Final = 0.1
"""By so much, at most, a pause is longer."""
PATIENCE: Final = timedelta(days=3)
"""A receiver that fails for so long is disabled."""
LEASE_SLACK: Final = timedelta(seconds=30)
"""A lease outlives its attempt by so much; clocks of servers differ by less."""
State = WebhookDelivery.State
Reason = WebhookSubscription.Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message that this worker alone may send now."""

    subscription: int
    delivery: int
    leased_until: datetime
    attempt: int
    is_failing: bool
    """Whether the receiver failed last."""
    type: str
    url: str
    payload: str
    headers: dict[str, str]


def take(now: datetime, *, at_most: int, failing: int) -> list[Turn]:
    """Return so many messages to send at most, each to another subscription.

    ``failing``: no more than so many of them to receivers that failed last, so that however
    many hang they keep no others waiting.
    """
    if at_most <= 0:
        return []
    ready = WebhookSubscription.objects.active().idle(now).with_due(now)
    in_turn = ready.order_by(F("served_at").asc(nulls_first=True), "pk")
    chosen = list(in_turn.exclude(failing_since=None)[: max(0, failing)])
    chosen += in_turn.filter(failing_since=None)[: at_most - len(chosen)]
    turns = [_take_one(subscription, now) for subscription in chosen]
    return [turn for turn in turns if turn is not None]


def give_back(turn: Turn, answer: Answer, *, now: datetime) -> None:
    """Write what came of an attempt, and let others take the subscription."""
    with transaction.atomic():
        deliveries = WebhookDelivery.objects.filter(
            pk=turn.delivery, state=State.PENDING, attempts=turn.attempt
        )
        deliveries.update(
            milliseconds=answer.milliseconds,
            answer_status=answer.status,
            answer=answer.text,
            error=answer.error[:200],
            **_next(turn, answer, now),
        )
        subscriptions = WebhookSubscription.objects.filter(pk=turn.subscription)
        subscriptions.filter(leased_until=turn.leased_until).update(leased_until=None)
        if answer.is_success:
            subscriptions.update(failing_since=None, last_success_at=now)
        elif answer.is_gone:
            disable(subscriptions, Reason.GONE)
        elif turn.type != TEST_TYPE:
            subscriptions.filter(failing_since=None).update(failing_since=now)
            failing = subscriptions.filter(failing_since__lte=now - PATIENCE)
            disable(failing, Reason.FAILING)


def disable(subscriptions: QuerySet[WebhookSubscription], reason: Reason) -> None:
    """Disable those of them that are active, and send ``webhook_disabled`` of each."""
    for pk in subscriptions.active().values_list("pk", flat=True):  # type: ignore[attr-defined]
        rows = WebhookSubscription.objects.active().filter(pk=pk)
        if rows.update(
            status=WebhookSubscription.Status.DISABLED,
            disabled_reason=reason,
            leased_until=None,
        ):
            webhook_disabled.send(WebhookSubscription, subscription=pk, reason=reason.value)


def _take_one(subscription: WebhookSubscription, now: datetime) -> Turn | None:
    """Lease a subscription and begin its next message; ``None`` if others were faster."""
    until = now + timedelta(seconds=conf.webhook_seconds) + LEASE_SLACK
    rows = WebhookSubscription.objects.active().filter(pk=subscription.pk)
    if not rows.idle(now).update(leased_until=until, served_at=now):
        return None
    try:
        is_key_valid = has_access(subscription, now)
    except SecretUnreadable:  # what the key may do is not known; ask when the lease ends
        return None
    if not is_key_valid:
        with transaction.atomic():
            disable(rows, Reason.KEY)
        return None
    due = WebhookDelivery.objects.due(now).filter(subscription=subscription)
    delivery = due.order_by("pk").first()
    if delivery is None:
        rows.filter(leased_until=until).update(leased_until=None)
        return None
    # Counted before it is sent: a worker that dies in the middle has made an attempt.
    attempt = delivery.attempts + 1
    mine = WebhookDelivery.objects.filter(pk=delivery.pk, attempts=delivery.attempts)
    mine.update(attempts=attempt, attempted_at=now)
    return Turn(
        subscription=subscription.pk,
        delivery=delivery.pk,
        leased_until=until,
        attempt=attempt,
        is_failing=subscription.failing_since is not None,
        type=delivery.type,
        url=subscription.url,
        payload=delivery.payload,
        headers=_headers(subscription, delivery, now),
    )


def _headers(
    subscription: WebhookSubscription, delivery: WebhookDelivery, now: datetime
) -> dict[str, str]:
    """Return the signed headers; none where no encryption key opens the secret."""
    try:
        return signing.headers(
            subscription,
            message_id=delivery.message_id,
            payload=delivery.payload,
            now=now,
        )
    except SecretUnreadable:
        return {}


def _next(turn: Turn, answer: Answer, now: datetime) -> dict[str, Any]:
    """Return the columns that say whether, and when, a message is sent again."""
    if answer.is_success:
        return {"state": State.DELIVERED, "next_attempt_at": None}
    is_last = turn.type == TEST_TYPE or turn.attempt > len(SCHEDULE)
    if is_last or answer.is_gone:
        return {"state": State.FAILED, "next_attempt_at": None}
    pause = SCHEDULE[turn.attempt - 1]
    longer = random.uniform(0, JITTER)  # noqa: S311 -- only so that they part
    return {"next_attempt_at": now + pause * (1 + longer)}
