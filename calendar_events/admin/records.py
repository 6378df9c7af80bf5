"""Events, venues and organizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import Q
from django.db.models.expressions import RawSQL
from django.utils import timezone

from calendar_events.admin.base import RecordAdmin, refused_as_forbidden
from calendar_events.admin.forms import OrderedChoices, PublishedForm
from calendar_events.models import Event, Organizer, Status, Taxonomy, Venue
from calendar_events.permissions import Actor, require_on
from calendar_events.serializers.inputs import EventInput, OrganizerInput, VenueInput
from calendar_events.services import events, places
from calendar_events.services.removal import delete_record, trash_record
from calendar_events.store import search_conditions, sql
from platform_errors.admin import institution_of

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest

PUBLICATION = ("institution", "author", "status", "date_utc", "slug")
WRITTEN = ("id", "created_at", "modified_at", "seen_version")
"""The version travels hidden, to notice who else was writing."""


class EventForm(PublishedForm):
    """An event; its password and its parent are set only here (decisions 7)."""

    input = EventInput
    input_names: ClassVar = {"at_venues": "venue", "by_organizers": "organizer"}
    only_here = frozenset({"password", "post_parent"})

    start_date = forms.CharField(help_text="In the event's zone: 2031-01-15 19:00:00")
    end_date = forms.CharField()
    at_venues = OrderedChoices(Event, "venues", label="Venues")
    by_organizers = OrderedChoices(Event, "organizers", label="Organizers")
    in_terms = OrderedChoices(Event, "terms", label="Categories and tags")

    class Meta:
        model = Event
        fields = [
            *("institution", "title", "slug", "status", "author", "description"),
            *("excerpt", "timezone", "all_day", "cost", "website", "image", "show_map"),
            *("show_map_link", "hide_from_listings", "sticky", "featured", "ticketed"),
            *("password", "post_parent"),
        ]

    def shown(self) -> dict[str, Any]:
        """Return the dates and the links, too."""
        event = self.instance
        if not event.pk:
            return super().shown()
        return super().shown() | {
            "start_date": str(event.start_local),
            "end_date": str(event.end_local),
            "at_venues": self._linked("venues", "eventvenue__position"),
            "by_organizers": self._linked("organizers", "eventorganizer__position"),
            "in_terms": self._linked("terms", "eventterm__position"),
        }

    def _linked(self, name: str, position: str) -> list[Any]:
        """Return what is linked now, or was in the state that is looked at."""
        state = getattr(self.instance, "_history", None)
        if state is None:
            return list(getattr(self.instance, name).order_by(position))
        model: Any = Event._meta.get_field(name).related_model
        found = model.objects.in_bulk(state.linked.get(name, []))
        return list(found.values())

    def body(self, *, is_new: bool) -> dict[str, Any]:
        """Tell categories from tags."""
        body = super().body(is_new=is_new)
        del body["in_terms"]
        terms = self.cleaned_data.get("in_terms") or []
        for name, taxonomy in (("categories", Taxonomy.CATEGORY), ("tags", Taxonomy.TAG)):
            body[name] = [term.pk for term in terms if term.taxonomy == taxonomy]
        return body

    def clean_post_parent(self) -> Event | None:
        """Require that the parent is another event of the institution."""
        parent: Event | None = self.cleaned_data["post_parent"]
        if parent is None:
            return None
        institution = self.cleaned_data.get("institution") or self.instance.institution
        if parent.pk == self.instance.pk or parent.institution != institution:
            raise forms.ValidationError("Choose another event of the same institution.")
        return parent


class VenueForm(PublishedForm):
    """A venue."""

    input = VenueInput
    input_names: ClassVar = {"name": "venue"}

    class Meta:
        model = Venue
        fields = [
            *("institution", "name", "slug", "status", "author", "description", "address"),
            *("city", "country", "province", "state", "stateprovince", "zip", "phone"),
            *("website", "image", "show_map", "show_map_link", "geo_lat", "geo_lng"),
        ]


class OrganizerForm(PublishedForm):
    """An organizer."""

    input = OrganizerInput
    input_names: ClassVar = {"name": "organizer"}

    class Meta:
        model = Organizer
        fields = [
            *("institution", "name", "slug", "status", "author", "description", "phone"),
            *("website", "email", "image"),
        ]


class PublishedAdmin(RecordAdmin):
    """What events, venues and organizers share."""

    list_filter: ClassVar[tuple[str, ...]] = ("status", "institution")
    list_select_related = ("author",)
    autocomplete_fields: ClassVar[tuple[str, ...]] = ("author", "image")
    ordering = ("-id",)
    actions = ("move_to_trash",)

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        """Keep others' drafts from those who may not read them."""
        rows = super().get_queryset(request)
        if self._reads_all(request):
            return rows
        public = self.model.objects.public(timezone.now())
        return rows.filter(Q(author=request.user.pk) | Q(pk__in=public.values("pk")))

    def is_allowed(self, request: HttpRequest, verb: str, obj: Any = None) -> bool:
        """Keep others' drafts from those who may not read them, also by address."""
        return super().is_allowed(request, verb, obj) and (
            obj is None
            or self._reads_all(request)
            or obj.author_id == request.user.pk
            or obj.status_at(timezone.now()) == Status.PUBLISH
        )

    def _reads_all(self, request: HttpRequest) -> bool:
        actor = Actor(user=request.user, institution="")
        return institution_of(request) is None or actor.has("read_unpublished", self.model)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Leave out what the user may not set."""
        out = self._left_out(request)
        return [
            (
                title,
                {**options, "fields": [n for n in options["fields"] if n not in out]},
            )
            for title, options in super().get_fieldsets(request, obj)
        ]

    def _left_out(self, request: HttpRequest) -> set[str]:
        names = set() if institution_of(request) is None else set(self.form.only_here)
        actor = Actor(user=request.user, institution="")
        if not actor.has("change_others", self.model):
            names.add("author")
        return names

    def require(self, *, actor: Actor, verb: str, record: Any) -> None:
        """Require the right to change or delete this very record."""
        require_on(actor, verb, record)

    def trash(self, *, record: Any, actor: Actor, now: datetime) -> None:
        """Move the record to the trash."""
        trash_record(self.model, actor=actor, pk=record.pk, now=now)

    def remove(self, *, record: Any, actor: Actor, now: datetime) -> None:
        """Delete the record for good."""
        delete_record(self.model, actor=actor, pk=record.pk)

    @admin.action(description="Move to the trash", permissions=["delete"])
    def move_to_trash(self, request: HttpRequest, queryset: QuerySet) -> None:
        """Trash what is not there yet; it can be restored by its status."""
        records = list(queryset.exclude(status=Status.TRASH))
        for record in records:
            actor = Actor(user=request.user, institution=record.institution)
            with refused_as_forbidden():
                self.trash(record=record, actor=actor, now=timezone.now())
        messages.success(request, f"Moved to the trash: {len(records)}.")


@admin.register(Event)
class EventAdmin(PublishedAdmin):
    """Events."""

    form = EventForm
    history_list_display = ("links",)  # who and why have columns of their own
    list_display = ("title", "start_local", "timezone", "status", "institution", "author")
    list_filter = (*PublishedAdmin.list_filter, "featured", "sticky", "hide_from_listings")
    autocomplete_fields = ("author", "image", "post_parent")
    fieldsets = (
        (None, {"fields": ("title", "description", "excerpt", "image")}),
        ("When", {"fields": ("start_date", "end_date", "all_day", "timezone")}),
        ("Where, who, what", {"fields": ("at_venues", "by_organizers", "in_terms")}),
        ("Price and address", {"fields": ("cost", "website", "ticketed")}),
        ("Publication", {"fields": (*PUBLICATION, "password", "post_parent")}),
        (
            "Shown as",
            {
                "fields": (
                    *("featured", "sticky", "hide_from_listings"),
                    *("show_map", "show_map_link"),
                )
            },
        ),
        ("Record", {"fields": WRITTEN}),
    )

    def having(self, word: str) -> Q:
        """Return the condition for the events with a folded word."""
        if not sql.is_postgres():
            return super().having(word)
        return Q(pk__in=RawSQL(*search_conditions.identifiers(word)))  # noqa: S611 -- words are parameters

    def create(self, *, actor: Actor, changes: Any, now: datetime) -> Event:
        """Create the event."""
        return events.create_event(actor=actor, changes=changes, now=now)

    def update(self, *, record: Any, actor: Actor, changes: Any, now: datetime) -> Event:
        """Change the event."""
        return events.update_event(
            actor=actor,
            pk=record.pk,
            changes=changes,
            now=now,
            expected_version=record.version,
        )


@admin.register(Venue)
class VenueAdmin(PublishedAdmin):
    """Venues."""

    form = VenueForm
    list_display = ("name", "city", "country", "status", "institution", "author")
    fieldsets = (
        (None, {"fields": ("name", "description", "image", "website", "phone")}),
        (
            "Address",
            {
                "fields": (
                    *("address", "city", "zip", "state", "province", "stateprovince"),
                    *("country", "geo_lat", "geo_lng", "show_map", "show_map_link"),
                )
            },
        ),
        ("Publication", {"fields": PUBLICATION}),
        ("Record", {"fields": WRITTEN}),
    )

    def create(self, *, actor: Actor, changes: Any, now: datetime) -> Venue:
        """Create the venue."""
        return places.create_place(Venue, actor=actor, changes=changes, now=now)

    def update(self, *, record: Any, actor: Actor, changes: Any, now: datetime) -> Venue:
        """Change the venue."""
        return places.update_place(
            Venue,
            actor=actor,
            pk=record.pk,
            changes=changes,
            now=now,
            expected_version=record.version,
        )


@admin.register(Organizer)
class OrganizerAdmin(PublishedAdmin):
    """Organizers."""

    form = OrganizerForm
    list_display = ("name", "email", "phone", "status", "institution", "author")
    fieldsets = (
        (None, {"fields": ("name", "description", "image", "website", "email", "phone")}),
        ("Publication", {"fields": PUBLICATION}),
        ("Record", {"fields": WRITTEN}),
    )

    def create(self, *, actor: Actor, changes: Any, now: datetime) -> Organizer:
        """Create the organizer."""
        return places.create_place(Organizer, actor=actor, changes=changes, now=now)

    def update(
        self, *, record: Any, actor: Actor, changes: Any, now: datetime
    ) -> Organizer:
        """Change the organizer."""
        return places.update_place(
            Organizer,
            actor=actor,
            pk=record.pk,
            changes=changes,
            now=now,
            expected_version=record.version,
        )
