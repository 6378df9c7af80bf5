"""The history of a record in words: what changed, from what to what, by whom and why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from simple_history.template_utils import HistoricalRecordContextHelper

from calendar_events.models import Event

Links = Mapping[str, Sequence[int]]
Names = Mapping[str, Mapping[int, str]]

LABELS = {
    "start_local": "Starts",
    "end_local": "Ends",
    "timezone": "Time zone",
    "published_at": "Published at (UTC)",
    "previous_status": "Status before the trash",
    "post_parent": "Parent",
    "geo_lat": "Latitude",
    "geo_lng": "Longitude",
}
"""What the forms call columns whose own names say less."""
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
        """Return the columns that differ, and then the links."""
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
