"""A link that shows the secret of a key once: made, opened, ended (decisions 2)."""

from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from authserver import audit
from authserver.conf import conf
from authserver.crypto import opaque
from authserver.models import AuditEvent, SecretLink, ServiceKey

Action = AuditEvent.Action
MAX_TOKEN_LENGTH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the page of an opened link shows."""

    name: str
    client_id: str
    secret: str = field(repr=False)


def make(key: ServiceKey, *, actor: str, now: datetime) -> str:
    """Make a link to the key's current secret, which nobody has seen; return its token.

    The caller has made that secret in the same transaction (``secrets.rotate``).
    """
    assert key.secret_created_at is not None  # noqa: S101 -- it has a secret
    token = opaque.new_handle()
    SecretLink.objects.create(
        key=key,
        token_digest=opaque.digest(token),
        secret_created_at=key.secret_created_at,
        made_by=actor[:255],
        made_at=now,
        expires_at=now + conf.secret_link_lifetime,
    )
    audit.record(Action.SECRET_LINK_MADE, actor=actor, client_id=key.client_id, at=now)
    return token


def find(token: str, now: datetime) -> SecretLink | None:
    """Return the link that would show a secret now, and leave it as it is."""
    links = SecretLink.objects.open(now).select_related("key")
    return links.filter(token_digest=_digest(token)).first()


def client_id_of(token: str) -> str:
    """Return the identifier of the key whose link this was, for the record; or nothing."""
    links = SecretLink.objects.filter(token_digest=_digest(token))
    return links.values_list("key__client_id", flat=True).first() or ""


@transaction.atomic
def show(token: str, now: datetime) -> Shown | None:
    """Return the secret to the first who asks, ``None`` to everybody else."""
    link = find(token, now)
    if link is None:
        return None
    # Rotating and canceling wait for us here, or we for them.
    key = ServiceKey.objects.select_for_update().get(pk=link.key_id)
    is_current = key.secret_created_at == link.secret_created_at
    if key.status != ServiceKey.Status.ACTIVE or not is_current:
        return None
    # One statement decides who was first (docs/decisions/0009).
    ours = SecretLink.objects.filter(pk=link.pk, ended_at=None)
    if not ours.update(shown_at=now, ended_at=now):
        return None
    audit.record(Action.SECRET_SHOWN, client_id=key.client_id, at=now)
    secret = key.secrets[0].decode()
    return Shown(name=key.name, client_id=key.client_id, secret=secret)


def revoke(key: ServiceKey, *, actor: str, now: datetime) -> None:
    """End the key's links: it was canceled, or has another secret."""
    if SecretLink.objects.filter(key=key, ended_at=None).update(ended_at=now):
        audit.record(
            Action.SECRET_LINK_REVOKED, actor=actor, client_id=key.client_id, at=now
        )


def end_expired(now: datetime, *, at_most: int) -> int:
    """Put on record which links nobody opened in time; return how many."""
    expired = SecretLink.objects.filter(ended_at=None, expires_at__lte=now).order_by("pk")
    count = 0
    for pk, client_id in expired.values_list("pk", "key__client_id")[:at_most]:
        with transaction.atomic():
            if not SecretLink.objects.filter(pk=pk, ended_at=None).update(ended_at=now):
                continue
            audit.record(
                Action.SECRET_LINK_EXPIRED, actor="manage.py", client_id=client_id, at=now
            )
            count += 1
    return count


def in_words(key: ServiceKey) -> str:
    """Say what became of the last link to the key's current secret; empty without one."""
    links = SecretLink.objects.to_current_secret(key)
    link = links.order_by("-pk").first()
    if link is None:
        return ""
    if link.shown_at is not None:
        return f"A link to it was opened {link.shown_at:%Y-%m-%d %H:%M} UTC."
    if SecretLink.objects.open(timezone.now()).filter(pk=link.pk).exists():
        until = f"{link.expires_at:%Y-%m-%d %H:%M} UTC"
        return f"A link to it was not opened yet; it works until {until}."
    return "A link to it ended without being opened: nobody has seen this secret."


def _digest(token: str) -> str:
    """Return the digest; of what is too long for a token, that of nothing."""
    return opaque.digest(token if len(token) <= MAX_TOKEN_LENGTH else "")
