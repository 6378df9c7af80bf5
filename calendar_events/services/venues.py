"""Create, change, trash and delete venues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from calendar_events.models import Venue
from calendar_events.permissions import require_create, require_on
from calendar_events.services import writing
from calendar_events.store import saving

if TYPE_CHECKING:
    from datetime import datetime

    from calendar_events.permissions import Actor
    from calendar_events.services.inputs import VenueChanges

COLUMNS = frozenset(
    {
        *("name", "description", "website", "phone", "address", "city", "country"),
        *("province", "state", "stateprovince", "zip", "geo_lat", "geo_lng"),
        *("show_map", "show_map_link"),
    }
)


@transaction.atomic(savepoint=False)
def create_venue(*, actor: Actor, changes: VenueChanges, now: datetime) -> Venue:
    """Create a venue; its name must be among the changes.

    Raises ``NotAllowed``.
    """
    require_create(actor, Venue)
    venue = Venue()
    writing.begin(venue, changes, actor=actor, now=now)
    _fill(venue, changes, actor=actor, now=now)
    writing.save(venue, changes, now=now)
    return venue


@transaction.atomic
def update_venue(
    *,
    actor: Actor,
    venue_id: int,
    changes: VenueChanges,
    now: datetime,
    expected_version: int | None = None,
) -> Venue:
    """Change what is among the changes; an explicit status restores from the trash.

    Raises ``NotAllowed``, ``InTrash``, ``VersionConflict`` and ``Venue.DoesNotExist``.
    """
    venue = writing.lock(Venue, venue_id, expected_version=expected_version)
    require_on(actor, "change", venue)
    writing.require_reachable(venue, changes)
    stored_slug = venue.slug
    writing.amend(venue, changes, actor=actor, now=now)
    _fill(venue, changes, actor=actor, now=now)
    writing.save(venue, changes, stored_slug=stored_slug, now=now)
    return venue


def _fill(venue: Venue, changes: VenueChanges, *, actor: Actor, now: datetime) -> None:
    """Set the columns; ``stateprovince`` follows state and province unless it was given."""
    follows = venue.stateprovince == _stateprovince(venue)
    writing.fill(venue, changes, COLUMNS, actor=actor, now=now)
    if follows or not venue.stateprovince:
        venue.stateprovince = changes.get("stateprovince") or _stateprovince(venue)


def _stateprovince(venue: Venue) -> str:
    return venue.state or venue.province


@transaction.atomic
def trash_venue(
    *, actor: Actor, venue_id: int, now: datetime, expected_version: int | None = None
) -> Venue:
    """Move a venue to the trash; events stop showing it.

    Raises ``NotAllowed``, ``InTrash``, ``VersionConflict`` and ``Venue.DoesNotExist``.
    """
    venue = writing.lock(Venue, venue_id, expected_version=expected_version)
    require_on(actor, "delete", venue)
    writing.trash(venue, actor=actor, now=now)
    return venue


@transaction.atomic
def delete_venue(
    *, actor: Actor, venue_id: int, expected_version: int | None = None
) -> None:
    """Delete a venue for good; events lose it.

    Raises ``NotAllowed``, ``VersionConflict`` and ``Venue.DoesNotExist``.
    """
    venue = writing.lock(Venue, venue_id, expected_version=expected_version)
    require_on(actor, "delete", venue)
    writing.set_history_actor(venue, actor)
    saving.delete(venue)
