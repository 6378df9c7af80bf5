"""Events."""

from contextlib import suppress
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from calendar_events.admin import series_removal
from calendar_events.admin.actions import feature, move_to_venue, stop_featuring
from calendar_events.admin.base import refused_as_forbidden
from calendar_events.admin.event_blocks import LIST, of_events
from calendar_events.admin.history import Differences
from calendar_events.admin.month import DayFilter, MonthPage
from calendar_events.admin.published import PUBLICATION, WRITTEN, PublishedAdmin
from calendar_events.admin.record_forms import EventForm
from calendar_events.admin.series_fields import REPEATS, is_version
from calendar_events.admin.series_scope import SeriesFilter
from calendar_events.models import Event, Status, visibility
from calendar_events.models.standing import EventStatus
from calendar_events.models.visibility import Viewer
from calendar_events.permissions import Actor
from calendar_events.services import series_edits
from calendar_events.services.changesets import THIS
from institution_admin import institution_of
from institution_admin.dashboard import Block
from institution_admin.search import MOST_FOUND, is_short, newest

ONLINE = "online_address"
SERIES = "Series"
SAMPLES = ((1_000, 100), (10_000, MOST_FOUND))
"""Of so many of the newest events so many must have the words for these to be common."""


@admin.register(Event)
class EventAdmin(PublishedAdmin):
    """Events."""

    form = EventForm
    save_as = True
    delete_confirmation_template = "admin/calendar_events/delete_event.html"
    pages = (MonthPage(), *PublishedAdmin.pages)
    search_help_text = (
        "Words of the title or text, or an id; one or two Latin letters "
        "match only the beginning of a title. "
        f"The newest {MOST_FOUND:,} events are found."
    )
    list_display = ("listed_title", "starts", "zone", "status", "institution", "author")
    list_filter = (
        *(DayFilter, SeriesFilter, *PublishedAdmin.list_filter),
        *("event_status", "featured", "sticky", "hide_from_listings"),
    )
    autocomplete_fields = ("author", "image", "post_parent")
    fieldsets = (
        (None, {"fields": ("title", "description", "excerpt", "image", "picture")}),
        (SERIES, {"fields": ("in_series", "scope")}),
        (
            "When",
            {
                "fields": (
                    "start_date",
                    "end_date",
                    "all_day",
                    "timezone",
                    *REPEATS,
                    "confirmed",
                )
            },
        ),
        (
            "Where, who, what",
            {"fields": ("at_venues", "by_organizers", "in_categories", "in_terms")},
        ),
        (
            "Takes place",
            {
                "fields": (
                    *("event_status", "status_reason", "attendance_mode"),
                    *("online_address", "online_audience", "online_from_utc"),
                )
            },
        ),
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

    actions = (*PublishedAdmin.actions, move_to_venue, feature, stop_featuring)

    def get_form(
        self, request: HttpRequest, obj: Any = None, *args: Any, **kwargs: Any
    ) -> type[EventForm]:
        """Give the form the event that "Save as new" copies.

        Raises ``Http404`` and ``PermissionDenied`` where the user may not view it, or
        it is in the trash.
        """
        form = super().get_form(request, obj, *args, **kwargs)
        match = request.resolver_match
        copied = match.kwargs.get("object_id") if match else None
        if obj is None and copied and "_saveasnew" in request.POST:
            form.copied = self.get_visible(request, copied)
            if form.copied.status == Status.TRASH:
                raise PermissionDenied("It is in the trash.")
        return form

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Offer "Save as new" with fields to send, and not for what is in the trash.

        Dates that are to be confirmed are no error to be corrected.
        """
        if to_confirm := context["adminform"].form.to_confirm:
            context |= {"to_confirm": to_confirm, "errors": []}
        page: Any = super().render_change_form(request, context, *args, **kwargs)
        event = kwargs.get("obj")
        if event is not None:
            page.context_data["save_as"] = (
                event.status != Status.TRASH and self.has_change_permission(request, event)
            )
        return page

    readonly_fields = (*PublishedAdmin.readonly_fields, "in_series")

    @admin.display(description="This is")
    def in_series(self, event: Event) -> str:
        """Say which date of which series an occurrence is, with a way to the others."""
        series: Any = event.series
        others = f"{reverse(LIST)}?series={series.pk}"
        total = f" of {series.total}" if series.total else ""
        return format_html(
            'date {}{} of a series: {}. <a href="{}">All its dates</a>',
            *(event.position, total, series.words, others),
        )

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Ask of an occurrence whom a change is for, and a version only what it says."""
        is_former = obj is not None and is_version(obj)
        hidden = {*REPEATS, "confirmed"} if is_former else set()
        is_asked = obj is not None and obj.series_id is not None and not is_former
        return [
            (
                title,
                {**options, "fields": [n for n in options["fields"] if n not in hidden]},
            )
            for title, options in self._fieldsets_to_show(request, obj)
            if is_asked or title != SERIES
        ]

    def update(self, *, record: Any, actor: Actor, changes: Any, now: datetime) -> Any:
        """Write the event, or the occurrences of its series that are meant."""
        scope = changes.pop("scope", THIS)
        if scope == THIS:
            return super().update(record=record, actor=actor, changes=changes, now=now)
        return series_edits.update_series(
            actor=actor,
            pk=record.pk,
            scope=scope,
            changes=changes,
            now=now,
            expected_version=record.version,
            expected_sequence=record.series.sequence,
        )

    def render_delete_form(
        self, request: HttpRequest, context: dict[str, Any]
    ) -> HttpResponse:
        """Ask of an occurrence which dates of its series are deleted with it."""
        asked = series_removal.question(request, context["object"])
        return super().render_delete_form(request, context | asked)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete the event, or the dates of its series that were chosen."""
        if not series_removal.is_chosen(request, obj):
            super().delete_model(request, obj)
            return
        with refused_as_forbidden():
            series_removal.remove(request, obj, now=timezone.now())

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        """Delete the dates that were selected, and no others of their series."""
        for event in queryset:
            with suppress(Event.DoesNotExist):
                super().delete_model(request, event)

    @admin.display(description="title", ordering="sort_text")
    def listed_title(self, event: Event) -> str:
        """Return the title, by which the list is sorted, and whether it takes place."""
        if event.event_status == EventStatus.SCHEDULED:
            return event.title
        return f"{event.title} ({event.get_event_status_display().lower()})"

    @admin.display(description="starts", ordering="start_local")
    def starts(self, event: Event) -> str:
        """Return the beginning, in the time zone of the event."""
        return f"{event.start_local:%Y-%m-%d %H:%M}"

    @admin.display(description="time zone", ordering="timezone")
    def zone(self, event: Event) -> str:
        """Return the time zone, as it was given."""
        return event.timezone

    def dashboard_blocks(self, request: HttpRequest) -> list[Block]:
        """Say on the first page which events are next, and which wait."""
        return of_events(self.get_queryset(request))

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

    def _fieldsets_to_show(self, request: HttpRequest, event: Any) -> Any:
        """Leave out an online address that is not for this user, or not yet."""
        fieldsets = super().get_fieldsets(request, event)
        viewer = Viewer(institution=institution_of(request) or "", user_id=request.user.pk)
        if event is None or self._sees_all(request, event):
            return fieldsets
        if visibility.sees_online_address(viewer, event, timezone.now()):
            return fieldsets
        return [
            (title, {**options, "fields": [n for n in options["fields"] if n != ONLINE]})
            for title, options in fieldsets
        ]

    def get_historical_record_context_helper(
        self, request: HttpRequest, historical_record: Any
    ) -> Differences:
        """Leave out of differences what the form may not show, whenever it was."""
        helper = super().get_historical_record_context_helper(request, historical_record)
        if not self._sees_all(request, historical_record):
            helper.left_out |= {ONLINE}
        return helper

    def _sees_all(self, request: HttpRequest, event: Any) -> bool:
        actor = Actor(user=request.user, institution="")
        is_own = event.author_id == request.user.pk
        return is_own or actor.has("change_others", Event)

    def _needs_passwords(self, request: HttpRequest) -> bool:
        actor = Actor(user=request.user, institution="")
        return institution_of(request) is not None and not actor.has("change_others", Event)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet, search_term: str
    ) -> tuple[QuerySet, bool]:
        """Look once, not for the number of pages and for each page again."""
        found, _ = super().get_search_results(request, queryset, search_term)
        if found is queryset:
            return queryset, False
        if keys := self._newest_by_text(queryset, search_term):
            return queryset.filter(pk__in=keys), False
        return newest(queryset, found), False

    def _newest_by_text(self, queryset: QuerySet, search_term: str) -> list[int]:
        """Return as many events as are shown, if their words are common, by their texts.

        The index finds every event with a word before the newest of them are known.
        """
        keys: list[int] = []
        for size, enough in SAMPLES:
            last = queryset.order_by("-pk").values("pk")[:size]
            rows = self.model.objects.filter(pk__in=last)
            found = self.matching(rows, search_term, by=self.having).order_by("-pk")
            keys = list(found.values_list("pk", flat=True)[:MOST_FOUND])
            if len(keys) < enough:
                return []
        return keys

    def having(self, word: str) -> Q:
        if is_short(word):
            return Q(sort_text__startswith=word)
        return super().having(word)
