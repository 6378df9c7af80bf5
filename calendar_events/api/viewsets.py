"""The five types of the interface; the routes are in ``urls.py`` (spec 4.3)."""

from calendar_events.api.reading import EventReads, RecordReads, TermReads
from calendar_events.api.writing_types import RecordWrites, TermWrites
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


class EventViewSet(RecordWrites, EventReads):
    """Events."""

    model = Event
    serializer_class = EventInput
    filterset_class = EventFilter


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
