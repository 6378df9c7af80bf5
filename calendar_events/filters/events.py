"""The query parameters of ``GET /events`` and its feeds (spec 4.3, decisions 7)."""

from __future__ import annotations

from calendar_events.filters import reading
from calendar_events.filters.common import (
    BOOLEAN,
    INTEGER,
    STRING,
    ChangeParameters,
    OrderParameters,
    PageParameters,
)
from calendar_events.filters.declaration import DateParameter, ListParameter, Parameter

NUMBER = {"type": "number", "format": "double"}


class EventFilter(PageParameters, OrderParameters, ChangeParameters):
    """Each name is part of the public contract."""

    start_date = DateParameter(
        help_text="Only events that start then or later. Default: yesterday."
    )
    end_date = DateParameter(
        help_text="Only events that end then or earlier. Default: in 24 months."
    )
    starts_before = DateParameter(help_text="Only events that start before.")
    starts_after = DateParameter(help_text="Only events that start after.")
    ends_before = DateParameter(help_text="Only events that end before.")
    ends_after = DateParameter(help_text="Only events that end after.")
    strict_dates = Parameter(
        reading.loose_boolean,
        schema=BOOLEAN | {"default": False},
        help_text="Take dates at the exact times given, not as whole days.",
    )
    overlaps = Parameter(
        reading.boolean,
        schema=BOOLEAN | {"default": False},
        help_text="Let `start_date` and `end_date` find every event that is running in "
        "between, not only those that begin and end there.",
    )
    search = Parameter(
        reading.search_words,
        schema=STRING,
        help_text='Every word, every `"phrase"` and no `-word` in title, excerpt or '
        "description; case and accents do not matter.",
    )
    categories = ListParameter(
        reading.tokens,
        items=STRING,
        help_text="In one of these categories or under them; identifiers or slugs.",
    )
    tags = ListParameter(
        reading.tokens,
        items=STRING,
        help_text="With one of these tags; identifiers or slugs.",
    )
    venue = ListParameter(
        reading.identifiers, items=INTEGER, help_text="At one of these venues."
    )
    organizer = ListParameter(
        reading.identifiers, items=INTEGER, help_text="By one of these organizers."
    )
    featured = Parameter(
        reading.boolean, schema=BOOLEAN, help_text="Only featured ones, or only others."
    )
    ticketed = Parameter(
        reading.boolean, schema=BOOLEAN, help_text="Only with tickets, or only without."
    )
    geoloc = Parameter(
        reading.boolean,
        schema=BOOLEAN,
        help_text="Only at venues with coordinates, or only others.",
    )
    geoloc_lat = Parameter(
        reading.latitude,
        schema=NUMBER | {"minimum": -90, "maximum": 90},
        help_text="Only within `radius` of this latitude and `geoloc_lng`.",
    )
    geoloc_lng = Parameter(
        reading.longitude,
        schema=NUMBER | {"minimum": -180, "maximum": 180},
        help_text="Only within `radius` of this longitude and `geoloc_lat`.",
    )
    radius = Parameter(
        reading.kilometres,
        schema=NUMBER
        | {"minimum": 0, "exclusiveMinimum": True, "maximum": 20040, "default": 25},
        help_text="Kilometres around `geoloc_lat` and `geoloc_lng`.",
    )
    include = ListParameter(
        reading.possible_identifiers,
        items=INTEGER,
        help_text="Only these events, whenever they are; sorted by publication date.",
    )
    post_parent = Parameter(
        reading.identifier, schema=INTEGER, help_text="Only the children of this event."
    )
    orderby = Parameter(
        reading.words,
        schema=STRING
        | {
            "enum": [
                "start_date",
                "event_date",
                "end_date",
                "date",
                "modified",
                "title",
                "id",
            ],
            "default": "start_date",
        },
        help_text="What to sort by. Unknown values fall back to the default.",
    )
    password = Parameter(
        reading.words,
        schema=STRING,
        help_text="Shows the events that this password protects.",
        is_echoed=False,
    )


class FeedFilter(EventFilter):
    """A feed is complete and whole: it has no pages, and no members to leave out."""

    page = None  # type: ignore[assignment]  # how a FilterSet drops one
    per_page = None  # type: ignore[assignment]  # how a FilterSet drops one
    _fields = None  # type: ignore[assignment]  # how a FilterSet drops one
