"""Service keys are canceled and restored by an administrator, at once and everywhere."""

from datetime import datetime

from django.db import transaction

from authserver import audit
from authserver.keys import secret_links
from authserver.models import AuditEvent, ServiceKey
from authserver.models.service_key import Status


@transaction.atomic
def change(*, key_id: int, to: Status, actor: str, now: datetime) -> bool:
    """Give the key this status; return whether it had another one.

    What was granted through a canceled key ends for good (migration ``0003``).
    """
    key = ServiceKey.objects.select_for_update().get(pk=key_id)
    before = Status(key.status)
    if before == to:
        return False
    key.status = to
    key.save()
    audit.record(
        AuditEvent.Action.KEY_CHANGED,
        actor=actor,
        client_id=key.client_id,
        at=now,
        changes="Changed Status.",
        values=[f"Status: {before} → {to}"],
    )
    if to == Status.CANCELED:
        secret_links.revoke(key, actor=actor, now=now)
    return True
