"""Trash and delete records, and find the service that writes a record of any kind."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from calendar_events.models import Event, Organizer, Status, Term, Venue
from calendar_events.permissions import Actor, require_manage_on, require_on
from calendar_events.services import events, occurrences, places, series, terms, writing
from calendar_events.services.changesets import InTrash
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
    if isinstance(record, Event):
        occurrences.touch(record, was_in_trash=False, now=now)
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
    if isinstance(record, Event):
        occurrences.forget(record, now=timezone.now())


Record = Event | Venue | Organizer


def require(actor: Actor, verb: str, record: Record | Term) -> None:
    """Require the right to change or delete this very record. Raises ``NotAllowed``."""
    if isinstance(record, Term):
        require_manage_on(actor, record)
    else:
        require_on(actor, verb, record)


def create(
    model: type[Record], *, actor: Actor, changes: Any, now: datetime
) -> Event | Venue | Organizer:
    """Create an event, a venue or an organizer."""
    if issubclass(model, Event):
        if "recurrence" in changes:
            return series.create_series(actor=actor, changes=changes, now=now)
        return events.create_event(actor=actor, changes=changes, now=now)
    return places.create_place(model, actor=actor, changes=changes, now=now)


def update(
    record: Record | Term, *, actor: Actor, changes: Any, now: datetime, version: int | None
) -> Event | Venue | Organizer | Term:
    """Change a record, if it is still at ``version``; return it as it is then."""
    written: dict[str, Any] = {
        "actor": actor,
        "changes": changes,
        "now": now,
        "expected_version": version,
    }
    if isinstance(record, Term):
        return terms.update_term(term_id=record.pk, **written)
    if isinstance(record, Event):
        if "recurrence" in changes:
            return series.begin_series(pk=record.pk, **written)
        return events.update_event(pk=record.pk, **written)
    return places.update_place(type(record), pk=record.pk, **written)


def delete(
    record: Record | Term, *, actor: Actor, now: datetime, version: int | None = None
) -> None:
    """Delete a record for good, if it is still at ``version``; events lose a term."""
    if isinstance(record, Term):
        terms.delete_term(actor=actor, term_id=record.pk, now=now, expected_version=version)
    else:
        delete_record(type(record), actor=actor, pk=record.pk, expected_version=version)
