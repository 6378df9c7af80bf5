"""The five types of the interface; the routes are in ``urls.py`` (spec 4.3)."""

from datetime import tzinfo
from typing import Any, ClassVar

from django.utils import timezone
from django.utils.functional import cached_property
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from calendar_events.api import access
from calendar_events.api.conditional import Version
from calendar_events.api.reading import EventReads, RecordReads, TermReads
from calendar_events.api.series import version_seen
from calendar_events.api.writing import VERBS, Writes
from calendar_events.filters.filtersets import (
    CategoryFilter,
    EventFilter,
    PlaceFilter,
    TagFilter,
)
from calendar_events.filters.parameters import FlagField, TextField
from calendar_events.models import Event, Organizer, Series, Status, Taxonomy, Venue
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
from calendar_events.services import records, series_edits, series_group, terms
from calendar_events.services.changesets import SCOPES, THIS, InTrash
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
    expected_sequence: int | None = None
    """The state that the series must still be in, if that matters."""

    @cached_property
    def scope(self) -> str:
        """Which occurrences of a series a write is for. Raises ``InvalidParameters``."""
        return self.query_value("scope", TextField(parse=scope_named).clean) or THIS

    def is_of_series(self, event: Event) -> bool:
        """Return whether a write is for more than this one."""
        return self.scope != THIS and event.series_id is not None

    def get_serializer_context(self) -> dict[str, Any]:
        """Add which occurrences the body is for."""
        context = super().get_serializer_context()
        return context if self.action == "create" else {**context, "scope": self.scope}

    def stored_version(self, record: Any) -> Version:
        """Return the version of the event, or of its series."""
        if not self.is_of_series(record):
            return super().stored_version(record)
        series = Series.objects.get(pk=record.series_id)
        self.expected_sequence = series.sequence
        return version_seen(series, access.as_viewer(self.actor), self.now)

    def perform_update(self, serializer: BaseSerializer[Any]) -> None:
        """Change the event, or the occurrences of its series that are meant."""
        event: Any = serializer.instance
        if not self.is_of_series(event):
            super().perform_update(serializer)
            return
        serializer.instance = series_edits.update_series(
            actor=self.actor,
            pk=event.pk,
            scope=self.scope,
            changes=serializer.validated_data,
            now=timezone.now(),
            expected_version=self.expected_version,
            expected_sequence=self.expected_sequence,
        )

    def perform_destroy(self, instance: Any) -> None:
        """Trash or delete the event, or the occurrences that are meant."""
        if not self.is_of_series(instance):
            super().perform_destroy(instance)
            return
        removed = series_group.remove_series(
            actor=self.actor,
            pk=instance.pk,
            scope=self.scope,
            now=timezone.now(),
            for_good=not self.goes_to_trash(instance),
            expected_version=self.expected_version,
            expected_sequence=self.expected_sequence,
        )
        vars(instance).update(vars(removed))


def scope_named(text: str) -> str:
    """Return a scope. Raises ``ValueError`` for what is none."""
    if text not in SCOPES:
        raise ValueError(f"This must be one of {', '.join(SCOPES)}.")
    return text


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
