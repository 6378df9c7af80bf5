"""What a new password ends (decisions 9, "Sessions and tokens").

Whoever changes a password, or has it reset, may do so because somebody else knew the old
one: nothing that was reached with it may outlive it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from authserver import audit
from authserver.conf import conf
from authserver.models import AccessToken, AuditEvent, Grant, RefreshToken, Session
from authserver.models.token import revoke_all
from authserver.models.user import password_changed

if TYPE_CHECKING:
    from datetime import datetime

    from authserver.models import User


def connect() -> None:
    """Listen."""
    password_changed.connect(
        end_what_the_old_one_opened, dispatch_uid="authserver.passwords.changed"
    )


@transaction.atomic
def end_what_the_old_one_opened(user: User, now: datetime, **_kwargs: Any) -> None:
    """End the account's sessions and, where the setting is on, its codes and tokens.

    Remembered consents stay: they let nobody in who does not sign in first. What ended is
    recorded for each application. ``User.save`` sends the signal, however one was set.
    """
    Session.objects.filter(user_id=user.pk).delete()
    if not conf.password_change_revokes_tokens:
        return
    codes = Grant.objects.filter(user=user, redeemed_at__isnull=True, expires__gt=now)
    refresh = RefreshToken.objects.filter(user=user)
    access = AccessToken.objects.filter(user=user)
    applications = sorted(
        {
            owner
            for rows in (codes, refresh.live(now), access.live(now))
            for owner in rows.values_list(
                "application__client_id", "institution__registry_id"
            )
        }
    )
    codes.update(redeemed_at=now)
    revoke_all(refresh, access, now)
    for client_id, registry_id in applications:
        audit.record(
            AuditEvent.Action.TOKEN_REVOKED,
            subject=user.login,
            client_id=client_id,
            registry_id=registry_id,
            at=now,
            reason="password_changed",
        )
