"""Who is sent to next, and what an answer means for a message and its subscription.

A worker takes a subscription for as long as one attempt may last, so that a receiver has
one message at a time, whatever the number of processes. The lease of a worker that dies
ends, and the message is sent again: at least once, with the same identifier.
"""

import random
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Q, QuerySet, Subquery, Window
from django.db.models.functions import RowNumber

from calendar_events.conf import conf
from calendar_events.models import WebhookAttempt, WebhookDelivery, WebhookSubscription
from calendar_events.models.webhooks import TEST_TYPE
from calendar_events.webhooks import signing
from calendar_events.webhooks.audience import has_access
from calendar_events.webhooks.sending import Answer
from calendar_events.webhooks.subscriptions import disable
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
KEPT_ATTEMPTS: Final = 20
"""So many attempts of a message are kept, the last ones."""
LEASE_SLACK: Final = timedelta(seconds=30)
"""A lease outlives its attempt by so much; clocks of servers differ by less."""
IN_TURN: Final = (F("served_at").asc(nulls_first=True), F("pk").asc())
"""Who has waited longest comes first."""
State = WebhookDelivery.State
Reason = WebhookSubscription.Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message that this worker alone may send now."""

    subscription: int
    client_id: str
    delivery: int
    leased_until: datetime
    attempt: int
    at: datetime
    is_failing: bool
    """Whether the receiver failed last."""
    type: str
    url: str
    payload: str
    headers: dict[str, str]


def take(
    now: datetime, *, under_way: Collection[Turn], at_most: int, failing: int, per_key: int
) -> list[Turn]:
    """Return messages to send beside those under way, each to another subscription.

    Under way are never more than ``at_most``, no more than ``failing`` of them to receivers
    that failed last, and to others no more than ``per_key`` of one service key: whoever
    hangs, or takes long to answer, keeps no others waiting.
    """
    free = at_most - len(under_way)
    if free <= 0:
        return []
    ready = WebhookSubscription.objects.active().idle(now).with_due(now)
    room = min(free, failing - sum(turn.is_failing for turn in under_way))
    chosen = list(ready.exclude(failing_since=None).order_by(*IN_TURN)[: max(0, room)])
    place = Window(RowNumber(), partition_by="client_id", order_by=IN_TURN)
    others = ready.filter(failing_since=None).annotate(place=place)
    busy = Counter(turn.client_id for turn in under_way if not turn.is_failing)
    allowed = Q(place__lte=per_key) & ~Q(client_id__in=busy)
    for client_id, count in busy.items():
        allowed |= Q(place__lte=per_key - count, client_id=client_id)
    chosen += others.filter(allowed).order_by(*IN_TURN)[: free - len(chosen)]
    turns = [_take_one(subscription, now) for subscription in chosen]
    return [turn for turn in turns if turn is not None]


def give_back(turn: Turn, answer: Answer, *, now: datetime) -> None:
    """Write what came of an attempt, and let others take the subscription."""
    with transaction.atomic():
        deliveries = WebhookDelivery.objects.filter(
            pk=turn.delivery, state=State.PENDING, attempts=turn.attempt
        )
        outcome = {
            "milliseconds": answer.milliseconds,
            "answer_status": answer.status,
            "answer": answer.text,
            "error": answer.error[:200],
        }
        if deliveries.update(**outcome, **_next(turn, answer, now)):
            _keep(turn, outcome)
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
        if answer.pause:
            _pause(subscriptions, now + answer.pause)


def _pause(subscriptions: QuerySet[WebhookSubscription], until: datetime) -> None:
    """Leave a receiver alone as it asked, but not past the time that it may fail."""
    for since in subscriptions.values_list("failing_since", flat=True):
        latest = until if since is None else min(until, since + PATIENCE)
        subscriptions.update(paused_until=latest)


def _take_one(subscription: WebhookSubscription, now: datetime) -> Turn | None:
    """Lease a subscription and begin its next message; ``None`` if others were faster."""
    # Connecting and its TLS may each take all of the time.
    until = now + 2 * timedelta(seconds=conf.webhook_seconds) + LEASE_SLACK
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
        client_id=subscription.client_id,
        delivery=delivery.pk,
        leased_until=until,
        attempt=attempt,
        at=now,
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


def _keep(turn: Turn, outcome: Mapping[str, Any]) -> None:
    """Put the attempt on record, and forget the oldest where there are too many."""
    attempts = WebhookAttempt.objects.filter(delivery=turn.delivery)
    attempts.create(delivery_id=turn.delivery, at=turn.at, url=turn.url, **outcome)
    newest = attempts.order_by("-pk").values("pk")[KEPT_ATTEMPTS:][:1]
    attempts.filter(pk__lte=Subquery(newest)).delete()


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
