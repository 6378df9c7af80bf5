"""Secrets of service keys: made, rotated and retired by an administrator (decisions 2)."""

from datetime import datetime

from django.db import transaction

from authserver import audit
from authserver.keys import secret_links
from authserver.models import AuditEvent, SecretLink, ServiceKey


class ChangedMeanwhile(Exception):
    """The secrets are no longer those that the administrator was looking at."""


def is_unseen(key: ServiceKey) -> bool:
    """Return whether nobody has the current secret, as its link was never opened."""
    return key.has_secret and SecretLink.objects.unseen(key).exists()


@transaction.atomic
def rotate(
    *, key_id: int, seen: datetime | None, by_link: bool, actor: str, now: datetime
) -> str:
    """Give the key a new secret; return it, or the token of a link that shows it once.

    The one before keeps working until it is retired; an older one ends now. ``seen`` is
    when the current secret was made as the administrator's page knew it, ``None`` for a
    key without one, so that a repeated click rotates once.
    Raises ``ChangedMeanwhile``.
    """
    key = ServiceKey.objects.select_for_update().get(pk=key_id)
    if key.secret_created_at != seen:
        raise ChangedMeanwhile
    action = (
        AuditEvent.Action.SECRET_ROTATED
        if key.has_secret
        else AuditEvent.Action.SECRET_CREATED
    )
    # A secret that nobody has must not push out the one that the application uses.
    secret = key.rotate_secret(now=now, keep_previous=not is_unseen(key))
    key.save()
    audit.record(action, actor=actor, client_id=key.client_id, at=now)
    secret_links.revoke(key, actor=actor, now=now)
    return secret_links.make(key, actor=actor, now=now) if by_link else secret


@transaction.atomic
def retire_previous(*, key_id: int, actor: str, now: datetime) -> None:
    """End a rotation: only the current secret works from now on.

    Raises ``ChangedMeanwhile`` when there is no previous one.
    """
    key = ServiceKey.objects.select_for_update().get(pk=key_id)
    if not key.encrypted_previous_secret:
        raise ChangedMeanwhile
    key.drop_previous_secret()
    key.save()
    audit.record(
        AuditEvent.Action.SECRET_RETIRED,
        actor=actor,
        client_id=key.client_id,
        at=now,
    )
