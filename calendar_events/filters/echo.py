"""Tell a query back, as links do: every filter kept, relative dates made absolute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calendar_events.filters import reading
from calendar_events.filters.declaration import DateParameter, ListParameter, parameters
from calendar_events.queries.windows import RELATIVE, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    import django_filters
    from django.http import QueryDict

    from calendar_events.filters.reading import Context
    from calendar_events.queries.windows import Window

PAGING = frozenset({"page", "per_page"})


def echo(
    filterset: type[django_filters.FilterSet],
    query: QueryDict,
    values: Mapping[str, Any],
    context: Context,
    window: Window | None = None,
) -> list[tuple[str, str]]:
    """Return the parameters that lead to the same list again, in declared order."""
    told = []
    for name, declared in parameters(filterset).items():
        if name in PAGING or not declared.is_echoed:
            continue
        text = _limit(name, window, context) if window else None
        if text is None and name in values and not _is_limit(name, window):
            text = _text(declared, name, query, values[name], context)
        if text is not None:
            told.append((name, text))
    return told


def _is_limit(name: str, window: Window | None) -> bool:
    return window is not None and name in {"start_date", "end_date", *RELATIVE}


def _limit(name: str, window: Window, context: Context) -> str | None:
    """Return a limit of the window that the list really has, asked for or not."""
    if not _is_limit(name, window):
        return None
    attribute = {"start_date": "start", "end_date": "end"}.get(name, name)
    instant = getattr(window, attribute)
    return None if instant is None else written(instant, context)


def _text(declared: Any, name: str, query: QueryDict, value: Any, context: Context) -> str:
    if isinstance(declared, DateParameter):
        return written(value.utc, context)
    sent = [
        text
        for key, texts in query.lists()
        if key == name or key.startswith(f"{name}[")
        for text in texts
    ]
    if isinstance(declared, ListParameter):
        return ",".join(reading.items(sent))
    return str(reading.last(sent))
