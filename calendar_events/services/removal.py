"""Move records to the trash, and delete them: the same for all three kinds."""

from datetime import datetime

from django.db import transaction

from calendar_events.models import Status
from calendar_events.permissions import Actor, require_on
from calendar_events.services import writing
from calendar_events.services.refusals import InTrash
from calendar_events.services.writing import AnyRecord


@transaction.atomic
def trash_record(
    model: type[AnyRecord],
    *,
    actor: Actor,
    pk: int,
    now: datetime,
    expected_version: int | None = None,
) -> AnyRecord:
    """Move an event, a venue or an organizer to the trash, from where it can come back.

    Raises ``NotAllowed``, ``InTrash``, ``VersionConflict`` and the model's
    ``DoesNotExist``.
    """
    record = writing.lock(model, pk, expected_version=expected_version)
    require_on(actor, "delete", record)
    if record.status == Status.TRASH:
        raise InTrash(f"{record} is in the trash.")
    record.previous_status, record.status = record.status, Status.TRASH
    writing.set_history_actor(record, actor)
    writing.save(record, {}, stored_slug=record.slug, now=now)
    return record


@transaction.atomic
def delete_record(
    model: type[AnyRecord], *, actor: Actor, pk: int, expected_version: int | None = None
) -> None:
    """Delete an event, a venue or an organizer for good; links go with it.

    Raises ``NotAllowed``, ``VersionConflict`` and the model's ``DoesNotExist``.
    """
    record = writing.lock(model, pk, expected_version=expected_version)
    require_on(actor, "delete", record)
    writing.set_history_actor(record, actor)
    record.delete()
