"""The query parameters of the five lists and of the feeds (spec 4.3, decisions 7).

Each name is part of the public contract.
"""

from collections.abc import Sequence
from typing import Any

import django_filters
from django.core.exceptions import ValidationError

from calendar_events.filters.base import ParameterSet
from calendar_events.filters.parameters import (
    RELATIVE,
    FlagFilter,
    IdentifierFilter,
    IdentifierListFilter,
    ListFilter,
    MomentFilter,
    NumberFilter,
    TextFilter,
    window_of,
    written,
)
from calendar_events.models.querysets.events import EventQuerySet
from calendar_events.models.querysets.places import DEFAULT_RADIUS_KM
from calendar_events.models.querysets.scopes import Window
from calendar_events.models.standing import EventStatus
from calendar_events.parsing import text, zones
from calendar_events.parsing.slugs import MAX_ID, Token

STATUSES = ["publish", "future", "draft", "pending", "private", "trash"]
MAX_RADIUS_KM = 20_040


def order_by(default: str, *others: str) -> TextFilter:
    return TextFilter(
        schema={"enum": [default, *others], "default": default},
        help_text="The order. Unknown values fall back to the default.",
    )


def degrees(name: str, limit: int, *, other: str) -> NumberFilter:
    message = f"A {name} is between -{limit} and {limit}."
    return NumberFilter(
        min_value=-limit,
        max_value=limit,
        error_messages={"min_value": message, "max_value": message},
        schema={"minimum": -limit, "maximum": limit},
        help_text=f"Only within `radius` of this {name} and `{other}`.",
    )


def validate_radius(value: float) -> None:
    """Raise ``ValidationError`` unless it is a distance in kilometres on the globe."""
    if not 0 < value <= MAX_RADIUS_KM:
        raise ValidationError(
            f"A radius is more than 0 and at most {MAX_RADIUS_KM} kilometres.", code="range"
        )


def containing(what: str) -> TextFilter:
    """Return the search for one text in the observed fields."""
    return TextFilter(
        "containing", parse=folded, code="blank", help_text=f"This text in {what}."
    )


def folded(value: str) -> str:
    """Return a text as it is searched for. Raises ``ValueError`` if nothing is left."""
    if words := text.fold(value):
        return words
    raise ValueError("There is nothing to search for.")


def stored_slug(value: str) -> str:
    """Return a slug that was written in letters or in escapes."""
    return Token(value).slug


class ListFilterSet(ParameterSet):
    """The parameters of every list."""

    page = IdentifierFilter(
        schema={"default": 1},
        help_text="The page to return. A page past the end is 404.",
    )
    per_page = IdentifierFilter(
        schema={"default": 10},
        help_text="Items per page. More than the server's maximum counts as that.",
    )
    institution = TextFilter(
        "of_institution",
        help_text="Only of the institution with this registry identifier.",
    )
    _fields = ListFilter(
        help_text="Only these fields, comma-separated; dots reach inside: "
        "`events.id,events.venue.city`.",
    )

    def filter_queryset(self, queryset: Any) -> Any:
        filtered: Any = super().filter_queryset(queryset)
        return filtered.sorted_by(self.values)


class OrderParameters(django_filters.FilterSet):
    """How a list is sorted."""

    order = TextFilter(
        schema={"enum": ["asc", "desc"]},
        help_text="The direction. Unknown values fall back to the default.",
    )


class ChangeParameters(django_filters.FilterSet):
    """Filters of events, venues and organizers."""

    status = ListFilter(
        "with_statuses",
        schema={"enum": STATUSES},
        help_text="Only with one of these statuses. Others than `publish` need a user who "
        "may edit. Default: what the caller may see, but nothing from the trash.",
    )
    modified_after = MomentFilter(
        "changed_after",
        help_text="Only what has changed after this moment: what was written, or published "
        "by time; events also with a venue, an organizer or a term of theirs.",
    )
    tz = TextFilter(
        parse=zones.zone,
        code="zone",
        schema={"example": "Europe/Berlin"},
        help_text="The zone that dates without an offset are read in.",
    )


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
        "matching",
        parse=text.search_query,
        help_text='Every word, every `"phrase"` and no `-word` in title, excerpt or '
        "description; case and accents do not matter.",
    )
    categories = ListFilter(
        "in_categories",
        parse=Token,
        help_text="In one of these categories or under them; identifiers or slugs.",
    )
    tags = ListFilter(
        "with_tags",
        parse=Token,
        help_text="With one of these tags; identifiers or slugs.",
    )
    venue = IdentifierListFilter("at_venues", help_text="At one of these venues.")
    organizer = IdentifierListFilter(
        "by_organizers", help_text="By one of these organizers."
    )
    featured = FlagFilter("featured", help_text="Only featured ones, or only others.")
    ticketed = FlagFilter("ticketed", help_text="Only with tickets, or only without.")
    event_status = ListFilter(
        "with_event_statuses",
        schema={"enum": EventStatus.values},
        help_text="Only what is as planned, or became one of these. Default: all.",
    )
    geoloc = FlagFilter(
        "located", help_text="Only at venues with coordinates, or only others."
    )
    geoloc_lat = degrees("latitude", 90, other="geoloc_lng")
    geoloc_lng = degrees("longitude", 180, other="geoloc_lat")
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
        "children_of", help_text="Only the children of this event."
    )
    series = IdentifierFilter(
        "of_series",
        help_text="Only the occurrences of this series, whenever they are.",
    )
    expand = FlagFilter(
        schema={"default": True},
        help_text="False: one event of each series, the next that the list would show; "
        "where all of them are over, the last.",
    )
    orderby = order_by(
        "start_date", "event_date", "end_date", "date", "modified", "title", "id"
    )
    password = TextFilter(
        "opened_with",
        help_text="Shows the events that this password protects.",
    )

    window: Window
    """When the events of the list are, as sent or by default."""

    def filter_queryset(self, queryset: Any) -> Any:
        """Apply also what several parameters say together: when, and near what."""
        self.window = window_of(self.values, now=self.now, zone=self.zone)
        # The password first: what is linked to a protected event is looked for, too.
        queryset = queryset.opened_with(self.values.get("password", ""))
        found = super().filter_queryset(self._near(queryset.in_window(self.window)))
        # Last, because it looks at what the list shows.
        is_expanded = self.values.get("expand", True)
        return found if is_expanded else found.once_for_each_series()

    def filter_include(
        self, queryset: EventQuerySet, _name: str, value: Sequence[int]
    ) -> EventQuerySet:
        """Keep these; identifiers that no row can have do not matter."""
        return queryset.among([pk for pk in value if pk <= MAX_ID])

    def effective_texts(self) -> dict[str, str | None]:
        limits = {"start_date": self.window.start, "end_date": self.window.end}
        limits |= {name: getattr(self.window, name) for name in RELATIVE}
        return {
            name: written(instant, self.zone) if instant else None
            for name, instant in limits.items()
        }

    def _near(self, queryset: EventQuerySet) -> EventQuerySet:
        place = {"geoloc_lat": None, "geoloc_lng": None, **self.values}
        latitude, longitude = place["geoloc_lat"], place["geoloc_lng"]
        if latitude is not None and longitude is not None:
            radius = self.values.get("radius", DEFAULT_RADIUS_KM)
            return queryset.near(latitude, longitude, radius)
        if latitude is not None:
            self.refused["geoloc_lng"] = "This must be sent with geoloc_lat."
        elif longitude is not None:
            self.refused["geoloc_lat"] = "This must be sent with geoloc_lng."
        return queryset


class FeedFilter(EventFilter):
    """A feed is complete and whole: it has no pages, and no members to leave out."""

    page = None  # type: ignore[assignment]  # how a FilterSet drops one
    per_page = None  # type: ignore[assignment]  # how a FilterSet drops one
    _fields = None  # type: ignore[assignment]  # how a FilterSet drops one


class SeriesFilter(ParameterSet):
    """The parameters of ``GET /series/{id}``."""

    page = IdentifierFilter(
        schema={"default": 1},
        help_text="The page of occurrences. A page past the end is 404.",
    )
    per_page = IdentifierFilter(
        schema={"default": 10},
        help_text="Occurrences per page. More than the server's maximum counts as that.",
    )


class PlaceFilter(ListFilterSet, OrderParameters, ChangeParameters):
    """The parameters of ``GET /venues`` and ``GET /organizers``."""

    search = containing("name, description, address or contact")
    event = IdentifierFilter("of_event", help_text="Only those of this event.")
    has_events = FlagFilter(
        "with_events",
        is_strict=False,
        help_text="Only with events that the caller may see, or only without.",
    )
    only_with_upcoming = FlagFilter(
        "with_upcoming",
        is_strict=False,
        schema={"default": False},
        help_text="Only with events to come that the caller may see.",
    )
    orderby = order_by("date", "modified", "title", "id")


class TagFilter(ListFilterSet, OrderParameters):
    """The parameters of ``GET /tags``."""

    search = containing("name or slug")
    exclude = IdentifierListFilter("without", help_text="Not these terms.")
    include = IdentifierListFilter("among", help_text="Only these terms.")
    orderby = order_by("name", "id", "slug", "count")
    hide_empty = FlagFilter(
        "hiding_empty",
        schema={"default": True},
        help_text="Leave out terms that no published event has.",
    )
    post = IdentifierFilter("of_event", help_text="Only the terms of this event.")
    event = IdentifierFilter(
        "of_event", help_text="The same as `post`; it wins where both are sent."
    )
    slug = ListFilter(
        "with_slugs", parse=stored_slug, help_text="Only terms with this slug."
    )


class CategoryFilter(TagFilter):
    """The parameters of ``GET /categories``, which also have a place in a tree."""

    parent = IdentifierFilter("under", help_text="Only directly under this category.")
