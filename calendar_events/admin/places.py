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


class PlaceAdmin(PublishedAdmin):
    """What venues and organizers share."""

    def create(self, *, actor: Actor, changes: Any, now: datetime) -> Any:
        return places.create_place(self.model, actor=actor, changes=changes, now=now)

    def update(self, *, record: Any, actor: Actor, changes: Any, now: datetime) -> Any:
        return places.update_place(
            self.model,
            actor=actor,
            pk=record.pk,
            changes=changes,
            now=now,
            expected_version=record.version,
        )


@admin.register(Venue)
class VenueAdmin(PlaceAdmin):
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


@admin.register(Organizer)
class OrganizerAdmin(PlaceAdmin):
    """Organizers."""

    form = OrganizerForm
    list_display = ("name", "email", "phone", "status", "institution", "author")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    *("name", "description", "image", "picture"),
                    *("website", "email", "phone"),
                )
            },
        ),
        ("Publication", {"fields": PUBLICATION}),
        ("Record", {"fields": WRITTEN}),
    )
