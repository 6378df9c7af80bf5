"""Make a new draft of an event that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from calendar_events.models import Event, Status, Taxonomy
from calendar_events.services.events import create_event
from calendar_events.services.inputs import EventChanges
from calendar_events.services.refusals import InTrash
from calendar_events.services.writing import SET_ELSEWHERE

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet

    from calendar_events.models import Term
    from calendar_events.permissions import Actor

COLUMNS = EventChanges.__annotations__.keys() - SET_ELSEWHERE


@transaction.atomic(savepoint=False)
def copy_event(*, actor: Actor, pk: int, now: datetime) -> Event:
    """Create a draft of the actor's with everything of an event but its address.

    Dates, picture and links are kept, a link to what is in the trash is not; it gets a slug
    of its own when it is published. Raises ``NotAllowed``, ``InTrash`` and
    ``Event.DoesNotExist``.
    """
    event = Event.objects.select_related("image").get(pk=pk)
    if event.status == Status.TRASH:
        raise InTrash(f"{event} is in the trash.")
    terms = event.terms.order_by("eventterm__position")
    changes: EventChanges = {
        **{name: getattr(event, name) for name in COLUMNS},  # type: ignore[typeddict-item]
        "status": Status.DRAFT,
        "image": event.image,
        "post_parent": event.post_parent_id,
        "start_date": f"{event.start_local}",
        "end_date": f"{event.end_local}",
        "timezone": event.timezone,
        "all_day": event.all_day,
        "venue": _kept(event.venues.order_by("eventvenue__position")),
        "organizer": _kept(event.organizers.order_by("eventorganizer__position")),
        "categories": [each.pk for each in terms if _is_category(each)],
        "tags": [each.pk for each in terms if not _is_category(each)],
    }
    return create_event(actor=actor, changes=changes, now=now)


def _kept(places: QuerySet[Any]) -> list[Any]:
    return list(places.exclude(status=Status.TRASH).values_list("pk", flat=True))


def _is_category(term: Term) -> bool:
    return term.taxonomy == Taxonomy.CATEGORY
