"""The query parameters of the five lists and of the feeds (spec 4.3, decisions 7).

Each name is part of the public contract.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calendar_events.filters import reading
from calendar_events.filters.lists import ChangeParameters, ListFilterSet, OrderParameters
from calendar_events.filters.parameters import (
    DateFilter,
    FlagFilter,
    IdentifierFilter,
    IdentifierListFilter,
    ListFilter,
    NumberFilter,
    WordsFilter,
)
from calendar_events.filters.windows import window_of
from calendar_events.store.events.geography import DEFAULT_RADIUS_KM

if TYPE_CHECKING:
    from calendar_events.store.events.queryset import ListedEvents
    from calendar_events.store.events.windows import Window


class EventFilter(ListFilterSet, OrderParameters, ChangeParameters):
    """The parameters of ``GET /events``."""

    start_date = DateFilter(
        help_text="Only events that start then or later. Default: yesterday."
    )
    end_date = DateFilter(
        help_text="Only events that end then or earlier. Default: in 24 months."
    )
    starts_before = DateFilter(help_text="Only events that start before.")
    starts_after = DateFilter(help_text="Only events that start after.")
    ends_before = DateFilter(help_text="Only events that end before.")
    ends_after = DateFilter(help_text="Only events that end after.")
    strict_dates = FlagFilter(
        read=reading.loose_boolean,
        schema={"default": False},
        help_text="Take dates at the exact times given, not as whole days.",
    )
    overlaps = FlagFilter(
        schema={"default": False},
        help_text="Let `start_date` and `end_date` find every event that is running in "
        "between, not only those that begin and end there.",
    )
    search = WordsFilter(
        "matching",
        read=reading.search_words,
        help_text='Every word, every `"phrase"` and no `-word` in title, excerpt or '
        "description; case and accents do not matter.",
    )
    categories = ListFilter(
        "in_categories",
        read=reading.tokens,
        help_text="In one of these categories or under them; identifiers or slugs.",
    )
    tags = ListFilter(
        "with_tags",
        read=reading.tokens,
        help_text="With one of these tags; identifiers or slugs.",
    )
    venue = IdentifierListFilter("at_venues", help_text="At one of these venues.")
    organizer = IdentifierListFilter(
        "by_organizers", help_text="By one of these organizers."
    )
    featured = FlagFilter("featured", help_text="Only featured ones, or only others.")
    ticketed = FlagFilter("ticketed", help_text="Only with tickets, or only without.")
    geoloc = FlagFilter(
        "located", help_text="Only at venues with coordinates, or only others."
    )
    geoloc_lat = NumberFilter(
        read=reading.latitude,
        schema={"minimum": -90, "maximum": 90},
        help_text="Only within `radius` of this latitude and `geoloc_lng`.",
    )
    geoloc_lng = NumberFilter(
        read=reading.longitude,
        schema={"minimum": -180, "maximum": 180},
        help_text="Only within `radius` of this longitude and `geoloc_lat`.",
    )
    radius = NumberFilter(
        read=reading.kilometres,
        schema={"minimum": 0, "exclusiveMinimum": True, "maximum": 20040, "default": 25},
        help_text="Kilometres around `geoloc_lat` and `geoloc_lng`.",
    )
    include = IdentifierListFilter(
        "among",
        read=reading.possible_identifiers,
        help_text="Only these events, whenever they are; sorted by publication date.",
    )
    post_parent = IdentifierFilter(
        "children_of", help_text="Only the children of this event."
    )
    orderby = WordsFilter(
        schema={
            "enum": [
                *("start_date", "event_date", "end_date", "date"),
                *("modified", "title", "id"),
            ],
            "default": "start_date",
        },
        help_text="What to sort by. Unknown values fall back to the default.",
    )
    password = WordsFilter(
        "opened_with",
        help_text="Shows the events that this password protects.",
        in_links=False,
    )

    window: Window
    """When the list's events are, asked for or not."""

    def filter_queryset(self, queryset: Any) -> Any:
        """Apply also what several parameters say together: when, and near what."""
        self.window, self.refused = window_of(self.values, self.context)
        return super().filter_queryset(self._near(queryset.in_window(self.window)))

    def _near(self, queryset: ListedEvents) -> ListedEvents:
        latitude = self.values.get("geoloc_lat")
        longitude = self.values.get("geoloc_lng")
        if latitude is not None and longitude is not None:
            radius = self.values.get("radius", DEFAULT_RADIUS_KM)
            return queryset.near(latitude, longitude, radius)
        for name, other in (("geoloc_lat", longitude), ("geoloc_lng", latitude)):
            if other is not None:
                given = "geoloc_lng" if name == "geoloc_lat" else "geoloc_lat"
                self.refused[name] = f"This must be sent with {given}."
        return queryset


class FeedFilter(EventFilter):
    """A feed is complete and whole: it has no pages, and no members to leave out."""

    page = None  # type: ignore[assignment]  # how a FilterSet drops one
    per_page = None  # type: ignore[assignment]  # how a FilterSet drops one
    _fields = None  # type: ignore[assignment]  # how a FilterSet drops one


class PlaceFilter(ListFilterSet, OrderParameters, ChangeParameters):
    """The parameters of ``GET /venues`` and ``GET /organizers``."""

    search = WordsFilter(
        "containing",
        read=reading.search_text,
        help_text="This text in name, description, address or contact.",
    )
    event = IdentifierFilter("of_event", help_text="Only those of this event.")
    has_events = FlagFilter(
        "with_events",
        read=reading.loose_boolean,
        help_text="Only with events that the caller may see, or only without.",
    )
    only_with_upcoming = FlagFilter(
        "with_upcoming",
        read=reading.loose_boolean,
        schema={"default": False},
        help_text="Only with events to come that the caller may see.",
    )
    orderby = WordsFilter(
        schema={"enum": ["date", "modified", "title", "id"], "default": "date"},
        help_text="What to sort by. Unknown values fall back to the default.",
    )


class TagFilter(ListFilterSet, OrderParameters):
    """The parameters of ``GET /tags``."""

    search = WordsFilter(
        "containing", read=reading.search_text, help_text="This text in name or slug."
    )
    exclude = IdentifierListFilter("without", help_text="Not these terms.")
    include = IdentifierListFilter("among", help_text="Only these terms.")
    orderby = WordsFilter(
        schema={"enum": ["name", "id", "slug", "count"], "default": "name"},
        help_text="What to sort by. Unknown values fall back to the default.",
    )
    hide_empty = FlagFilter(
        "hiding_empty",
        schema={"default": True},
        help_text="Leave out terms that no published event has.",
    )
    post = IdentifierFilter("of_event", help_text="Only the terms of this event.")
    event = IdentifierFilter(
        "of_event",
        help_text="The same as `post`; it wins where both are sent.",
    )
    slug = ListFilter(
        "with_slugs", read=reading.slug_words, help_text="Only terms with this slug."
    )


class CategoryFilter(TagFilter):
    """The parameters of ``GET /categories``, which also have a place in a tree."""

    parent = IdentifierFilter("under", help_text="Only directly under this category.")
