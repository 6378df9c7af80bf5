"""The query parameters of ``GET /categories`` and ``GET /tags`` (spec 4.3)."""

from __future__ import annotations

from calendar_events.filters import reading
from calendar_events.filters.common import (
    BOOLEAN,
    INTEGER,
    STRING,
    OrderParameters,
    PageParameters,
)
from calendar_events.filters.declaration import ListParameter, Parameter


class TagFilter(PageParameters, OrderParameters):
    """Each name is part of the public contract."""

    search = Parameter(
        reading.search_text, schema=STRING, help_text="This text in name or slug."
    )
    exclude = ListParameter(
        reading.identifiers, items=INTEGER, help_text="Not these terms."
    )
    include = ListParameter(
        reading.identifiers, items=INTEGER, help_text="Only these terms."
    )
    orderby = Parameter(
        reading.words,
        schema=STRING | {"enum": ["name", "id", "slug", "count"], "default": "name"},
        help_text="What to sort by. Unknown values fall back to the default.",
    )
    hide_empty = Parameter(
        reading.boolean,
        schema=BOOLEAN | {"default": True},
        help_text="Leave out terms that no published event has.",
    )
    post = Parameter(
        reading.identifier, schema=INTEGER, help_text="Only the terms of this event."
    )
    event = Parameter(
        reading.identifier,
        schema=INTEGER,
        help_text="The same as `post`; it wins where both are sent.",
    )
    slug = ListParameter(
        reading.slug_words, items=STRING, help_text="Only terms with this slug."
    )


class CategoryFilter(TagFilter):
    """Categories also have a place in a tree."""

    parent = Parameter(
        reading.identifier, schema=INTEGER, help_text="Only directly under this category."
    )
