"""The query parameters of ``GET /venues`` and ``GET /organizers`` (spec 4.3)."""

from __future__ import annotations

from calendar_events.filters.lists import ChangeParameters, ListFilterSet, OrderParameters
from calendar_events.filters.parameters import (
    FoldedFilter,
    IdentifierFilter,
    LooseFlagFilter,
    WordsFilter,
)


class PlaceFilter(ListFilterSet, OrderParameters, ChangeParameters):
    """Each name is part of the public contract."""

    search = FoldedFilter(
        "containing", help_text="This text in name, description, address or contact."
    )
    event = IdentifierFilter("of_event", help_text="Only those of this event.")
    has_events = LooseFlagFilter(
        "with_events",
        help_text="Only with events that the caller may see, or only without.",
    )
    only_with_upcoming = LooseFlagFilter(
        "with_upcoming",
        schema={"default": False},
        help_text="Only with events to come that the caller may see.",
    )
    orderby = WordsFilter(
        schema={"enum": ["date", "modified", "title", "id"], "default": "date"},
        help_text="What to sort by. Unknown values fall back to the default.",
    )
