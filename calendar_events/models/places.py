"""Venues, where events happen, and organizers, who hold them."""

from typing import Any

from django.db import models
from django.db.models import Q
from simple_history.models import HistoricalRecords

from calendar_events.models.fields import SubstringIndex
from calendar_events.models.querysets.places import PlaceQuerySet
from calendar_events.models.record import (
    Record,
    StateManager,
    reason_field,
    record_permissions,
)
from calendar_events.parsing import text


class Venue(Record):
    """A place (spec 2.4)."""

    name = models.CharField(max_length=500)
    address = models.CharField(max_length=500, blank=True, default="")
    city = models.CharField(max_length=255, blank=True, default="")
    country = models.CharField(max_length=255, blank=True, default="")
    province = models.CharField(max_length=255, blank=True, default="")
    state = models.CharField(max_length=255, blank=True, default="")
    zip = models.CharField(max_length=64, blank=True, default="")
    phone = models.CharField(max_length=255, blank=True, default="")
    stateprovince = models.CharField(max_length=255, blank=True, default="")
    show_map = models.BooleanField(default=True)
    show_map_link = models.BooleanField(default=True)
    geo_lat = models.FloatField(null=True, blank=True)
    geo_lng = models.FloatField(null=True, blank=True)

    history = HistoricalRecords(
        excluded_fields=Record.rendered_fields,
        history_manager=StateManager,
        history_change_reason_field=reason_field(),
    )

    objects = PlaceQuerySet.as_manager()

    class Meta(Record.Meta):
        constraints = [
            *Record.Meta.constraints,
            models.CheckConstraint(condition=~Q(name=""), name="venue_has_name"),
            models.CheckConstraint(
                condition=Q(geo_lat__isnull=True, geo_lng__isnull=True)
                | Q(
                    geo_lat__gte=-90,
                    geo_lat__lte=90,
                    geo_lng__gte=-180,
                    geo_lng__lte=180,
                ),
                name="venue_coordinates_are_both_or_none",
            ),
        ]
        indexes = [
            SubstringIndex("venue_search"),
            models.Index(fields=["published_at", "id"], name="venue_newest"),
            models.Index(
                fields=["institution", "published_at", "id"], name="venue_inst_newest"
            ),
            # An event that brings a venue along asks whether there is one of that name.
            models.Index(fields=["institution", "sort_text", "id"], name="venue_by_name"),
            models.Index(
                fields=["geo_lat", "geo_lng"],
                condition=Q(geo_lat__isnull=False),
                name="venue_coordinates",
            ),
            # "Which have changed since?", also of events by what they embed.
            models.Index(fields=["modified_at", "id"], name="venue_modified"),
        ]
        permissions = record_permissions("venue")

    def linked_rows(self) -> dict[str, models.QuerySet[Any]]:
        return {"events": self.events.all(), **super().linked_rows()}

    def searched_texts(self) -> list[str]:
        return [
            *(self.name, text.strip_html(self.description)),
            *(self.address, self.city, self.province, self.state),
            *(self.stateprovince, self.zip, self.phone),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.pk})"


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

    def linked_rows(self) -> dict[str, models.QuerySet[Any]]:
        return {"events": self.events.all(), **super().linked_rows()}

    def searched_texts(self) -> list[str]:
        description = text.strip_html(self.description)
        return [self.name, description, self.phone, self.email, self.website]

    def __str__(self) -> str:
        return f"{self.name} ({self.pk})"
