"""Venues and organizers."""

from django.contrib import admin

from calendar_events.admin.published import PUBLICATION, WRITTEN, PublishedAdmin
from calendar_events.admin.record_forms import OrganizerForm, VenueForm
from calendar_events.models import Organizer, Venue


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
                    *("name", "description", "image", "picture"),
                    *("website", "email", "phone"),
                )
            },
        ),
        ("Publication", {"fields": PUBLICATION}),
        ("Record", {"fields": WRITTEN}),
    )
