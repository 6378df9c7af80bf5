"""The history of records, and the page of deleted ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from simple_history.template_utils import HistoricalRecordContextHelper

from calendar_events.admin.pages import Button, Page
from calendar_events.models import Event
from calendar_events.services import desk
from institution_admin import institution_of

Links = Mapping[str, Sequence[int]]
Names = Mapping[str, Mapping[int, str]]

LABELS = {
    "start_local": "Starts",
    "end_local": "Ends",
    "timezone": "Time zone",
    "published_at": "Published at (UTC)",
    "previous_status": "Status before the trash",
    "post_parent": "Parent",
    "previous_start_utc": "Was to begin (UTC)",
    "online_from": "Online address from (UTC)",
    "geo_lat": "Latitude",
    "geo_lng": "Longitude",
}
"""Labels of the forms, for columns whose own names say less."""
FOLLOWS = frozenset({"start_utc", "end_utc"})
"""Columns that change with others."""
LINKS = {"venues": "Venues", "organizers": "Organizers", "terms": "Categories and tags"}
NOTHING = "nothing"


class Differences(HistoricalRecordContextHelper):
    """The differences between two versions, some columns left out."""

    def __init__(self, model: Any, record: Any, left_out: Iterable[str] = ()) -> None:
        super().__init__(model, record)
        self.left_out = FOLLOWS | frozenset(left_out)

    def context_for_delta_changes(self, delta: Any) -> list[dict[str, Any]]:
        columns = [
            self.format_delta_change(each)
            for each in delta.changes
            if each.field not in self.left_out
        ]
        found = [
            {"field": each.field, "old": each.old, "new": each.new} for each in columns
        ]
        names = getattr(self.record, "link_names", None)
        return (
            found
            if names is None
            else found + _of_links(delta.old_record.linked, delta.new_record.linked, names)
        )

    def format_delta_change(self, change: Any) -> Any:
        """Call a column what the form calls it."""
        formatted = super().format_delta_change(change)
        return replace(formatted, field=LABELS.get(change.field, formatted.field))

    def prepare_delta_change_value(self, change: Any, value: Any) -> Any:
        """Return a value as people write it."""
        value = super().prepare_delta_change_value(change, value)
        choices = dict(self.model._meta.get_field(change.field).flatchoices)
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, datetime):
            return f"{value:%Y-%m-%d %H:%M:%S}"
        return NOTHING if value in {"", None} else choices.get(value, value)


def _of_links(old: Links, new: Links, names: Names) -> list[dict[str, str]]:
    """Return what two versions are linked to, where it differs."""
    return [
        {
            "field": label,
            "old": _in_words(old.get(kind, []), names[kind]),
            "new": _in_words(new.get(kind, []), names[kind]),
        }
        for kind, label in LINKS.items()
        if old.get(kind, []) != new.get(kind, [])
    ]


def _in_words(pks: Sequence[int], names: Mapping[int, str]) -> str:
    return ", ".join(names.get(pk, f"number {pk}") for pk in pks) or NOTHING


def name_links(request: HttpRequest, records: Iterable[Any]) -> None:
    """Give versions of events the names of what they link to, read once for all.

    Only what the user may view in admin is named.
    """
    names: dict[str, dict[int, str]] = {}
    for kind in LINKS:
        model: Any = Event._meta.get_field(kind).related_model
        pks = {pk for record in records for pk in record.linked.get(kind, [])}
        rows = admin.site.get_model_admin(model).get_queryset(request)
        names[kind] = dict(rows.filter(pk__in=pks).values_list("pk", "name"))
    for record in records:
        record.link_names = names
        if record.history_type == "+":
            record.history_delta_changes = _of_links({}, record.linked, names)


PER_PAGE = 50


class DeletedPage(Page):
    """Deleted records, which can be restored from their history."""

    name = "deleted"
    route = "deleted/"

    def list_button(self, request: HttpRequest, model_admin: Any) -> Button:
        label = f"Deleted {model_admin.opts.verbose_name_plural}"
        return Button(label, model_admin.url(self.name))

    def view(self, request: HttpRequest, model_admin: Any, record: None) -> HttpResponse:
        paginator = Paginator(_last_states(request, model_admin), PER_PAGE)
        page = paginator.get_page(request.GET.get("page"))
        page.object_list = [_row(model_admin, state) for state in page.object_list]
        title = f"Deleted {model_admin.opts.verbose_name_plural}"
        return model_admin.render_page(request, "deleted.html", title=title, page=page)


def _last_states(request: HttpRequest, model_admin: Any) -> QuerySet[Any]:
    """Return the last state of each deleted record that the user may view.

    Others' records may have been drafts: who may not read those sees only their own.
    """
    states = model_admin.model.history.model.objects
    last = states.filter(id=OuterRef("id")).order_by("-history_id")
    deleted = states.filter(
        history_type="-", history_id=Subquery(last.values("history_id")[:1])
    )
    institution = institution_of(request)
    if institution is not None:
        deleted = model_admin.of_institution(deleted, institution)
    if not model_admin.reads_all(request):
        deleted = deleted.filter(author=request.user.pk)
    return deleted.select_related("history_user").order_by("-history_id")


def _row(model_admin: Any, state: Any) -> dict[str, Any]:
    return {
        "name": getattr(state, "title", None) or getattr(state, "name", ""),
        "institution": state.institution,
        "at": state.history_date,
        "by": state.history_user,
        "restored_as": desk.restored_as(state),
        "history_url": model_admin.url("history", state.id),
    }
