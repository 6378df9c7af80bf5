"""Parameters that several lists share."""

from __future__ import annotations

import django_filters

from calendar_events.filters import reading
from calendar_events.filters.declaration import DateParameter, ListParameter, Parameter

INTEGER = {"type": "integer", "minimum": 1}
BOOLEAN = {"type": "boolean"}
STRING = {"type": "string"}


class PageParameters(django_filters.FilterSet):
    """What every list understands."""

    page = Parameter(
        reading.positive,
        schema=INTEGER | {"default": 1},
        help_text="The page to return. A page past the end is 404.",
    )
    per_page = Parameter(
        reading.positive,
        schema=INTEGER | {"default": 10},
        help_text="Items per page. More than the server's maximum counts as that.",
    )
    institution = Parameter(
        reading.words,
        schema=STRING,
        help_text="Only of the institution with this registry identifier.",
    )
    _fields = ListParameter(
        reading.names,
        items=STRING,
        help_text="Only these fields, comma-separated; dots reach inside: "
        "`events.id,events.venue.city`.",
    )


class OrderParameters(django_filters.FilterSet):
    """How a list is sorted."""

    order = Parameter(
        reading.words,
        schema=STRING | {"enum": ["asc", "desc"]},
        help_text="The direction. Unknown values fall back to the default.",
    )


class ChangeParameters(django_filters.FilterSet):
    """Filters of events, venues and organizers."""

    status = ListParameter(
        reading.texts,
        items=STRING
        | {"enum": ["publish", "future", "draft", "pending", "private", "trash"]},
        help_text="Only with one of these statuses. Others than `publish` need a user who "
        "may edit. Default: what the caller may see, but nothing from the trash.",
    )
    modified_after = DateParameter(
        help_text="Only what has changed after this moment: what was written, or published "
        "by time; events also with a venue, an organizer or a term of theirs.",
    )
    tz = Parameter(
        reading.zone,
        schema=STRING | {"example": "Europe/Berlin"},
        help_text="The zone that dates without an offset are read in.",
    )
