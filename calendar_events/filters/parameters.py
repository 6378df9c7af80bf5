"""The dialect of query parameters: django-filter's filters, their fields and widgets.

Each filter says how its text is read and how OpenAPI describes it; which method of the
QuerySet filters by it is said where it is declared. A list may be written in three ways:
``a=1,2``, ``a[]=1&a[]=2`` and ``a=1&a=2``. Of a single value that is sent several times the
last one counts, as callers of the peer expect (spec 4.3).
"""

from __future__ import annotations

import re
from copy import copy
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import django_filters
from django import forms
from django.core.exceptions import ValidationError

from calendar_events.filters import reading
from calendar_events.parsing.values import Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.db.models import QuerySet
    from django.http import QueryDict


_INDEX = re.compile(r"\[[^\[\]]*\]$")
INTEGER = {"type": "integer", "minimum": 1}
STRING = {"type": "string"}


def name_of(key: str) -> str:
    """Return the name of a parameter: ``a[]`` and ``a[0]`` are ``a``."""
    return _INDEX.sub("", key) if key.endswith("]") else key


class AllValues(forms.Widget):
    """Takes every value of a parameter, in the order in which they were sent."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        """Return the values, in any of the syntaxes."""
        query: QueryDict = data
        sent = (values for key, values in query.lists() if name_of(key) == name)
        return [value for values in sent for value in values]


class LastValue(AllValues):
    """Takes the last value of a parameter."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        values = super().value_from_datadict(data, files, name)
        # One that cannot be stored is refused wherever it stands.
        return next((value for value in values if "\x00" in value), values[-1])


class ParameterField(forms.Field):
    """A value that was sent; ``read`` makes of its text what the list understands."""

    widget: type[AllValues] = LastValue

    def __init__(self, *, read: Callable[[Any], Any], **options: Any) -> None:
        """Take the reader, which raises ``Unreadable``, and Django's options."""
        super().__init__(**options)
        self.read = read

    def clean(self, value: Any) -> Any:
        """Return the value. Raises ``ValidationError`` with the reader's own words."""
        texts = [value] if isinstance(value, str) else value
        try:
            if any("\x00" in text for text in texts):
                raise Unreadable("This holds a NUL character.")  # noqa: TRY301 -- one place
            return self.read(value)
        except Unreadable as error:
            raise ValidationError(str(error), code=error.code) from error


class ListField(ParameterField):
    """Several values."""

    widget = AllValues


class Parameter(django_filters.Filter):
    """One query parameter.

    ``predicate`` is the method of the QuerySet that filters by it; without one it filters
    nothing by itself.
    """

    field_class: ClassVar[type[ParameterField]] = ParameterField
    read: ClassVar[Any] = staticmethod(reading.words)
    """What makes a value of the text that was sent. Raises ``Unreadable``."""
    schema: dict[str, Any]

    def __init__(
        self,
        predicate: str = "",
        *,
        help_text: str,
        schema: Mapping[str, Any] | None = None,
        in_links: bool = True,
        **options: Any,
    ) -> None:
        """``in_links``: whether links of pages repeat it; ``read``: if not the class's."""
        options.setdefault("read", type(self).read)
        super().__init__(label=help_text, **options)
        self.predicate = predicate
        self.help_text = help_text
        self.schema = {**type(self).schema, **(schema or {})}
        self.in_links = in_links

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a filter for one more request: with options of its own, as fields do."""
        found = copy(self)
        found.extra = self.extra.copy()
        return found

    def filter(self, qs: QuerySet[Any], value: Any) -> QuerySet[Any]:
        """Apply the predicate. Raises what that raises."""
        return self.apply(getattr(qs, self.predicate), value) if self.predicate else qs

    def apply(self, predicate: Callable[..., QuerySet[Any]], value: Any) -> QuerySet[Any]:
        return predicate(value)


class WordsFilter(Parameter):
    """A text that must hold something."""

    schema = STRING


class ZoneFilter(WordsFilter):
    """The name of a time zone."""

    read: ClassVar[Any] = staticmethod(reading.zone)
    schema = STRING | {"example": "Europe/Berlin"}


class FlagFilter(Parameter):
    """True or false."""

    read: ClassVar[Any] = staticmethod(reading.boolean)
    schema = {"type": "boolean"}

    def apply(self, predicate: Callable[..., QuerySet[Any]], value: Any) -> QuerySet[Any]:
        """Say which of both is wanted."""
        return predicate(wanted=value)


class CountFilter(Parameter):
    """A whole number from 1 on."""

    read: ClassVar[Any] = staticmethod(reading.positive)
    schema = INTEGER


class IdentifierFilter(Parameter):
    """The identifier of a record."""

    read: ClassVar[Any] = staticmethod(reading.identifier)
    schema = INTEGER


class NumberFilter(Parameter):
    """A decimal number."""

    read: ClassVar[Any] = staticmethod(reading.number)
    schema = {"type": "number", "format": "double"}


class DateFilter(Parameter):
    """A date in any of the accepted forms."""

    schema = {"type": "string", "example": "2027-03-01 18:00:00"}

    @property
    def field(self) -> Any:
        """The field, which reads in the zone and at the moment of its request."""
        self.extra["read"] = partial(reading.moment, context=self.parent.context)
        return super().field

    def apply(self, predicate: Callable[..., QuerySet[Any]], value: Any) -> QuerySet[Any]:
        return predicate(value.utc)


class ListFilter(Parameter):
    """Several values, in any of the three syntaxes; ``items`` describes one of them."""

    field_class = ListField
    read: ClassVar[Any] = staticmethod(reading.texts)
    items: ClassVar[dict[str, Any]] = STRING
    schema = {"type": "array"}

    def __init__(
        self, predicate: str = "", *, items: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        """``items`` describes one value."""
        found = {**type(self).items, **(items or {})}
        super().__init__(predicate, schema={"items": found}, **options)


class IdentifierListFilter(ListFilter):
    """Identifiers of records."""

    read: ClassVar[Any] = staticmethod(reading.identifiers)
    items = INTEGER


class NamesFilter(ListFilter):
    """Names of members, kept as one text."""

    read: ClassVar[Any] = staticmethod(reading.names)


def parameters(filterset: Any) -> dict[str, Parameter]:
    """Return the parameters that a FilterSet class declares, by name."""
    return _parameters(filterset)


@cache
def _parameters(filterset: Any) -> dict[str, Parameter]:
    return {
        name: declared
        for name, declared in filterset.base_filters.items()
        if isinstance(declared, Parameter)
    }
