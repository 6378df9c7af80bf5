"""An end to what an account has open: sessions, codes and tokens."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.dispatch import receiver

from authserver import audit
from authserver.conf import conf
from authserver.models import AccessToken, AuditEvent, Grant, RefreshToken, Session, User
from authserver.models.token import revoke_all
from authserver.models.user import password_changed


def end_sessions(user: User) -> int:
    """Sign the account out of every browser; return of how many."""
    ended, _ = Session.objects.filter(user_id=user.pk).delete()
    return ended


@transaction.atomic
def end_tokens(user: User, now: datetime, *, reason: str, actor: str = "") -> None:
    """End the account's codes and tokens, and record it for each application.

    Remembered consents stay: they let nobody in who does not sign in first.
    """
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
            actor=actor,
            subject=user.login,
            client_id=client_id,
            registry_id=registry_id,
            at=now,
            reason=reason,
        )


@receiver(password_changed)
@transaction.atomic
def end_what_the_old_one_opened(user: User, now: datetime, **_kwargs: Any) -> None:
    """End the account's sessions and, where the setting is on, its codes and tokens.

    ``User.save`` sends the signal, however the password was set: whoever sets another may
    do so because somebody else knew the old one (decisions 9, "Sessions and tokens").
    """
    end_sessions(user)
    if conf.password_change_revokes_tokens:
        end_tokens(user, now, reason="password_changed")
