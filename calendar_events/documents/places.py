"""Venues and organizers as they are answered (contract events 2.3, contract events 2.4)."""

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from calendar_events.documents import addresses, ical, jsonld
from calendar_events.documents.base import PUBLICATION, ImageDocument, Published
from calendar_events.documents.fields import GlobalId, Html, Lineage, PageAddress
from calendar_events.models import Organizer, Venue

_VENUE_DETAILS = (
    *("address", "city", "country", "province", "state", "zip", "phone", "website"),
    *("stateprovince", "geo_lat", "geo_lng"),
)
_ORGANIZER_DETAILS = ("phone", "website", "email")


class Place(Published):
    """What venues and organizers share: what is empty is left out."""

    description = Html(required=False, help_text="HTML.")
    image = ImageDocument(required=False)


@extend_schema_serializer(component_name="Venue")
class VenueDocument(Place):
    """A venue; what is empty is left out."""

    url = PageAddress("/venues")
    venue = serializers.CharField(source="name", help_text="The name.")
    global_id = GlobalId("?type=venue&id={0.id}")
    global_id_lineage = Lineage(child=GlobalId("?type=venue&id={0.id}"))

    class Meta:
        model = Venue
        fields = (
            *("id", *PUBLICATION, "venue", "slug", "show_map", "show_map_link"),
            *("global_id", "global_id_lineage", "description", "image"),
            *(*_VENUE_DETAILS, "json_ld"),
        )
        extra_kwargs = {name: {"required": False} for name in _VENUE_DETAILS}

    def columns(self, record: Venue) -> dict[str, str]:
        document = self.to_representation(record)
        return {
            "fragment": addresses.members(document),
            "feed_text": ical.venue_text(document),
            "json_ld": addresses.members(jsonld.place(document)),
        }


@extend_schema_serializer(component_name="Organizer")
class OrganizerDocument(Place):
    """An organizer; what is empty is left out."""

    url = PageAddress("/organizers")
    organizer = serializers.CharField(source="name", help_text="The name.")
    global_id = GlobalId("?type=organizer&id={0.id}")
    global_id_lineage = Lineage(child=GlobalId("?type=organizer&id={0.id}"))

    class Meta:
        model = Organizer
        fields = (
            *("id", *PUBLICATION, "organizer", "slug", "global_id", "global_id_lineage"),
            *("description", "image", *_ORGANIZER_DETAILS, "json_ld"),
        )
        extra_kwargs = {name: {"required": False} for name in _ORGANIZER_DETAILS}

    def columns(self, record: Organizer) -> dict[str, str]:
        document = self.to_representation(record)
        return {
            "fragment": addresses.members(document),
            "feed_text": ical.organizer_text(document),
            "json_ld": addresses.members(jsonld.person(document)),
        }
