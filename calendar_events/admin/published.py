"""The common admin of events, venues and organizers."""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from calendar_events.admin.actions import STATUS_ACTIONS, change_author, move_to_institution
from calendar_events.admin.base import RecordAdmin
from calendar_events.admin.history import DeletedPage
from calendar_events.admin.images import thumbnail
from calendar_events.admin.institutions import InstitutionFilter
from calendar_events.admin.pages import Page
from calendar_events.admin.preview import PreviewPage
from calendar_events.admin.review import ReviewFilter, ReviewPage
from calendar_events.models import Image, Status, visibility
from calendar_events.permissions import Actor, may_move
from calendar_events.services import desk
from institution_admin import institution_of

PUBLICATION = ("institution", "author", "status", "date_utc", "slug")
WRITTEN = ("id", "created_at", "modified_at", "seen_version")
"""The version travels hidden, to notice who else was writing."""


class PublishedAdmin(RecordAdmin):
    """The common admin of events, venues and organizers."""

    pages: ClassVar[tuple[Page, ...]] = (ReviewPage(), PreviewPage(), DeletedPage())
    actions: tuple[Any, ...] = (*(*STATUS_ACTIONS, change_author, move_to_institution),)
    change_list_template = "admin/calendar_events/record_list.html"
    list_filter: ClassVar[tuple[Any, ...]] = ("status", ReviewFilter, InstitutionFilter)
    change_form_template = "admin/calendar_events/record_form.html"
    list_select_related = ("author",)
    autocomplete_fields: ClassVar[tuple[str, ...]] = ("author", "image")
    ordering = ("-id",)
    readonly_fields: ClassVar[tuple[str, ...]] = (*RecordAdmin.readonly_fields, "picture")

    @admin.display(description="Picture now")
    def picture(self, record: Any) -> str:
        image = Image.objects.filter(pk=record.image_id).first()
        return thumbnail(image) if image else "None"

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        """Keep others' drafts from those who may not read them."""
        rows = super().get_queryset(request)
        if self.reads_all(request):
            return rows
        public = visibility.as_q(visibility.public(timezone.now()))
        return rows.filter(Q(author=request.user.pk) | public)

    def is_allowed(self, request: HttpRequest, verb: str, obj: Any = None) -> bool:
        """Keep others' drafts from those who may not read them, also by address."""
        return super().is_allowed(request, verb, obj) and (
            obj is None
            or self.reads_all(request)
            or obj.author_id == request.user.pk
            or obj.status_at(timezone.now()) == Status.PUBLISH
        )

    def reads_all(self, request: HttpRequest) -> bool:
        """Return whether the user may read others' drafts."""
        actor = Actor(user=request.user, institution="")
        return institution_of(request) is None or actor.has("read_unpublished", self.model)

    def has_view_history_or_change_history_permission(
        self, request: HttpRequest, obj: Any = None
    ) -> bool:
        """Keep versions of others' records from who may not read their drafts."""
        return super().has_view_history_or_change_history_permission(request, obj) and (
            obj is None or self.reads_all(request) or obj.author_id == request.user.pk
        )

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        record = kwargs.get("obj")
        if record is not None:
            context["returned"] = desk.last_comment(record)
        return super().render_change_form(request, context, *args, **kwargs)

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

    def has_author_permission(self, request: HttpRequest) -> bool:
        """Offer authors to those whose form has the field."""
        return "author" not in self._left_out(request) and self.has_change_permission(
            request
        )

    def has_publish_permission(self, request: HttpRequest) -> bool:
        """Offer publication to those whose records may be seen by everybody."""
        actor = Actor(user=request.user, institution="")
        return actor.has("publish", self.model) and actor.has("change", self.model)

    def has_move_permission(self, request: HttpRequest) -> bool:
        """Let staff of the platform alone give records to another institution."""
        actor = Actor(user=request.user, institution="")
        return (
            institution_of(request) is None
            and may_move(actor, self.model)
            and self.has_change_permission(request)
        )
