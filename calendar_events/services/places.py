"""Create and change venues and organizers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction

from calendar_events.models import Organizer, Venue
from calendar_events.permissions import Actor, require_create, require_on
from calendar_events.services import writing

Place = TypeVar("Place", bound=Venue | Organizer)


@transaction.atomic(savepoint=False)
def create_place(model: type[Place], *, actor: Actor, changes: Any, now: datetime) -> Place:
    """Create a venue or an organizer; its name must be among the changes.

    Raises ``NotAllowed``.
    """
    require_create(actor, model)
    place = model()
    writing.begin(place, changes, actor=actor, now=now)
    _fill(place, changes, actor=actor, now=now)
    writing.save(place, changes, now=now)
    return place


@transaction.atomic
def update_place(  # noqa: PLR0913 -- whose, which, what, when
    model: type[Place],
    *,
    actor: Actor,
    pk: int,
    changes: Any,
    now: datetime,
    expected_version: int | None = None,
) -> Place:
    """Change what is among the changes; an explicit status restores from the trash.

    Raises ``NotAllowed``, ``InTrash``, ``VersionConflict`` and the model's
    ``DoesNotExist``.
    """
    place = writing.lock(model, pk, expected_version=expected_version)
    require_on(actor, "change", place)
    writing.require_reachable(place, changes)
    stored_slug = place.slug
    writing.amend(place, changes, actor=actor, now=now)
    _fill(place, changes, actor=actor, now=now)
    writing.save(place, changes, stored_slug=stored_slug, now=now)
    return place


def _fill(place: Place, changes: Mapping[str, Any], *, actor: Actor, now: datetime) -> None:
    """Set the columns; ``stateprovince`` follows state and province unless it was given."""
    follows = isinstance(place, Venue) and place.stateprovince == _stateprovince(place)
    writing.fill(place, changes, actor=actor, now=now)
    if isinstance(place, Venue) and (follows or not place.stateprovince):
        place.stateprovince = changes.get("stateprovince") or _stateprovince(place)


def _stateprovince(venue: Venue) -> str:
    return venue.state or venue.province
