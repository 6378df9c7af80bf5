"""The five types of the interface; the routes are in ``urls.py`` (spec 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calendar_events.api import revalidation
from calendar_events.api.reading import EventReads, RecordReads, TermReads
from calendar_events.api.writing import RecordWrites, TermWrites
from calendar_events.filters.filtersets import (
    CategoryFilter,
    EventFilter,
    PlaceFilter,
    TagFilter,
)
from calendar_events.models import Event, Organizer, Taxonomy, Venue
from calendar_events.models.visibility import ORGANIZER, VENUE
from calendar_events.serializers.inputs import (
    CategoryInput,
    EventInput,
    OrganizerInput,
    TermInput,
    VenueInput,
)

if TYPE_CHECKING:
    from django.http.response import HttpResponseBase
    from rest_framework.request import Request

    from calendar_events.store.singles import Loaded


class EventViewSet(RecordWrites, EventReads):
    """Events."""

    model = Event
    serializer_class = EventInput
    filterset_class = EventFilter

    @classmethod
    def as_view(cls, actions: Any = None, **initkwargs: Any) -> Any:
        """Return the view of a route; of one event, it may be spared most questions."""
        view = super().as_view(actions, **initkwargs)
        if actions.get("get") != "retrieve":
            return view
        served = {*actions, "head", "options"}
        methods = [name.upper() for name in cls.http_method_names if name in served]
        return revalidation.with_early_304(view, methods)

    def retrieve(
        self, request: Request, pk: str, found: Loaded | None = None
    ) -> HttpResponseBase:
        """Read an event; ``found`` is one that was read already."""
        return self.answer(request, found) if found else super().retrieve(request, pk)


class VenueViewSet(RecordWrites, RecordReads):
    """Venues."""

    resource = "venues"
    kind = archive = VENUE
    model = Venue
    queryset = Venue.objects.all()
    serializer_class = VenueInput
    filterset_class = PlaceFilter


class OrganizerViewSet(RecordWrites, RecordReads):
    """Organizers."""

    resource = "organizers"
    kind = archive = ORGANIZER
    model = Organizer
    queryset = Organizer.objects.all()
    serializer_class = OrganizerInput
    filterset_class = PlaceFilter


class CategoryViewSet(TermWrites, TermReads):
    """Categories."""

    resource = "categories"
    kind = "category"
    taxonomy = Taxonomy.CATEGORY
    serializer_class = CategoryInput
    filterset_class = CategoryFilter


class TagViewSet(TermWrites, TermReads):
    """Tags."""

    resource = "tags"
    kind = "tag"
    taxonomy = Taxonomy.TAG
    serializer_class = TermInput
    filterset_class = TagFilter
