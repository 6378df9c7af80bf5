"""Secrets of service keys: made, rotated and retired by an administrator (decisions 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from authserver import audit
from authserver.models import AuditEvent, ServiceKey

if TYPE_CHECKING:
    from datetime import datetime


class ChangedMeanwhile(Exception):
    """The secrets are no longer those that the administrator was looking at."""


@transaction.atomic
def rotate(*, key_id: int, seen: datetime | None, actor: str, now: datetime) -> str:
    """Give the key a new secret and return it: the only time that anybody sees it.

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
    secret = key.rotate_secret(now=now)
    key.save()
    audit.record(action, actor=actor, client_id=key.client_id, at=now)
    return secret


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
