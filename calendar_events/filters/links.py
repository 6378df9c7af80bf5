"""Serialise the effective query of a list for its pagination links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calendar_events.filters.parameters import MomentFilter
from calendar_events.filters.windows import RELATIVE, written

if TYPE_CHECKING:
    from datetime import tzinfo

    from calendar_events.filters.base import ParameterSet
    from calendar_events.models.querysets.windows import Window


def link_query(filterset: ParameterSet) -> list[tuple[str, str]]:
    """Return the parameters that lead to the same list again, in declared order.

    Every filter is kept, and relative dates are made absolute. The page is not among them.
    """
    values, window = filterset.values, getattr(filterset, "window", None)
    limits = _limits(window, filterset.context.zone) if window else {}
    query = []
    for name, declared in filterset.declared.items():
        if name in filterset.not_in_links:
            continue
        if name in limits:
            text = limits[name]
        elif name in values:
            text = _text(declared, name, filterset)
        else:
            continue
        if text is not None:
            query.append((name, text))
    return query


def _limits(window: Window, zone: tzinfo) -> dict[str, str | None]:
    """Return the limits of the window that the list really has, asked for or not."""
    instants = {
        "start_date": window.start,
        "end_date": window.end,
        **{name: getattr(window, name) for name in RELATIVE},
    }
    return {
        name: None if instant is None else written(instant, zone)
        for name, instant in instants.items()
    }


def _text(declared: Any, name: str, filterset: ParameterSet) -> str:
    if isinstance(declared, MomentFilter):
        return written(filterset.values[name].utc, filterset.context.zone)
    return str(filterset.data[name])
