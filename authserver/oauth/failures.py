"""Refused clients and refused redemptions: on record, and within limits.

Each leaves one audit event, up to a limit for one key from one address: a client that sends
thousands must not fill the disk. Beyond the same limit of failed authentications, no secret
of the key is compared for that address until the window is over. Replayed and invalidated
codes are always recorded; there is one for each code that a user granted.
"""

import math
from datetime import datetime

from django.db.models import F

from authserver import audit
from authserver.conf import conf
from authserver.keys.store import Client
from authserver.models import AuditEvent, RefusalCount
from authserver.oauth import tokens
from authserver.oauth.token_request import TokenRequest
from platform_errors.errors import base, catalogue
from platform_errors.http.client_address import address_ident, current_client_address

Action = AuditEvent.Action


def throttle_key() -> str:
    """Return what the limit counts the caller as; empty when its address is unknown."""
    return address_ident(current_client_address()) or ""


def require_within_limit(key: Client, now: datetime) -> None:
    """Raise ``TooManyRequests`` when the key failed too often from this address."""
    since = key.failing_since
    if since is None or key.failures < conf.client_failures_per_address:
        return
    wait = (since + conf.client_failure_window - now).total_seconds()
    if wait > 0:
        raise catalogue.TooManyRequests(headers={"Retry-After": str(math.ceil(wait))})


def require_place_within_limit(action: AuditEvent.Action, now: datetime) -> None:
    """Raise ``TooManyRequests`` when this address failed too often at what has no key."""
    since = now - conf.client_failure_window
    exceeded = RefusalCount.objects.filter(
        action=action,
        client_id="",
        place=throttle_key(),
        since__gt=since,
        refusals__gte=conf.client_failures_per_address,
    )
    if count := exceeded.first():
        wait = math.ceil((count.since - since).total_seconds())
        raise catalogue.TooManyRequests(headers={"Retry-After": str(wait)})


def record_client(client_id: str, error: base.ApiError, now: datetime) -> None:
    """Record that client authentication failed."""
    # One count for all keys that do not exist: a caller could name any number of them.
    counted = "" if type(error) is catalogue.KeyInvalid else client_id
    if count(Action.CLIENT_REFUSED, counted, now):
        audit.record(
            Action.CLIENT_REFUSED, client_id=client_id, reason=error.reason, at=now
        )


def record_token_request(token_request: TokenRequest, error: base.ApiError) -> None:
    """Record that a client that is known was refused a token."""
    if token_request.client is None or error.status_code >= 500:
        return
    action = token_request.recorded_as
    if action is Action.TOKEN_REFUSED and not count(
        action, token_request.key.client_id, token_request.now
    ):
        return
    tokens.audit_token_request(
        token_request, action, reason=token_request.cause or error.reason
    )


def count(action: AuditEvent.Action, client_id: str, now: datetime) -> bool:
    """Count a failure; ``False`` when the limit of the window is reached."""
    lookup = {"action": action, "client_id": client_id, "place": throttle_key()}
    counted = RefusalCount.objects.filter(**lookup)
    window = counted.filter(since__gt=now - conf.client_failure_window)
    within = window.filter(refusals__lt=conf.client_failures_per_address)
    if within.update(refusals=F("refusals") + 1):
        return True
    if window.exists():
        return False
    RefusalCount.objects.bulk_create(
        [RefusalCount(**lookup, since=now)],
        update_conflicts=True,
        unique_fields=["client_id", "place", "action"],
        update_fields=["refusals", "since"],
    )
    return True
