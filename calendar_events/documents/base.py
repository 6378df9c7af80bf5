"""What the serializers of documents have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.functional import cached_property
from rest_framework import serializers

from calendar_events.documents.fields import Html, JsonLd
from calendar_events.documents.moments import Moment, SiteMoment
from calendar_events.models import Status

if TYPE_CHECKING:
    from django.db import models

PUBLICATION = (
    *("author", "status", "date", "date_utc", "modified", "modified_utc", "url"),
)
"""The fields that say who published a record and when; they stand together."""


class Document(serializers.ModelSerializer):
    """A row as it is answered.

    Its ``to_representation`` gives the part that is stored, when the row is written. The
    OpenAPI document describes the same fields.
    """

    def build_standard_field(
        self, field_name: str, model_field: models.Field[Any, Any]
    ) -> tuple[type[serializers.Field], dict[str, Any]]:
        """Return the field for a column without what holds for input alone.

        That is its lengths, validators and defaults: what is answered is always there.
        """
        field_class, _ = super().build_standard_field(field_name, model_field)
        return field_class, {}

    @cached_property
    def optional(self) -> list[str]:
        """Return the fields that are left out when they are empty."""
        return [name for name, field in self.fields.items() if not field.required]

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Return the stored part of the document."""
        document = super().to_representation(instance)
        for name in self.optional:
            if name in document and document[name] in ("", None):
                del document[name]
        return document


class Published(Document):
    """What events, venues and organizers share."""

    author = serializers.IntegerField(source="author_id")
    status = serializers.ChoiceField(choices=Status.values)
    date = SiteMoment(source="published_at", help_text="In the zone of the site.")
    date_utc = Moment(source="published_at")
    modified = SiteMoment(source="modified_at", help_text="In the zone of the site.")
    modified_utc = Moment(source="modified_at")
    description = Html(help_text="HTML.")
    json_ld = JsonLd(required=False, help_text="In single answers.")
