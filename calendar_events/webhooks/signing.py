"""The secrets of subscriptions, and the headers of Standard Webhooks that they sign."""

import secrets
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any, Final

from django.views.decorators.debug import sensitive_variables
from standardwebhooks import Webhook

from calendar_events.conf import conf
from calendar_events.models import WebhookSubscription

SECRET_BYTES: Final = 32
PREFIX: Final = "whsec_"


def new_secret() -> str:
    """Return a secret in the form that receivers are given."""
    return PREFIX + b64encode(secrets.token_bytes(SECRET_BYTES)).decode("ascii")


@sensitive_variables()
def encrypt(secret: str) -> str:
    """Return the secret as it is stored."""
    return str(_port().encrypt(secret))


@sensitive_variables()
def rotate(subscription: WebhookSubscription, *, now: datetime) -> str:
    """Make a new secret and return it, for the only time; the caller saves.

    Messages are signed with the one before as well, for ``WEBHOOK_OVERLAP_HOURS``.
    """
    secret = new_secret()
    subscription.encrypted_previous_secret = subscription.encrypted_secret
    subscription.previous_secret_until = now + timedelta(hours=conf.webhook_overlap_hours)
    subscription.encrypted_secret = encrypt(secret)
    return secret


@sensitive_variables()
def headers(
    subscription: WebhookSubscription, *, message_id: str, payload: str, now: datetime
) -> dict[str, str]:
    """Return the identifier, the moment, and a signature by each secret that is valid.

    Raises ``platform_errors.keys.SecretUnreadable``.
    """
    moment = now.astimezone(UTC)
    signatures = [
        Webhook(secret).sign(message_id, moment, payload)
        for secret in _valid_secrets(subscription, now)
    ]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _valid_secrets(subscription: WebhookSubscription, now: datetime) -> list[str]:
    stored = [subscription.encrypted_secret]
    until = subscription.previous_secret_until
    if subscription.encrypted_previous_secret and until is not None and now < until:
        stored.append(subscription.encrypted_previous_secret)
    return [_port().decrypt(text).decode("ascii") for text in stored]


def _port() -> Any:
    """Return the module that ``CALENDAR_EVENTS["ENCRYPTION"]`` names."""
    return import_module(conf.encryption)
