"""What lists are sorted by; anything unknown counts as the default (decisions 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Order:
    """A column and a direction; the identifier breaks ties in the same direction."""

    column: str
    descending: bool = False

    @property
    def direction(self) -> str:
        """The SQL word."""
        return "DESC" if self.descending else "ASC"

    @property
    def reverse(self) -> Order:
        """The same walk from the other end."""
        return Order(self.column, not self.descending)


EVENT_COLUMNS = {
    "start_date": "start_utc",
    "event_date": "start_utc",
    "end_date": "end_utc",
    "date": "published_at",
    "modified": "modified_at",
    "title": "sort_text",
    "id": "id",
}
RECORD_COLUMNS = {
    "date": "published_at",
    "modified": "modified_at",
    "title": "sort_text",
    "id": "id",
}
TERM_COLUMNS = {"name": "sort_text", "id": "id", "slug": "slug", "count": "number"}


def order(
    values: Mapping[str, Any],
    columns: Mapping[str, str],
    default: Order,
    *,
    descending_by_default: bool = False,
) -> Order:
    """Return the order that ``orderby`` and ``order`` ask for.

    Without ``orderby`` the direction of the default holds; with one it is ascending, except
    where newest first is the list's habit.
    """
    column = columns.get(str(values.get("orderby", "")).strip().lower())
    direction = str(values.get("order", "")).strip().lower()
    if column is None:
        descending = default.descending
    else:
        descending = descending_by_default and column in {"published_at", "modified_at"}
    if direction in {"asc", "desc"}:
        descending = direction == "desc"
    return Order(column or default.column, descending)
