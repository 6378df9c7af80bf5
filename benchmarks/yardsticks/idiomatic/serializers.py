"""Nested serializers of events and what belongs to them."""

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

PUBLISHED = shapes.names(
    "id author status date date_utc modified modified_utc url global_id global_id_lineage "
    "slug"
)


class Moment(serializers.DateTimeField):
    """A moment as the wire writes it, of one column."""

    def __init__(self, source: str) -> None:
        super().__init__(source=source, format="%Y-%m-%d %H:%M:%S", read_only=True)


class Details(serializers.Field):
    """The parts of a moment."""

    def to_representation(self, value: Any) -> dict[str, str]:
        return shapes.details(shapes.moment(value))


class ImageSerializer(serializers.ModelSerializer):
    url = serializers.SerializerMethodField()
    extension = serializers.SerializerMethodField()
    sizes = serializers.SerializerMethodField()

    class Meta:
        model = Image
        fields = shapes.names("url id extension width height filesize sizes")

    def get_url(self, image: Image) -> str:
        return f"{shapes.MEDIA_URL}{image.file.name}"

    def get_extension(self, image: Image) -> str:
        return str(image.file.name).rpartition(".")[2]

    def get_sizes(self, image: Image) -> dict[str, Any]:
        return shapes.sizes(image.sizes)


class PublishedSerializer(serializers.ModelSerializer):
    """What events, venues and organizers share; what is ``optional`` is left out empty."""

    collection = ""
    kind = ""
    optional: tuple[str, ...] = ()

    author = serializers.IntegerField(source="author_id", read_only=True)
    date = Moment("published_at")
    date_utc = Moment("published_at")
    modified = Moment("modified_at")
    modified_utc = Moment("modified_at")
    url = serializers.SerializerMethodField()
    global_id = serializers.SerializerMethodField()
    global_id_lineage = serializers.SerializerMethodField()

    def get_url(self, record: Any) -> str:
        return f"{shapes.ROOT_URL}/{self.collection}/by-slug/{record.slug}"

    def get_global_id(self, record: Any) -> str:
        kind = f"type={self.kind}&" if self.kind else ""
        return f"{shapes.HOST}?{kind}id={record.pk}"

    def get_global_id_lineage(self, record: Any) -> list[str]:
        return [self.get_global_id(record)]

    def to_representation(self, instance: Any) -> dict[str, Any]:
        found = super().to_representation(instance)
        return {
            name: value
            for name, value in found.items()
            if name not in self.optional or value not in {"", None}
        }


class LinkedVenueSerializer(PublishedSerializer):
    """The venue that a link leads to."""

    collection = "venues"
    kind = "venue"
    optional = ("description", *shapes.VENUE_DETAILS)
    venue = serializers.CharField(source="name")

    class Meta:
        model = Venue
        fields = (*PUBLISHED, "venue", "show_map", "show_map_link")
        fields += ("description", *shapes.VENUE_DETAILS)

    def to_representation(self, instance: EventVenue) -> dict[str, Any]:
        return super().to_representation(instance.venue)


class LinkedOrganizerSerializer(PublishedSerializer):
    """The organizer that a link leads to."""

    collection = "organizers"
    kind = "organizer"
    optional = ("description", *shapes.ORGANIZER_DETAILS)
    organizer = serializers.CharField(source="name")

    class Meta:
        model = Organizer
        fields = (*PUBLISHED, "organizer", "description", *shapes.ORGANIZER_DETAILS)

    def to_representation(self, instance: EventOrganizer) -> dict[str, Any]:
        return super().to_representation(instance.organizer)


class TermSerializer(serializers.ModelSerializer):
    term_taxonomy_id = serializers.IntegerField(source="id", read_only=True)
    parent = serializers.SerializerMethodField()  # type: ignore[assignment] # DRF has one
    urls = serializers.SerializerMethodField()
    count = serializers.IntegerField()

    class Meta:
        model = Term
        fields = shapes.names(
            "name slug term_taxonomy_id taxonomy description parent id urls count"
        )

    def to_representation(self, instance: Term) -> dict[str, Any]:
        return {**super().to_representation(instance), "term_group": 0, "filter": "raw"}

    def get_parent(self, term: Term) -> int:
        return term.parent_id or 0

    def get_urls(self, term: Term) -> dict[str, str]:
        return shapes.term_urls(term.taxonomy, term.pk, term.parent_id)


class EventSerializer(PublishedSerializer):
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
        fields = PUBLISHED + shapes.names(
            "rest_url title description excerpt image all_day start_date end_date "
            "start_date_details end_date_details utc_start_date utc_start_date_details "
            "utc_end_date utc_end_date_details timezone timezone_abbr cost cost_details "
            "website show_map show_map_link hide_from_listings sticky featured ticketed "
            "categories tags venue organizer custom_fields"
        )

    def to_representation(self, instance: Event) -> dict[str, Any]:
        document = super().to_representation(instance)
        document["image"] = document["image"] or False
        document["venue"] = shapes.one_or_many(document["venue"])
        return document

    def get_rest_url(self, event: Event) -> str:
        return f"{shapes.ROOT_URL}/events/{event.pk}"

    def get_timezone_abbr(self, event: Event) -> str | None:
        return shapes.zone_abbreviation(event.start_utc, event.timezone)

    def get_cost(self, event: Event) -> str:
        return shapes.cost(event.cost)[0]

    def get_cost_details(self, event: Event) -> dict[str, Any]:
        return shapes.cost(event.cost)[1]

    def get_custom_fields(self, _event: Event) -> list[Any]:
        return []


class EventDetailSerializer(EventSerializer):
    """A single event, described for search engines as well."""

    def to_representation(self, instance: Event) -> dict[str, Any]:
        """Describe what the other fields say, by the product's own functions."""
        document = super().to_representation(instance)
        first, last, _ = jsonld.event(document, currency="USD")
        venue, organizers = document["venue"], document["organizer"]
        places = [
            jsonld.place(one) for one in (venue if isinstance(venue, list) else [venue])
        ]
        if places:
            first |= {"location": places[0]}
        if organizers:
            first |= {"organizer": jsonld.person(organizers[0])}
        if isinstance(venue, dict):
            venue["json_ld"] = places[0]
        return {**document, "json_ld": first | last}
