"""What a service key does with its subscriptions, and an administrator with any."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet
from django.views.decorators.debug import sensitive_variables

from calendar_events.conf import conf
from calendar_events.models import Status, Term, WebhookDelivery, WebhookSubscription
from calendar_events.permissions import Actor, NotAllowed
from calendar_events.services.changesets import InvalidFields
from calendar_events.signals import webhook_disabled
from calendar_events.store import changed
from calendar_events.store.sql import advisory_lock
from calendar_events.webhooks import sending, signing
from platform_errors.http.outgoing import RequestFailed

RECORDS: Final = ("event", "venue", "organizer")
"""Kinds whose rows have a status."""


class TooManySubscriptions(Exception):
    """The key has as many subscriptions in the institution as it may have."""


def require(actor: Actor, verb: str) -> None:
    """Require the right to view, add, change or delete. Raises ``NotAllowed``."""
    if not actor.has(verb, WebhookSubscription):
        raise NotAllowed(f"You may not {verb} webhook subscriptions.")


@sensitive_variables("secret")
def create(
    *, actor: Actor, values: Mapping[str, Any], now: datetime
) -> tuple[WebhookSubscription, str]:
    """Subscribe to what changes from now on; return the secret, for the only time.

    Raises ``NotAllowed``, ``InvalidFields`` and ``TooManySubscriptions``.
    """
    require(actor, "add")
    position = changed.beginning(now).position
    secret = signing.new_secret()
    subscription = WebhookSubscription(
        client_id=actor.client_id,
        institution=actor.institution,
        encrypted_secret=signing.encrypt(secret),
        cursor_transaction=position.transaction,
        cursor_change=position.id,
        published_until=now,
        created_at=now,
        **values,
    )
    check(subscription, actor, values)
    with transaction.atomic():
        advisory_lock("webhooks", actor.client_id, actor.institution)
        require_room(subscription)
        subscription.save(force_insert=True)
    return subscription, secret


def require_room(subscription: WebhookSubscription) -> None:
    """Require that its key may have one more. Raises ``TooManySubscriptions``."""
    others = WebhookSubscription.objects.of(
        client_id=subscription.client_id, institution=subscription.institution
    )
    if others.count() >= conf.webhooks_per_key:
        raise TooManySubscriptions


def change(
    subscription: WebhookSubscription,
    *,
    actor: Actor,
    values: Mapping[str, Any],
    now: datetime,
) -> None:
    """Change what is named; one that becomes active reads on where it stopped.

    Raises ``NotAllowed`` and ``InvalidFields``.
    """
    require(actor, "change")
    others = {name: value for name, value in values.items() if name != "status"}
    for name, value in others.items():
        setattr(subscription, name, value)
    check(subscription, actor, values)
    with transaction.atomic():
        if others:
            subscription.save(update_fields=list(others))
        if "status" in values:
            switch(subscription, to=values["status"], now=now)


@transaction.atomic
def switch(subscription: WebhookSubscription, *, to: str, now: datetime) -> None:
    """Make it active or disable it; one that becomes active reads on where it stopped."""
    if subscription.status == to:
        return
    subscription.status = to
    is_active = subscription.is_active
    subscription.disabled_reason = "" if is_active else WebhookSubscription.Reason.ASKED
    subscription.failing_since = subscription.paused_until = None
    subscription.save(
        update_fields=["status", "disabled_reason", "failing_since", "paused_until"]
    )
    if is_active:
        # What it missed does not wait for what was tried in vain.
        waiting = WebhookDelivery.objects.pending().filter(subscription=subscription)
        waiting.update(attempts=0, next_attempt_at=now)


def disable(
    subscriptions: QuerySet[WebhookSubscription], reason: WebhookSubscription.Reason
) -> None:
    """Disable those of them that are active, and send ``webhook_disabled`` of each."""
    for pk in subscriptions.active().values_list("pk", flat=True):  # type: ignore[attr-defined]
        rows = WebhookSubscription.objects.active().filter(pk=pk)
        if rows.update(
            status=WebhookSubscription.Status.DISABLED,
            disabled_reason=reason,
            leased_until=None,
        ):
            webhook_disabled.send(WebhookSubscription, subscription=pk, reason=reason.value)


def delete(subscription: WebhookSubscription, *, actor: Actor) -> None:
    """Delete it with its messages. Raises ``NotAllowed``."""
    require(actor, "delete")
    subscription.delete()


@sensitive_variables("secret")
def rotate(subscription: WebhookSubscription, *, actor: Actor, now: datetime) -> str:
    """Give it another secret and return it, for the only time. Raises ``NotAllowed``."""
    require(actor, "change")
    with transaction.atomic():
        rows = WebhookSubscription.objects.select_for_update()
        stored = rows.get(pk=subscription.pk)
        secret = signing.rotate(stored, now=now)
        stored.save(
            update_fields=[
                *("encrypted_secret", "encrypted_previous_secret"),
                "previous_secret_until",
            ]
        )
    subscription.previous_secret_until = stored.previous_secret_until
    return secret


def check(
    subscription: WebhookSubscription, actor: Actor, values: Mapping[str, Any]
) -> None:
    """Require what fields say together. Raises ``InvalidFields`` and ``NotAllowed``.

    Every change needs the right to read what will be sent: it may be to another address.
    """
    if "url" in values:
        try:
            sending.require_acceptable(subscription.url)
        except RequestFailed as error:
            raise InvalidFields({"url": f"cannot be used: {error}."}) from error
    if values.get("categories"):
        known = Term.objects.categories().filter(pk__in=subscription.categories)
        if known.count() != len(subscription.categories):
            raise InvalidFields({"categories": "must be identifiers of categories."})
    if set(subscription.statuses) == {Status.PUBLISH}:
        return
    for kind in RECORDS:
        is_wanted = any(name.startswith(f"{kind}.") for name in subscription.types)
        if is_wanted and not actor.holds(f"calendar_events.read_unpublished_{kind}"):
            raise NotAllowed(f"You may not read {kind}s that are not published.")
