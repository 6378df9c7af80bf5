"""Declare query parameters once; read them with a parser compiled from the declaration.

A list's parameters are a ``django_filters.FilterSet`` whose filters also know how to read a
value and how to describe it in OpenAPI. The set is never instantiated: a form per request
costs more than the whole page it filters (``docs/benchmarks.md``).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import django_filters
from rest_framework.exceptions import ErrorDetail

from calendar_events.filters import reading
from calendar_events.parsing.values import Context, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime, tzinfo

    from django.http import QueryDict

_INDEX = re.compile(r"\[[^\[\]]*\]$")  # ``a[]`` and ``a[0]`` are ``a``


class Parameter(django_filters.Filter):
    """One query parameter: how it is read, and how it is described.

    ``read`` gets the last value that was sent; ``read_all`` of a list gets all.
    """

    def __init__(
        self,
        read: Callable[[str], Any],
        *,
        schema: Mapping[str, Any],
        help_text: str,
        is_echoed: bool = True,
    ) -> None:
        """Keep the declaration; ``is_echoed`` says whether links carry it on."""
        super().__init__(label=help_text)
        self.read = read
        self.schema = dict(schema)
        self.help_text = help_text
        self.is_echoed = is_echoed

    def value(self, values: list[str], context: Context) -> Any:
        """Return what was sent as a value. Raises ``Unreadable``."""
        return self.read(reading.last(values))


class ListParameter(Parameter):
    """A parameter with several values, in any of the three syntaxes."""

    def __init__(
        self,
        read_all: Callable[[list[str]], Any],
        *,
        items: Mapping[str, Any],
        help_text: str,
    ) -> None:
        """Keep the declaration."""
        super().__init__(
            str, schema={"type": "array", "items": dict(items)}, help_text=help_text
        )
        self.read_all = read_all

    def value(self, values: list[str], context: Context) -> Any:
        """Return all values."""
        return self.read_all(values)


class DateParameter(Parameter):
    """A date in any of the accepted forms."""

    def __init__(self, *, help_text: str) -> None:
        """Keep the declaration."""
        super().__init__(
            str,
            schema={"type": "string", "example": "2027-03-01 18:00:00"},
            help_text=help_text,
        )

    def value(self, values: list[str], context: Context) -> Any:
        """Return the moment, read in the zone of the request."""
        return reading.moment(reading.last(values), context)


def parameters(filterset: type[django_filters.FilterSet]) -> dict[str, Parameter]:
    """Return the declared parameters by name."""
    return {
        name: declared
        for name, declared in filterset.base_filters.items()
        if isinstance(declared, Parameter)
    }


@cache
def _compiled(filterset: Any) -> dict[str, Callable[[list[str], Context], Any]]:
    declared = parameters(filterset)
    return {name: parameter.value for name, parameter in declared.items()}


def read(
    filterset: type[django_filters.FilterSet], query: QueryDict, context: Context
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values of the parameters that were sent, and what is wrong by name.

    Unknown parameters are ignored.
    """
    readers = _compiled(cast("Any", filterset))
    sent: dict[str, list[str]] = {}
    for name, values in query.lists():
        known = name if name in readers else _INDEX.sub("", name)
        if known in readers:
            sent.setdefault(known, []).extend(values)
    found: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for name, values in sent.items():
        try:
            if any("\x00" in value for value in values):
                raise Unreadable("This holds a NUL character.")  # noqa: TRY301 -- one place
            found[name] = readers[name](values, context)
        except Unreadable as error:
            problems[name] = ErrorDetail(str(error), code=error.code)
    return found, problems


def context(query: QueryDict, *, now: datetime, site_zone: tzinfo) -> Context:
    """Return what values are read with; an unreadable ``tz`` is reported by ``read``."""
    try:
        named = query.getlist("tz")
        zone = reading.zone(str(named[-1])) if named else site_zone
    except Unreadable:
        zone = site_zone
    return Context(now=now, zone=zone)
