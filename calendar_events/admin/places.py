"""Venues and organizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin

from calendar_events.admin.published import PUBLICATION, WRITTEN, PublishedAdmin
from calendar_events.admin.record_forms import OrganizerForm, VenueForm
from calendar_events.models import Organizer, Venue
from calendar_events.services import places

if TYPE_CHECKING:
    from datetime import datetime

    from calendar_events.permissions import Actor


@admin.register(Venue)
class VenueAdmin(PublishedAdmin):
    """Venues."""

    form = VenueForm
    list_display = ("name", "city", "country", "status", "institution", "author")
    fieldsets = (
        (None, {"fields": ("name", "description", "image", "picture", "website", "phone")}),
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
        (
            None,
            {
                "fields": (
                    "name",
                    "description",
                    "image",
                    "picture",
                    "website",
                    "email",
                    "phone",
                )
            },
        ),
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
