"""Lists of events whose totals are known without counting them."""

from dataclasses import dataclass
from typing import Any

from calendar_events.models.querysets.windows import Window
from calendar_events.models.visibility import Rule

ANY_TIME = Window()
_ASIDE = frozenset(
    {
        *("order_by", "extra_order_by", "default_ordering", "standard_ordering"),
        *("base_table", "used_aliases", "filter_is_sticky", "_annotation_select_cache"),
    }
)
"""What of a query only says how the same rows are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A list whose total is known without counting it (``store.counters``)."""

    beyond: Rule = ()
    """What only this viewer sees, and so has to be counted."""
    window: Window = ANY_TIME
    institution: str = ""
    link: tuple[str, tuple[int, ...]] | None = None
    """The kind and the identifiers of terms, venues or organizers."""
    rows: Any = None
    """The query that finds exactly these events."""


def rows_of(query: Any) -> dict[str, Any]:
    """Return all of a query that decides which rows it finds; what is unknown does."""
    return {name: value for name, value in vars(query).items() if name not in _ASIDE}
