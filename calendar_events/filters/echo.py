"""Tell a query back, as links do: every filter kept, relative dates made absolute."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, cast

from calendar_events.filters import reading
from calendar_events.filters.declaration import DateParameter, ListParameter, parameters
from calendar_events.store.events.windows import RELATIVE, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    import django_filters
    from django.http import QueryDict

    from calendar_events.filters.declaration import Parameter
    from calendar_events.parsing.values import Context
    from calendar_events.store.events.windows import Window

PAGING = frozenset({"page", "per_page"})


def echo(
    filterset: type[django_filters.FilterSet],
    query: QueryDict,
    values: Mapping[str, Any],
    context: Context,
    window: Window | None = None,
) -> list[tuple[str, str]]:
    """Return the parameters that lead to the same list again, in declared order."""
    limits = _limits(window, context) if window else {}
    told = []
    for name, declared in _echoed(cast("Any", filterset)):
        if name in limits:
            text = limits[name]
        elif name in values:
            text = _text(declared, name, query, values[name], context)
        else:
            continue
        if text is not None:
            told.append((name, text))
    return told


@cache
def _echoed(filterset: Any) -> tuple[tuple[str, Parameter], ...]:
    return tuple(
        (name, declared)
        for name, declared in parameters(filterset).items()
        if name not in PAGING and declared.is_echoed
    )


def _limits(window: Window, context: Context) -> dict[str, str | None]:
    """Return the limits of the window that the list really has, asked for or not."""
    instants = {
        "start_date": window.start,
        "end_date": window.end,
        **{name: getattr(window, name) for name in RELATIVE},
    }
    return {
        name: None if instant is None else written(instant, context)
        for name, instant in instants.items()
    }


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
