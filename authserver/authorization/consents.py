"""Consents: what a user allowed an application, asked, remembered, taken back."""

from datetime import datetime

from django.db import transaction
from django.db.models import F

from authserver import audit
from authserver.conf import conf
from authserver.keys.scopes import Scopes
from authserver.models import (
    CONTEXT_SCOPE_PREFIX,
    AccessToken,
    AuditEvent,
    Consent,
    Grant,
    RefreshToken,
    ServiceKey,
    User,
)
from authserver.models.token import revoke_all


def granted_before(
    *, user_id: int, key_id: int, institution_id: int, now: datetime
) -> frozenset[str]:
    """Return the scope tokens that the user allowed this application here."""
    consent = (
        Consent.objects.live(now)
        .filter(user=user_id, key=key_id, institution=institution_id)
        .first()
    )
    return consent.scopes if consent is not None else frozenset()


def covers(granted: frozenset[str], requested: Scopes) -> bool:
    """Return whether nothing new is asked for; ``context:`` grants nothing."""
    return all(
        token in granted or token.startswith(CONTEXT_SCOPE_PREFIX)
        for token in requested.tokens
    )


@transaction.atomic
def remember(
    *, user_id: int, key_id: int, institution_id: int, scopes: Scopes, now: datetime
) -> None:
    """Add to what the user allowed, and restart its lifetime (decisions 3.8)."""
    lookup = {"user_id": user_id, "key_id": key_id, "institution_id": institution_id}
    requested = [t for t in scopes.tokens if not t.startswith(CONTEXT_SCOPE_PREFIX)]
    # An expired one is closed first: what it held must be asked again.
    Consent.objects.filter(**lookup, revoked_at__isnull=True, expires_at__lte=now).update(
        revoked_at=F("expires_at")
    )
    expires_at = now + conf.consent_lifetime
    consent, created = Consent.objects.select_for_update().get_or_create(
        **lookup,
        revoked_at=None,
        defaults={
            "scope": " ".join(requested),
            "granted_at": now,
            "expires_at": expires_at,
        },
    )
    if not created:
        consent.scope = " ".join(dict.fromkeys([*consent.scope.split(), *requested]))
        consent.expires_at = expires_at
        consent.save(update_fields=["scope", "expires_at"])


@transaction.atomic
def revoke(*, user: User, key: ServiceKey, now: datetime) -> None:
    """Take back all an application got from this user: consents, codes and tokens.

    Where there is nothing to take back, there is nothing to record either.
    """
    lookup = {"user": user, "application": key}
    consents = Consent.objects.filter(user=user, key=key, revoked_at__isnull=True)
    codes = Grant.objects.filter(**lookup, redeemed_at__isnull=True)
    ended = (
        consents.update(revoked_at=now)
        + codes.update(redeemed_at=now)
        + revoke_all(
            RefreshToken.objects.filter(**lookup), AccessToken.objects.filter(**lookup), now
        )
    )
    if not ended:
        return
    audit.record_account(
        AuditEvent.Action.ACCESS_REVOKED,
        user,
        client_id=key.client_id,
        at=now,
    )
