"""The query parameters of ``GET /categories`` and ``GET /tags`` (spec 4.3)."""

from __future__ import annotations

from calendar_events.filters.lists import ListFilterSet, OrderParameters
from calendar_events.filters.parameters import (
    FlagFilter,
    FoldedFilter,
    IdentifierFilter,
    IdentifierListFilter,
    SlugListFilter,
    WordsFilter,
)


class TagFilter(ListFilterSet, OrderParameters):
    """Each name is part of the public contract."""

    search = FoldedFilter("containing", help_text="This text in name or slug.")
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
    slug = SlugListFilter("with_slugs", help_text="Only terms with this slug.")


class CategoryFilter(TagFilter):
    """Categories also have a place in a tree."""

    parent = IdentifierFilter("under", help_text="Only directly under this category.")
