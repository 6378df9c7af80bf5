"""Kinds of query parameters: django-filter's filters with the dialect's fields.

Each says how its text is read and how OpenAPI describes it; which method of the QuerySet
filters by it is said where it is declared.
"""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import django_filters

from calendar_events.filters import reading
from calendar_events.filters.fields import DateField, ListField, ParameterField

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.db.models import QuerySet

    from calendar_events.parsing.values import Context


INTEGER = {"type": "integer", "minimum": 1}
STRING = {"type": "string"}


class Contextual(Protocol):
    """The FilterSet of a request, as far as its filters ask it."""

    context: Context


class Parameter(django_filters.Filter):
    """One query parameter.

    ``predicate`` is the method of the QuerySet that filters by it; without one it filters
    nothing by itself.
    """

    field_class: ClassVar[type[ParameterField]] = ParameterField
    read: ClassVar[Any] = staticmethod(reading.words)
    """What makes a value of the text that was sent. Raises ``Unreadable``."""
    schema: dict[str, Any]
    parent: Contextual

    def __init__(
        self,
        predicate: str = "",
        *,
        help_text: str,
        schema: Mapping[str, Any] | None = None,
        in_links: bool = True,
        **options: Any,
    ) -> None:
        """``in_links``: whether pagination links repeat it."""
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
        """Call the predicate with the value."""
        return predicate(value)


class WordsFilter(Parameter):
    """A text that must hold something."""

    schema = STRING


class FoldedFilter(WordsFilter):
    """A substring to look for; case and accents do not matter."""

    read: ClassVar[Any] = staticmethod(reading.search_text)


class SearchFilter(WordsFilter):
    """Words, phrases and exclusions to look for."""

    read: ClassVar[Any] = staticmethod(reading.search_words)


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


class LooseFlagFilter(FlagFilter):
    """True, or anything else for false."""

    read: ClassVar[Any] = staticmethod(reading.loose_boolean)


class CountFilter(Parameter):
    """A whole number from 1 on."""

    read: ClassVar[Any] = staticmethod(reading.positive)
    schema = INTEGER


class IdentifierFilter(Parameter):
    """The identifier of a record."""

    read: ClassVar[Any] = staticmethod(reading.identifier)
    schema = INTEGER


class NumberFilter(Parameter):
    """A decimal number; ``read`` says which are accepted."""

    schema = {"type": "number", "format": "double"}

    def __init__(self, *, read: Callable[[str], float], **options: Any) -> None:
        """Take the reader."""
        super().__init__(read=read, **options)


class DateFilter(Parameter):
    """A date in any of the accepted forms."""

    field_class = DateField
    read: ClassVar[Any] = staticmethod(reading.moment)
    schema = {"type": "string", "example": "2027-03-01 18:00:00"}

    @property
    def field(self) -> Any:
        """The field, which reads in the zone and at the moment of its request."""
        self.extra["context"] = self.parent.context
        return super().field

    def apply(self, predicate: Callable[..., QuerySet[Any]], value: Any) -> QuerySet[Any]:
        """Give the instant."""
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


class PossibleIdentifierListFilter(IdentifierListFilter):
    """Identifiers, of which those that nothing has do not matter."""

    read: ClassVar[Any] = staticmethod(reading.possible_identifiers)


class TokenListFilter(ListFilter):
    """Identifiers or slugs."""

    read: ClassVar[Any] = staticmethod(reading.tokens)


class SlugListFilter(ListFilter):
    """Slugs, written in letters or in escapes."""

    read: ClassVar[Any] = staticmethod(reading.slug_words)


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
