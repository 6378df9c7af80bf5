"""The query parameters of the five lists and of the feeds (spec 4.3, decisions 7).

Each name is part of the public contract.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError

from calendar_events.filters.lists import ChangeParameters, ListFilterSet, OrderParameters
from calendar_events.filters.parameters import (
    FlagFilter,
    IdentifierFilter,
    IdentifierListFilter,
    ListFilter,
    MomentFilter,
    NumberFilter,
    TextFilter,
    flag,
    word,
)
from calendar_events.filters.windows import window_of
from calendar_events.models.querysets.geography import DEFAULT_RADIUS_KM
from calendar_events.parsing import text
from calendar_events.parsing.identifiers import MAX_ID, Token

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calendar_events.models.querysets.events import EventQuerySet
    from calendar_events.models.querysets.windows import Window

LATITUDE = dict.fromkeys(("min_value", "max_value"), "A latitude is between -90 and 90.")
LONGITUDE = dict.fromkeys(
    ("min_value", "max_value"), "A longitude is between -180 and 180."
)
MAX_RADIUS_KM = 20_040


def validate_radius(value: float) -> None:
    """Raise ``ValidationError`` unless it is a distance in kilometres on the globe."""
    if not 0 < value <= MAX_RADIUS_KM:
        raise ValidationError(
            f"A radius is more than 0 and at most {MAX_RADIUS_KM} kilometres.", code="range"
        )


def folded(value: str) -> str:
    """Return a text as it is searched for. Raises ``ValueError`` if nothing is left."""
    if words := text.fold(value):
        return words
    raise ValueError("There is nothing to search for.")


def stored_slug(value: str) -> str:
    """Return a slug that was written in letters or in escapes."""
    return Token(value).slug


class EventFilter(ListFilterSet, OrderParameters, ChangeParameters):
    """The parameters of ``GET /events``."""

    start_date = MomentFilter(
        help_text="Only events that start then or later. Default: yesterday."
    )
    end_date = MomentFilter(
        help_text="Only events that end then or earlier. Default: in 24 months."
    )
    starts_before = MomentFilter(help_text="Only events that start before.")
    starts_after = MomentFilter(help_text="Only events that start after.")
    ends_before = MomentFilter(help_text="Only events that end before.")
    ends_after = MomentFilter(help_text="Only events that end after.")
    strict_dates = FlagFilter(
        is_strict=False,
        schema={"default": False},
        help_text="Take dates at the exact times given, not as whole days.",
    )
    overlaps = FlagFilter(
        schema={"default": False},
        help_text="Let `start_date` and `end_date` find every event that is running in "
        "between, not only those that begin and end there.",
    )
    search = TextFilter(
        parse=text.search_query,
        method=word("matching"),
        help_text='Every word, every `"phrase"` and no `-word` in title, excerpt or '
        "description; case and accents do not matter.",
    )
    categories = ListFilter(
        parse=Token,
        method=word("in_categories"),
        help_text="In one of these categories or under them; identifiers or slugs.",
    )
    tags = ListFilter(
        parse=Token,
        method=word("with_tags"),
        help_text="With one of these tags; identifiers or slugs.",
    )
    venue = IdentifierListFilter(
        method=word("at_venues"), help_text="At one of these venues."
    )
    organizer = IdentifierListFilter(
        method=word("by_organizers"), help_text="By one of these organizers."
    )
    featured = FlagFilter(
        method=flag("featured"), help_text="Only featured ones, or only others."
    )
    ticketed = FlagFilter(
        method=flag("ticketed"), help_text="Only with tickets, or only without."
    )
    geoloc = FlagFilter(
        method=flag("located"), help_text="Only at venues with coordinates, or only others."
    )
    geoloc_lat = NumberFilter(
        min_value=-90,
        max_value=90,
        error_messages=LATITUDE,
        schema={"minimum": -90, "maximum": 90},
        help_text="Only within `radius` of this latitude and `geoloc_lng`.",
    )
    geoloc_lng = NumberFilter(
        min_value=-180,
        max_value=180,
        error_messages=LONGITUDE,
        schema={"minimum": -180, "maximum": 180},
        help_text="Only within `radius` of this longitude and `geoloc_lat`.",
    )
    radius = NumberFilter(
        validators=[validate_radius],
        schema={"minimum": 0, "exclusiveMinimum": True, "maximum": 20040, "default": 25},
        help_text="Kilometres around `geoloc_lat` and `geoloc_lng`.",
    )
    include = IdentifierListFilter(
        method="filter_include",
        help_text="Only these events, whenever they are; sorted by publication date.",
    )
    post_parent = IdentifierFilter(
        method=word("children_of"), help_text="Only the children of this event."
    )
    orderby = TextFilter(
        schema={
            "enum": [
                *("start_date", "event_date", "end_date", "date"),
                *("modified", "title", "id"),
            ],
            "default": "start_date",
        },
        help_text="What to sort by. Unknown values fall back to the default.",
    )
    password = TextFilter(
        method=word("opened_with"),
        help_text="Shows the events that this password protects.",
    )

    window: Window
    """When the list's events are, asked for or not."""

    def filter_queryset(self, queryset: Any) -> Any:
        """Apply also what several parameters say together: when, and near what."""
        self.window = window_of(self.values, self.context)
        # The password first: what is linked to a protected event is looked for, too.
        queryset = queryset.opened_with(self.values.get("password", ""))
        return super().filter_queryset(self._near(queryset.in_window(self.window)))

    def filter_include(
        self, queryset: EventQuerySet, _name: str, value: Sequence[int]
    ) -> EventQuerySet:
        """Keep these; identifiers that no row can have do not matter."""
        return queryset.among([pk for pk in value if pk <= MAX_ID])

    def _near(self, queryset: EventQuerySet) -> EventQuerySet:
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

    search = TextFilter(
        parse=folded,
        code="blank",
        method=word("containing"),
        help_text="This text in name, description, address or contact.",
    )
    event = IdentifierFilter(method=word("of_event"), help_text="Only those of this event.")
    has_events = FlagFilter(
        is_strict=False,
        method=flag("with_events"),
        help_text="Only with events that the caller may see, or only without.",
    )
    only_with_upcoming = FlagFilter(
        is_strict=False,
        method=flag("with_upcoming"),
        schema={"default": False},
        help_text="Only with events to come that the caller may see.",
    )
    orderby = TextFilter(
        schema={"enum": ["date", "modified", "title", "id"], "default": "date"},
        help_text="What to sort by. Unknown values fall back to the default.",
    )


class TagFilter(ListFilterSet, OrderParameters):
    """The parameters of ``GET /tags``."""

    search = TextFilter(
        parse=folded,
        code="blank",
        method=word("containing"),
        help_text="This text in name or slug.",
    )
    exclude = IdentifierListFilter(method=word("without"), help_text="Not these terms.")
    include = IdentifierListFilter(method=word("among"), help_text="Only these terms.")
    orderby = TextFilter(
        schema={"enum": ["name", "id", "slug", "count"], "default": "name"},
        help_text="What to sort by. Unknown values fall back to the default.",
    )
    hide_empty = FlagFilter(
        method=flag("hiding_empty"),
        schema={"default": True},
        help_text="Leave out terms that no published event has.",
    )
    post = IdentifierFilter(
        method=word("of_event"), help_text="Only the terms of this event."
    )
    event = IdentifierFilter(
        method=word("of_event"),
        help_text="The same as `post`; it wins where both are sent.",
    )
    slug = ListFilter(
        parse=stored_slug, method=word("with_slugs"), help_text="Only terms with this slug."
    )


class CategoryFilter(TagFilter):
    """The parameters of ``GET /categories``, which also have a place in a tree."""

    parent = IdentifierFilter(
        method=word("under"), help_text="Only directly under this category."
    )
