"""Create, change, trash and delete organizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from calendar_events.models import Organizer
from calendar_events.permissions import require_create, require_on
from calendar_events.services import writing
from calendar_events.store import saving

if TYPE_CHECKING:
    from datetime import datetime

    from calendar_events.permissions import Actor
    from calendar_events.services.inputs import OrganizerChanges

COLUMNS = frozenset({"name", "description", "website", "phone", "email"})


@transaction.atomic(savepoint=False)
def create_organizer(
    *, actor: Actor, changes: OrganizerChanges, now: datetime
) -> Organizer:
    """Create an organizer; its name must be among the changes.

    Raises ``NotAllowed``.
    """
    require_create(actor, Organizer)
    organizer = Organizer()
    writing.begin(organizer, changes, actor=actor, now=now)
    writing.fill(organizer, changes, COLUMNS, actor=actor, now=now)
    writing.save(organizer, changes, now=now)
    return organizer


@transaction.atomic
def update_organizer(
    *,
    actor: Actor,
    organizer_id: int,
    changes: OrganizerChanges,
    now: datetime,
    expected_version: int | None = None,
) -> Organizer:
    """Change what is among the changes; an explicit status restores from the trash.

    Raises ``NotAllowed``, ``InTrash``, ``VersionConflict`` and ``Organizer.DoesNotExist``.
    """
    organizer = writing.lock(Organizer, organizer_id, expected_version=expected_version)
    require_on(actor, "change", organizer)
    writing.require_reachable(organizer, changes)
    stored_slug = organizer.slug
    writing.amend(organizer, changes, actor=actor, now=now)
    writing.fill(organizer, changes, COLUMNS, actor=actor, now=now)
    writing.save(
        organizer,
        changes,
        stored_slug=stored_slug,
        now=now,
    )
    return organizer


@transaction.atomic
def trash_organizer(
    *, actor: Actor, organizer_id: int, now: datetime, expected_version: int | None = None
) -> Organizer:
    """Move an organizer to the trash; events stop showing it.

    Raises ``NotAllowed``, ``InTrash``, ``VersionConflict`` and ``Organizer.DoesNotExist``.
    """
    organizer = writing.lock(Organizer, organizer_id, expected_version=expected_version)
    require_on(actor, "delete", organizer)
    writing.trash(organizer, actor=actor, now=now)
    return organizer


@transaction.atomic
def delete_organizer(
    *, actor: Actor, organizer_id: int, expected_version: int | None = None
) -> None:
    """Delete an organizer for good; events lose it.

    Raises ``NotAllowed``, ``VersionConflict`` and ``Organizer.DoesNotExist``.
    """
    organizer = writing.lock(Organizer, organizer_id, expected_version=expected_version)
    require_on(actor, "delete", organizer)
    writing.set_history_actor(organizer, actor)
    saving.delete(organizer)
