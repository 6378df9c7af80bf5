"""Events as they are answered (contract events 2)."""

from functools import lru_cache
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from calendar_events.conf import conf
from calendar_events.documents import addresses, ical, jsonld, standing
from calendar_events.documents.base import PUBLICATION, ImageDocument, Published
from calendar_events.documents.fields import (
    AddressField,
    DateDetails,
    GlobalId,
    Html,
    Joined,
    JoinedList,
    Lineage,
    Moment,
    PageAddress,
)
from calendar_events.documents.places import OrganizerDocument
from calendar_events.documents.standing import StandingMembers
from calendar_events.documents.terms import TermDocument
from calendar_events.models import Event, Image
from calendar_events.parsing import costs, dates

_VENUE = {"$ref": "#/components/schemas/Venue"}
_OWN_ZONE = "In the event's own zone."
_ORIGINAL = "The date of the series that it stands for, wherever it was moved."
FLAGS = (
    *("all_day", "show_map", "show_map_link", "hide_from_listings"),
    *("sticky", "featured", "ticketed"),
)
"""What is null in a protected event without its password."""
SHOWN = frozenset(
    {
        *("id", "global_id", "global_id_lineage", "author", "status", "date", "date_utc"),
        *("modified", "modified_utc", "url", "rest_url", "title", "slug"),
        *("start_date", "start_date_details", "end_date", "end_date_details"),
        *("utc_start_date", "utc_start_date_details", "utc_end_date"),
        *("utc_end_date_details", "timezone", "timezone_abbr", "custom_fields"),
        "recurrence",
    }
)
"""The fields that a protected event shows without its password; all others are blank."""

_cost = lru_cache(maxsize=128)(costs.read)
"""A cost is two members of a document."""


class CostText(serializers.CharField):
    """A cost in words."""

    def to_representation(self, written: str) -> str:
        return _cost(written, currency=conf.currency).text


@extend_schema_serializer(component_name="CostDetails")
class CostDetails(serializers.Serializer):
    """A cost in numbers."""

    currency_symbol = serializers.CharField(source="symbol")
    currency_code = serializers.CharField(source="code")
    currency_position = serializers.CharField(
        source="position", help_text="`prefix`, `postfix` or empty."
    )
    values = serializers.ListField(child=serializers.CharField(), help_text="Ascending.")

    def to_representation(self, written: str) -> dict[str, Any]:
        return super().to_representation(_cost(written, currency=conf.currency))


@extend_schema_field(OpenApiTypes.STR)
class ZoneAbbreviation(serializers.Field):
    """What the zone of an event is called when it begins."""

    def to_representation(self, event: Event) -> str:
        return dates.abbreviation(event.timezone, event.start_utc)


@extend_schema_field(
    {
        "oneOf": [
            {"$ref": "#/components/schemas/Image"},
            {"type": "boolean", "enum": [False]},
        ]
    }
)
class ImageOrFalse(ImageDocument):
    """An image, or ``false``."""

    def get_attribute(self, instance: Event) -> Image | bool:
        """Return ``False`` for none, of which a serializer would make null."""
        return instance.image or False

    def to_representation(self, image: Any) -> Any:
        return image and super().to_representation(image)


@extend_schema_field({"oneOf": [_VENUE, {"type": "array", "items": _VENUE}]})
class VenueOrList(Joined, serializers.JSONField):
    """The venue if there is one, else a list."""


@extend_schema_field(
    {"anyOf": [{"type": "array", "items": {}, "maxItems": 0}, {"type": "object"}]}
)
class CustomFields(Joined, serializers.JSONField):
    """Always empty: this server has none."""


@extend_schema_serializer(component_name="RecurrenceLinks")
class RecurrenceLinks(serializers.Serializer):
    """Where the series and its other occurrences are."""

    series = AddressField("/series/{0.series_id}")
    occurrences = AddressField("/events?series={0.series_id}")
    calendar = AddressField("/series/{0.series_id}.ics")


@extend_schema_serializer(component_name="Recurrence")
class RecurrenceDocument(serializers.Serializer):
    """Which date of which series an event is."""

    series = serializers.IntegerField(source="series_id", help_text="Its identifier.")
    rule = serializers.SerializerMethodField(help_text="RFC 5545; empty for single dates.")
    words = serializers.CharField(source="series.words")
    original_start = Moment(source="original_start_local", help_text=_ORIGINAL)
    original_start_utc = Moment()
    position = serializers.IntegerField(help_text="From 1 on.")
    total = serializers.IntegerField(
        source="series.total",
        allow_null=True,
        help_text="How many dates there are, those left out too; null without an end.",
    )
    overridden = serializers.SerializerMethodField(
        help_text="The fields in which it differs from the series."
    )
    links = RecurrenceLinks(source="*")

    def get_attribute(self, instance: Event) -> Event | None:
        """Return the event where it is an occurrence; the member is left out elsewhere."""
        return instance if instance.series_id is not None else None

    def get_rule(self, event: Event) -> str:
        return event.series.rule_text if event.series else ""

    def get_overridden(self, event: Event) -> list[str]:
        return sorted(event.overrides)


@extend_schema_serializer(component_name="Event")
class EventDocument(StandingMembers, Published):
    """An event. Flags are null in a list that hides what a password protects."""

    global_id = GlobalId("?id={0.id}")
    global_id_lineage = Lineage(child=GlobalId("?id={0.id}"))
    url = PageAddress("/events")
    rest_url = AddressField("/events/{0.id}")
    title = serializers.CharField(help_text="Plain text.")
    excerpt = Html(help_text="HTML.")
    image = ImageOrFalse()
    start_date = Moment(source="start_local", help_text=_OWN_ZONE)
    start_date_details = DateDetails(source="start_local")
    end_date = Moment(source="end_local", help_text=_OWN_ZONE)
    end_date_details = DateDetails(source="end_local")
    utc_start_date = Moment(source="start_utc")
    utc_start_date_details = DateDetails(source="start_utc")
    utc_end_date = Moment(source="end_utc")
    utc_end_date_details = DateDetails(source="end_utc")
    timezone_abbr = ZoneAbbreviation(source="*")
    cost = CostText()
    cost_details = CostDetails(source="cost")
    recurrence = RecurrenceDocument(required=False, help_text="Of what is in a series.")
    categories = JoinedList(child=TermDocument())
    tags = JoinedList(child=TermDocument())
    venue = VenueOrList()
    organizer = JoinedList(child=OrganizerDocument())
    custom_fields = CustomFields()

    class Meta:
        model = Event
        fields = (
            *("id", "global_id", "global_id_lineage", *PUBLICATION, "rest_url"),
            *("title", "description", "excerpt", "slug", "image", "all_day"),
            *("start_date", "start_date_details", "end_date", "end_date_details"),
            *("utc_start_date", "utc_start_date_details"),
            *("utc_end_date", "utc_end_date_details", "timezone", "timezone_abbr"),
            *("cost", "cost_details", "website", "show_map", "show_map_link"),
            *("hide_from_listings", "sticky", "featured", "ticketed", "recurrence"),
            *standing.MEMBERS,
            *("categories", "tags", "venue", "organizer", "custom_fields", "json_ld"),
        )
        extra_kwargs = {name: {"allow_null": True} for name in FLAGS}

    def columns(self, record: Event) -> dict[str, str]:
        """Return the columns made of the document.

        The protected ones are what is seen without the password; empty when there is none.
        ``json_ld`` is what comes before and after ``location`` and ``organizer``, and a
        place online.
        """
        document = self.to_representation(record)
        protected = self.protected(document) if record.password else None
        described = jsonld.event(document, currency=conf.currency)
        parts = described if described.online else described[:2]
        return {
            "fragment": addresses.members(document),
            "protected_fragment": addresses.members(protected) if protected else "",
            "feed_text": ical.event_text(document, version=record.version),
            "protected_feed_text": (
                ical.event_text(protected, version=record.version) if protected else ""
            ),
            "json_ld": ical.MARK.join(map(addresses.members, parts)),
        }

    def protected(self, document: dict[str, Any]) -> dict[str, Any]:
        """Blank what the password protects (contract events 4)."""
        hidden = frozenset(standing.MEMBERS) - standing.SHOWN
        seen = {name: value for name, value in document.items() if name not in hidden}
        blank = {
            name: "" if isinstance(value, str) else None
            for name, value in seen.items()
            if name not in SHOWN | standing.SHOWN
        }
        details = self.fields["cost_details"].to_representation("")
        return seen | blank | {"image": False, "cost_details": details}
