"""What a filter may be about without telling what a password hides."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Q

from calendar_events.models.visibility import Literal

SHOWN = frozenset(
    {
        *("pk", "id", "version", "created_at", "modified_at", "published_at", "status"),
        *("institution", "author", "author_id", "post_parent", "post_parent_id"),
        *("title", "slug", "sort_text", "search_text", "hide_from_listings"),
        *("start_utc", "end_utc", "start_local", "end_local", "timezone", "all_day"),
    }
)
"""The columns that a protected event shows, or that tell nothing of it.

A list that is filtered by anything else leaves protected events out."""
LOOKUPS = frozenset(
    {
        *("exact", "iexact", "in", "isnull", "range", "gt", "gte", "lt", "lte"),
        *("contains", "icontains", "startswith", "istartswith", "endswith", "iendswith"),
    }
)


def is_shown(conditions: Iterable[Any]) -> bool:
    """Return whether conditions are about columns in ``SHOWN``, compared with values."""
    return all(_shows(one) for one in conditions)


def _shows(condition: Any) -> bool:
    if isinstance(condition, Q):
        return is_shown(condition.children)
    if not isinstance(condition, tuple):
        return False
    name, value = condition
    column, *lookups = name.split("__")
    is_value = isinstance(value, Literal) or not hasattr(value, "resolve_expression")
    return column in SHOWN and LOOKUPS.issuperset(lookups) and is_value
