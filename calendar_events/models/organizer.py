"""Organizers: who holds events."""

from django.db import models
from django.db.models import Q
from simple_history.models import HistoricalRecords

from calendar_events.models.history import StateManager, reason_field
from calendar_events.models.indexes import SubstringIndex
from calendar_events.models.querysets.places import PlaceQuerySet
from calendar_events.models.record import Record, record_permissions
from calendar_events.parsing import text


class Organizer(Record):
    """A person or body (spec 2.5)."""

    name = models.CharField(max_length=500)
    phone = models.CharField(max_length=255, blank=True, default="")
    email = models.CharField(max_length=254, blank=True, default="")

    history = HistoricalRecords(
        excluded_fields=Record.rendered_fields,
        history_manager=StateManager,
        history_change_reason_field=reason_field(),
    )

    objects = PlaceQuerySet.as_manager()

    class Meta(Record.Meta):
        constraints = [
            *Record.Meta.constraints,
            models.CheckConstraint(condition=~Q(name=""), name="organizer_has_name"),
        ]
        indexes = [
            SubstringIndex("organizer_search"),
            models.Index(fields=["published_at", "id"], name="organizer_newest"),
            models.Index(
                fields=["institution", "published_at", "id"], name="organizer_inst_newest"
            ),
            models.Index(
                fields=["institution", "sort_text", "id"], name="organizer_by_name"
            ),
            # "Which have changed since?", also of events by what they embed.
            models.Index(fields=["modified_at", "id"], name="organizer_modified"),
        ]
        permissions = record_permissions("organizer")

    def searched_texts(self) -> list[str]:
        """Return the name, the description and how to reach the organizer."""
        description = text.strip_html(self.description)
        return [self.name, description, self.phone, self.email, self.website]

    def __str__(self) -> str:
        return f"{self.name} ({self.pk})"
