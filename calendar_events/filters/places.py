"""The query parameters of ``GET /venues`` and ``GET /organizers`` (spec 4.3)."""

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
from calendar_events.filters.declaration import Parameter


class RecordFilter(PageParameters, OrderParameters, ChangeParameters):
    """Each name is part of the public contract."""

    search = Parameter(
        reading.search_text,
        schema=STRING,
        help_text="This text in name, description, address or contact.",
    )
    event = Parameter(
        reading.identifier, schema=INTEGER, help_text="Only those of this event."
    )
    has_events = Parameter(
        reading.loose_boolean,
        schema=BOOLEAN,
        help_text="Only with events that the caller may see, or only without.",
    )
    only_with_upcoming = Parameter(
        reading.loose_boolean,
        schema=BOOLEAN | {"default": False},
        help_text="Only with events to come that the caller may see.",
    )
    orderby = Parameter(
        reading.words,
        schema=STRING | {"enum": ["date", "modified", "title", "id"], "default": "date"},
        help_text="What to sort by. Unknown values fall back to the default.",
    )
