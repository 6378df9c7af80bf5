"""Nested serializers of events and what belongs to them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from benchmarks.yardsticks import shapes
from calendar_events.documents import jsonld
from calendar_events.models import (
    Event,
    EventOrganizer,
    EventVenue,
    Image,
    Organizer,
    Term,
    Venue,
)

MOMENT = "%Y-%m-%d %H:%M:%S"


class Moment(serializers.DateTimeField):
    """A moment as the wire writes it."""

    def __init__(self, source: str) -> None:
        """Read one column."""
        super().__init__(source=source, format=MOMENT, read_only=True)


class Details(serializers.Field):
    """The parts of a moment."""

    def to_representation(self, value: Any) -> dict[str, str]:
        """Split what is written."""
        return shapes.details(shapes.moment(value))


class ImageSerializer(serializers.ModelSerializer):
    """An image with its sizes."""

    url = serializers.SerializerMethodField()
    extension = serializers.SerializerMethodField()
    sizes = serializers.SerializerMethodField()

    class Meta:
        model = Image
        fields = ["url", "id", "extension", "width", "height", "filesize", "sizes"]

    def get_url(self, image: Image) -> str:
        """Return the absolute address."""
        return f"{shapes.MEDIA_URL}{image.file.name}"

    def get_extension(self, image: Image) -> str:
        """Return what follows the last full stop."""
        return str(image.file.name).rpartition(".")[2]

    def get_sizes(self, image: Image) -> dict[str, Any]:
        """Return the sizes with their addresses in place of file names."""
        return {
            name: {
                **{key: value for key, value in size.items() if key != "file"},
                "url": shapes.MEDIA_URL + size["file"],
            }
            for name, size in image.sizes.items()
        }


class PublishedSerializer(serializers.ModelSerializer):
    """What events, venues and organizers share."""

    collection = ""
    kind = ""

    author = serializers.IntegerField(source="author_id", read_only=True)
    date = Moment("published_at")
    date_utc = Moment("published_at")
    modified = Moment("modified_at")
    modified_utc = Moment("modified_at")
    url = serializers.SerializerMethodField()
    global_id = serializers.SerializerMethodField()
    global_id_lineage = serializers.SerializerMethodField()

    def get_url(self, record: Any) -> str:
        """Return the public page."""
        return f"{shapes.ROOT_URL}/{self.collection}/by-slug/{record.slug}"

    def get_global_id(self, record: Any) -> str:
        """Return the identifier that is unique across sites."""
        kind = f"type={self.kind}&" if self.kind else ""
        return f"{shapes.HOST}?{kind}id={record.pk}"

    def get_global_id_lineage(self, record: Any) -> list[str]:
        """Return the chain of identifiers."""
        return [self.get_global_id(record)]


PUBLISHED = [
    "id",
    "author",
    "status",
    "date",
    "date_utc",
    "modified",
    "modified_utc",
    "url",
    "global_id",
    "global_id_lineage",
    "slug",
]


class WithoutEmpty(PublishedSerializer):
    """A record that leaves out what is empty."""

    optional: tuple[str, ...] = ()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Drop the empty optional members."""
        found = super().to_representation(instance)
        return {
            name: value
            for name, value in found.items()
            if name not in self.optional or value not in {"", None}
        }


class VenueSerializer(WithoutEmpty):
    """A venue inside an event."""

    collection = "venues"
    kind = "venue"
    optional = ("description", *shapes.VENUE_DETAILS)

    venue = serializers.CharField(source="name")

    class Meta:
        model = Venue
        fields = [
            *PUBLISHED,
            "venue",
            "show_map",
            "show_map_link",
            "description",
            *shapes.VENUE_DETAILS,
        ]


class LinkedVenueSerializer(VenueSerializer):
    """The venue that a link leads to."""

    def to_representation(self, instance: EventVenue) -> dict[str, Any]:
        """Follow the link."""
        return super().to_representation(instance.venue)


class OrganizerSerializer(WithoutEmpty):
    """An organizer inside an event."""

    collection = "organizers"
    kind = "organizer"
    optional = ("description", *shapes.ORGANIZER_DETAILS)

    organizer = serializers.CharField(source="name")

    class Meta:
        model = Organizer
        fields = [*PUBLISHED, "organizer", "description", *shapes.ORGANIZER_DETAILS]


class LinkedOrganizerSerializer(OrganizerSerializer):
    """The organizer that a link leads to."""

    def to_representation(self, instance: EventOrganizer) -> dict[str, Any]:
        """Follow the link."""
        return super().to_representation(instance.organizer)


class TermSerializer(serializers.ModelSerializer):
    """A category or tag inside an event."""

    term_group = serializers.ReadOnlyField(default=0)
    term_taxonomy_id = serializers.IntegerField(source="id")
    parent = serializers.SerializerMethodField()  # type: ignore[assignment] # DRF has one
    filter = serializers.ReadOnlyField(default="raw")
    urls = serializers.SerializerMethodField()
    count = serializers.IntegerField()

    class Meta:
        model = Term
        fields = [
            "name",
            "slug",
            "term_group",
            "term_taxonomy_id",
            "taxonomy",
            "description",
            "parent",
            "filter",
            "id",
            "urls",
            "count",
        ]

    def to_representation(self, instance: Term) -> dict[str, Any]:
        """Add the two constants, which no field reads from a row."""
        return {**super().to_representation(instance), "term_group": 0, "filter": "raw"}

    def get_parent(self, term: Term) -> int:
        """Return the parent, 0 for none."""
        return term.parent_id or 0

    def get_urls(self, term: Term) -> dict[str, str]:
        """Return where the term, its collection and its parent are."""
        collection = f"{shapes.ROOT_URL}/{shapes.COLLECTIONS[term.taxonomy]}"
        urls = {"self": f"{collection}/{term.pk}", "collection": collection}
        if term.parent_id:
            urls["up"] = f"{collection}/{term.parent_id}"
        return urls


class EventSerializer(PublishedSerializer):
    """An event with everything that belongs to it."""

    collection = "events"

    rest_url = serializers.SerializerMethodField()
    image = ImageSerializer()
    start_date = Moment("start_local")
    start_date_details = Details(source="start_local")
    end_date = Moment("end_local")
    end_date_details = Details(source="end_local")
    utc_start_date = Moment("start_utc")
    utc_start_date_details = Details(source="start_utc")
    utc_end_date = Moment("end_utc")
    utc_end_date_details = Details(source="end_utc")
    timezone_abbr = serializers.SerializerMethodField()
    cost = serializers.SerializerMethodField()
    cost_details = serializers.SerializerMethodField()
    categories = TermSerializer(many=True)
    tags = TermSerializer(many=True)
    venue = LinkedVenueSerializer(many=True, source="eventvenue_set")
    organizer = LinkedOrganizerSerializer(many=True, source="eventorganizer_set")
    custom_fields = serializers.SerializerMethodField()

    class Meta:
        model = Event
        fields = [
            *PUBLISHED,
            "rest_url",
            "title",
            "description",
            "excerpt",
            "image",
            "all_day",
            "start_date",
            "start_date_details",
            "end_date",
            "end_date_details",
            "utc_start_date",
            "utc_start_date_details",
            "utc_end_date",
            "utc_end_date_details",
            "timezone",
            "timezone_abbr",
            "cost",
            "cost_details",
            "website",
            "show_map",
            "show_map_link",
            "hide_from_listings",
            "sticky",
            "featured",
            "ticketed",
            "categories",
            "tags",
            "venue",
            "organizer",
            "custom_fields",
        ]

    def get_rest_url(self, event: Event) -> str:
        """Return the event's own address."""
        return f"{shapes.ROOT_URL}/events/{event.pk}"

    def to_representation(self, instance: Event) -> dict[str, Any]:
        """Write what is not there, and a single venue, as the wire does."""
        document = super().to_representation(instance)
        document["image"] = document["image"] or False
        document["venue"] = shapes.one_or_many(document["venue"])
        return document

    def get_timezone_abbr(self, event: Event) -> str | None:
        """Return the zone's short name on that day."""
        return shapes.zone_abbreviation(event.start_utc, event.timezone)

    def get_cost(self, event: Event) -> str:
        """Return the written cost."""
        return shapes.cost(event.cost)[0]

    def get_cost_details(self, event: Event) -> dict[str, Any]:
        """Return the parsed cost."""
        return shapes.cost(event.cost)[1]

    def get_custom_fields(self, _event: Event) -> list[Any]:
        """Return what the site defined: nothing."""
        return []


class EventDetailSerializer(EventSerializer):
    """A single event, described for search engines as well."""

    def to_representation(self, instance: Event) -> dict[str, Any]:
        """Describe what the other fields say, by the product's own functions."""
        document = super().to_representation(instance)
        first, last = jsonld.event(document, currency="USD")
        venue, organizers = document["venue"], document["organizer"]
        places = [
            jsonld.place(one) for one in (venue if isinstance(venue, list) else [venue])
        ]
        described = first
        if places:
            described |= {"location": places[0]}
        if organizers:
            described |= {"organizer": jsonld.person(organizers[0])}
        if isinstance(venue, dict):
            venue["json_ld"] = places[0]
        return {**document, "json_ld": described | last}
