"""Events, venues and organizers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.models import Q
from django.db.models.expressions import RawSQL
from django.utils import timezone
from simple_history.template_utils import HistoricalRecordContextHelper

from calendar_events.admin.actions import StatusActions
from calendar_events.admin.deleted import DeletedRecords
from calendar_events.admin.institutions import InstitutionFilter
from calendar_events.admin.record_forms import EventForm, OrganizerForm, VenueForm
from calendar_events.models import Event, Organizer, Status, Venue
from calendar_events.permissions import Actor, require_on
from calendar_events.services import events, places
from calendar_events.services.removal import delete_record, trash_record
from calendar_events.store import search_conditions, sql
from platform_errors.admin import institution_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest

PUBLICATION = ("institution", "author", "status", "date_utc", "slug")
WRITTEN = ("id", "created_at", "modified_at", "seen_version")
"""The version travels hidden, to notice who else was writing."""


class WithoutSecrets(HistoricalRecordContextHelper):
    """The differences between two versions, some columns left out."""

    def __init__(self, model: Any, record: Any, left_out: Iterable[str]) -> None:
        """Leave out the columns of these names."""
        super().__init__(model, record)
        self.left_out = frozenset(left_out)

    def context_for_delta_changes(self, delta: Any) -> Any:
        """Return what the page shows of the differences."""
        shown = [each for each in delta.changes if each.field not in self.left_out]
        return super().context_for_delta_changes(replace(delta, changes=shown))


class PublishedAdmin(StatusActions, DeletedRecords):
    """What events, venues and organizers share."""

    list_filter: ClassVar[tuple[Any, ...]] = ("status", InstitutionFilter)
    list_select_related = ("author",)
    autocomplete_fields: ClassVar[tuple[str, ...]] = ("author", "image")
    ordering = ("-id",)

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

    def get_deleted(self, request: HttpRequest) -> QuerySet[Any]:
        """Keep others' records, which may have been drafts, from who may not read those."""
        states = super().get_deleted(request)
        if self._reads_all(request):
            return states
        return states.filter(author=request.user.pk)

    def has_view_history_or_change_history_permission(
        self, request: HttpRequest, obj: Any = None
    ) -> bool:
        """Keep versions of others' records from who may not read their drafts."""
        return super().has_view_history_or_change_history_permission(request, obj) and (
            obj is None or self._reads_all(request) or obj.author_id == request.user.pk
        )

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
        people = get_user_model()._meta
        sees_people = request.user.has_perm(f"{people.app_label}.view_{people.model_name}")
        if not (sees_people and actor.has("change_others", self.model)):
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

    actions = (*StatusActions.actions, "feature", "stop_featuring")

    @admin.action(description="Feature", permissions=["change"])
    def feature(self, request: HttpRequest, queryset: QuerySet) -> None:
        """Mark events as featured."""
        plain = queryset.filter(featured=False)
        self.set_each(request, plain, {"featured": True}, done="Featured")

    @admin.action(description="Stop featuring", permissions=["change"])
    def stop_featuring(self, request: HttpRequest, queryset: QuerySet) -> None:
        """Take the mark from events."""
        marked = queryset.filter(featured=True)
        self.set_each(request, marked, {"featured": False}, done="No longer featured")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        """Keep others' protected events from those who would need the password."""
        rows = super().get_queryset(request)
        if self._needs_passwords(request):
            rows = rows.filter(Q(password="") | Q(author=request.user.pk))
        return rows

    def is_allowed(self, request: HttpRequest, verb: str, obj: Any = None) -> bool:
        """Keep others' protected events from those who would need the password."""
        return super().is_allowed(request, verb, obj) and not (
            obj is not None
            and obj.password
            and obj.author_id != request.user.pk
            and self._needs_passwords(request)
        )

    def _needs_passwords(self, request: HttpRequest) -> bool:
        actor = Actor(user=request.user, institution="")
        return institution_of(request) is not None and not actor.has("change_others", Event)

    def get_historical_record_context_helper(
        self, request: HttpRequest, historical_record: Any
    ) -> Any:
        """Say of what only the platform sets neither what it was nor what it is."""
        helper = super().get_historical_record_context_helper(request, historical_record)
        if institution_of(request) is not None:
            helper = WithoutSecrets(self.model, historical_record, self.form.only_here)
        return helper

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
