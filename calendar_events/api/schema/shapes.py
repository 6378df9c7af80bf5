"""What answers look like, for the schema only: documents are made by ``documents``.

Component names are those of decisions 7 ("/doc").
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers
from rest_framework.serializers import BooleanField, CharField, IntegerField, ListField

from calendar_events.models import Status, Taxonomy

STATUSES = [str(status) for status in Status]
EMPTY_LIST = {"type": "array", "items": {}, "maxItems": 0}
MOMENT = {"type": "string", "example": "2027-03-01 18:00:00"}


def reference(name: str) -> dict[str, str]:
    """Return a reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


@extend_schema_field(MOMENT)
class Moment(CharField):
    """``YYYY-MM-DD HH:MM:SS``."""


@extend_schema_field(MOMENT)
class PublicationMoment(CharField):
    """``YYYY-MM-DD HH:MM:SS``, or empty for what was never published."""


class Shape(serializers.Serializer[Any]):
    """The root of all shapes."""


@extend_schema_serializer(component_name="DateDetails")
class DateDetails(Shape):
    """The parts of a date, each zero-padded."""

    year = CharField()
    month = CharField()
    day = CharField()
    hour = CharField()
    minutes = CharField()
    seconds = CharField()


@extend_schema_serializer(component_name="CostDetails")
class CostDetails(Shape):
    """A cost in numbers."""

    currency_symbol = CharField()
    currency_code = CharField()
    currency_position = CharField(help_text="`prefix`, `postfix` or empty.")
    values = ListField(child=CharField(), help_text="Ascending.")


ImageSize = extend_schema_serializer(component_name="ImageSize")(
    type(
        "ImageSize",
        (Shape,),
        {
            "__doc__": "One size of an image.",
            "__module__": __name__,
            "width": IntegerField(),
            "height": IntegerField(),
            "mime-type": CharField(),
            "filesize": IntegerField(),
            "url": CharField(),
        },
    )
)
"""Made by ``type``: one of its members has a name that is none in Python."""


@extend_schema_serializer(component_name="Image")
class Image(Shape):
    """An image."""

    url = CharField()
    id = IntegerField()
    extension = CharField()
    width = IntegerField()
    height = IntegerField()
    filesize = IntegerField()
    sizes = serializers.DictField(child=ImageSize())


class TermUrls(Shape):
    """Where a term is."""

    self = CharField()
    collection = CharField()
    up = CharField(required=False, help_text="The parent, if there is one.")


@extend_schema_serializer(component_name="Term")
class Term(Shape):
    """A category or a tag. What only one of its two forms has is optional."""

    id = IntegerField()
    name = CharField()
    slug = CharField()
    taxonomy = serializers.ChoiceField(choices=Taxonomy.values)
    description = CharField()
    count = IntegerField(help_text="How many published events have it.")
    parent = IntegerField(  # type: ignore[assignment]  # DRF takes it off the class
        required=False, help_text="0 for none."
    )
    urls = TermUrls()
    url = CharField(required=False, help_text="Its events.")
    meta = ListField(required=False, child=serializers.JSONField(), max_length=0)
    term_group = IntegerField(required=False)
    term_taxonomy_id = IntegerField(required=False)
    filter = CharField(required=False)


class Published(Shape):
    """What events, venues and organizers share."""

    id = IntegerField()
    global_id = CharField()
    global_id_lineage = ListField(child=CharField())
    author = IntegerField()
    status = serializers.ChoiceField(choices=STATUSES)
    date = PublicationMoment(help_text="In the zone of the site.")
    date_utc = PublicationMoment()
    modified = Moment(help_text="In the zone of the site.")
    modified_utc = Moment()
    url = CharField()
    slug = CharField()
    json_ld = serializers.DictField(
        child=serializers.JSONField(), required=False, help_text="In single answers."
    )


@extend_schema_serializer(component_name="Venue")
class Venue(Published):
    """A venue; what is empty is left out."""

    venue = CharField(help_text="The name.")
    show_map = BooleanField()
    show_map_link = BooleanField()
    description = CharField(required=False, help_text="HTML.")
    image = Image(required=False)
    address = CharField(required=False)
    city = CharField(required=False)
    country = CharField(required=False)
    province = CharField(required=False)
    state = CharField(required=False)
    zip = CharField(required=False)
    phone = CharField(required=False)
    website = CharField(required=False)
    stateprovince = CharField(required=False)
    geo_lat = serializers.FloatField(required=False)
    geo_lng = serializers.FloatField(required=False)


@extend_schema_serializer(component_name="Organizer")
class Organizer(Published):
    """An organizer; what is empty is left out."""

    organizer = CharField(help_text="The name.")
    description = CharField(required=False, help_text="HTML.")
    image = Image(required=False)
    phone = CharField(required=False)
    website = CharField(required=False)
    email = CharField(required=False)


@extend_schema_field({"oneOf": [reference("Image"), {"type": "boolean", "enum": [False]}]})
class ImageOrFalse(serializers.JSONField):
    """An image, or ``false``."""


@extend_schema_field(
    {"oneOf": [reference("Venue"), {"type": "array", "items": reference("Venue")}]}
)
class VenueOrList(serializers.JSONField):
    """The venue if there is one, else a list."""


@extend_schema_field({"anyOf": [EMPTY_LIST, {"type": "object"}]})
class CustomFields(serializers.JSONField):
    """Always empty: this server has none."""


@extend_schema_serializer(component_name="Event")
class Event(Published):
    """An event. Flags are null in a list that hides what a password protects."""

    rest_url = CharField()
    title = CharField(help_text="Plain text.")
    description = CharField(help_text="HTML.")
    excerpt = CharField(help_text="HTML.")
    image = ImageOrFalse()
    all_day = BooleanField(allow_null=True)
    start_date = Moment(help_text="In the event's own zone.")
    start_date_details = DateDetails()
    end_date = Moment(help_text="In the event's own zone.")
    end_date_details = DateDetails()
    utc_start_date = Moment()
    utc_start_date_details = DateDetails()
    utc_end_date = Moment()
    utc_end_date_details = DateDetails()
    timezone = CharField()
    timezone_abbr = CharField()
    cost = CharField()
    cost_details = CostDetails()
    website = CharField()
    show_map = BooleanField(allow_null=True)
    show_map_link = BooleanField(allow_null=True)
    hide_from_listings = BooleanField(allow_null=True)
    sticky = BooleanField(allow_null=True)
    featured = BooleanField(allow_null=True)
    ticketed = BooleanField(allow_null=True)
    categories = Term(many=True)
    tags = Term(many=True)
    venue = VenueOrList()
    organizer = Organizer(many=True)
    custom_fields = CustomFields()


class Page(Shape):
    """What every list says about its pages."""

    rest_url = CharField(help_text="The query that was answered.")
    next_rest_url = CharField(required=False, help_text="If there is a next page.")
    previous_rest_url = CharField(required=False, help_text="If there is one before.")
    total = IntegerField()
    total_pages = IntegerField()


class EventList(Page):
    """A page of events."""

    events = Event(many=True)


class VenueList(Page):
    """A page of venues."""

    venues = Venue(many=True)


class OrganizerList(Page):
    """A page of organizers."""

    organizers = Organizer(many=True)


class CategoryList(Page):
    """A page of categories."""

    categories = Term(many=True)


class TagList(Page):
    """A page of tags."""

    tags = Term(many=True)


class Endpoint(Shape):
    """Methods of a route that understand the same parameters."""

    methods = ListField(child=CharField())
    args = serializers.DictField(child=serializers.JSONField())


class Route(Shape):
    """One route of the namespace."""

    namespace = CharField()
    methods = ListField(child=CharField())
    endpoints = Endpoint(many=True)


class Namespace(Shape):
    """The namespace index."""

    namespace = CharField()
    routes = serializers.DictField(child=Route())
