"""The five types of the interface; the routes are in ``urls.py`` (spec 4.3)."""

from datetime import tzinfo
from typing import Any, ClassVar

from django.utils import timezone
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from calendar_events.api.reading import EventReads, RecordReads, TermReads
from calendar_events.api.writing import VERBS, Writes
from calendar_events.filters.filtersets import (
    CategoryFilter,
    EventFilter,
    PlaceFilter,
    TagFilter,
)
from calendar_events.filters.parameters import FlagField, TextField
from calendar_events.models import Event, Organizer, Status, Taxonomy, Venue
from calendar_events.models.visibility import ORGANIZER, VENUE
from calendar_events.parsing import slugs, zones
from calendar_events.permissions import (
    require_create,
    require_manage,
    require_on,
    require_verb,
)
from calendar_events.serializers.inputs import (
    CategoryInput,
    EventInput,
    OrganizerInput,
    TermInput,
    VenueInput,
)
from calendar_events.services import records, terms
from calendar_events.services.changesets import InTrash
from calendar_events.services.records import trash_record
from calendar_events.store import naming


class RecordWrites(Writes):
    """Writing events, venues and organizers."""

    model: ClassVar[type[Event | Venue | Organizer]]
    lists = frozenset({"categories", "tags", "venue", "organizer", "cost"})

    def input_zone(self) -> tzinfo | None:
        zone: tzinfo | None = self.query_value("tz", TextField(parse=zones.zone).clean)
        return zone

    def require_right(self) -> None:
        """Require the right to create records, or to change or delete one's own."""
        verb = VERBS.get(self.action, "change")
        if verb == "add":
            require_create(self.actor, self.model)
        else:
            require_verb(self.actor, verb, self.model)

    def check_object_permissions(self, request: Request, obj: Any) -> None:
        """Require the right to change or delete this very record as well."""
        super().check_object_permissions(request, obj)
        if request.method not in SAFE_METHODS:
            require_on(self.actor, VERBS.get(self.action, "change"), obj)

    def find_record(self) -> Any:
        """Return the event, venue or organizer.

        A record in the trash is also found by the slug it had before, as long as nobody
        else took it: who deletes it twice, or restores it, uses the address that they know.
        """
        if "slug" not in self.kwargs:
            return super().find_record()
        slug = slugs.from_path(self.kwargs["slug"])
        names = [name for name in (slug, naming.trashed(slug)) if name]
        by_slug = {row.slug: row for row in self.rows().filter(slug__in=names)}
        for name in names:
            if name in by_slug:
                return by_slug[name]
        raise self.model.DoesNotExist

    def goes_to_trash(self, record: Any) -> bool:
        """Return whether a deletion can be undone. Raises ``InTrash`` when it is done."""
        if self.query_value("force", FlagField().clean):
            return False
        if record.status == Status.TRASH:
            raise InTrash(str(record))
        return True

    def perform_destroy(self, instance: Any) -> None:
        """Move to the trash; with ``force`` delete for good."""
        if not self.goes_to_trash(instance):
            super().perform_destroy(instance)
            return
        trashed = trash_record(
            type(instance),
            actor=self.actor,
            pk=instance.pk,
            now=timezone.now(),
            expected_version=self.expected_version,
        )
        # In place, as a caller of DRF's hook expects: the row that was locked is another.
        vars(instance).update(vars(trashed))

    def perform_create(self, serializer: BaseSerializer[Any]) -> None:
        serializer.instance = records.create(
            self.model,
            actor=self.actor,
            changes=serializer.validated_data,
            now=timezone.now(),
        )


class TermWrites(Writes):
    """Writing categories and tags."""

    taxonomy: ClassVar[Taxonomy]

    def require_right(self) -> None:
        require_manage(self.actor, self.taxonomy)

    def rows(self) -> Any:
        """Return the terms of the taxonomy."""
        return super().rows().filter(taxonomy=self.taxonomy)

    def perform_create(self, serializer: BaseSerializer[Any]) -> None:
        serializer.instance = terms.create_term(
            actor=self.actor,
            taxonomy=self.taxonomy,
            changes=serializer.validated_data,
            now=timezone.now(),
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
