"""The window of a list of events, and what is known of it without looking at rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from calendar_events.models.visibility import Literal, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The span of time of a list; ``None`` where it is open."""

    start: datetime | None = None
    end: datetime | None = None
    starts_before: datetime | None = None
    starts_after: datetime | None = None
    ends_before: datetime | None = None
    ends_after: datetime | None = None
    overlaps: bool = False

    def as_q(self) -> Q:
        """Return the window as a condition.

        An event ends no sooner than it starts, so a limit of one implies a limit of the
        other: with both an index is read from one end of the window to the other only.
        """
        condition = Q()
        if self.start is not None:
            condition &= Q(end_utc__gte=self.start)
            if self.overlaps:
                # What ended exactly then is over; what begins and ends then is not.
                condition &= Q(end_utc__gt=self.start) | Q(start_utc__gte=self.start)
            else:
                condition &= Q(start_utc__gte=self.start)
        if self.end is not None:
            condition &= Q(start_utc__lte=self.end)
            if not self.overlaps:
                condition &= Q(end_utc__lte=self.end)
        for lookup, limit in (
            ("start_utc__lt", self.starts_before),
            ("start_utc__gt", self.starts_after),
            ("end_utc__lt", self.ends_before),
            ("end_utc__gt", self.ends_after),
        ):
            if limit is not None:
                condition &= Q(**{lookup: limit})
        return condition

    def of_links(self) -> Q:
        """Return what it says about the copy of the start in the links of events."""
        condition = Q()
        if self.start is not None and not self.overlaps:
            condition &= Q(start_utc__gte=self.start)
        if self.end is not None:
            condition &= Q(start_utc__lte=self.end)
        return condition


ANY_TIME = Window()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A list whose total is known without counting it (``store.counters``)."""

    beyond: Rule = ()
    """The rows that only this viewer sees; they have to be counted."""
    window: Window = ANY_TIME
    institution: str = ""
    link: tuple[str, tuple[int, ...]] | None = None
    """The kind and the identifiers of terms, venues or organizers."""
    rows: Any = None
    """The query that finds exactly these events."""


SHOWN = frozenset(
    {
        *("pk", "id", "version", "created_at", "modified_at", "published_at", "status"),
        *("institution", "author", "author_id", "post_parent", "post_parent_id"),
        *("title", "slug", "sort_text", "search_text", "hide_from_listings"),
        *("series", "series_id", "position", "original_start_local", "original_start_utc"),
        *("start_utc", "end_utc", "start_local", "end_local", "timezone", "all_day"),
        "event_status",
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
