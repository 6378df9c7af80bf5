"""The filters of query parameters: django-filter's own, with the calendar's fields.

Each says how OpenAPI and the index describe it. Most call one method of the QuerySet
(``method=word("matching")``); without ``method`` a parameter filters nothing by itself.
"""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import django_filters
from drf_spectacular.utils import extend_schema_field

from calendar_events.filters import fields
from calendar_events.parsing import dates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.db.models import QuerySet

    Method = Callable[[QuerySet[Any], str, Any], QuerySet[Any]]

TEXT = {"type": "string"}


def word(name: str, keyword: str = "") -> Method:
    """Return a filter's ``method`` that calls this method of the QuerySet."""

    def apply(queryset: QuerySet[Any], _name: str, value: Any) -> QuerySet[Any]:
        method = getattr(queryset, name)
        filtered: QuerySet[Any] = method(**{keyword: value}) if keyword else method(value)
        return filtered

    return apply


flag = partial(word, keyword="wanted")


def unfiltered(queryset: QuerySet[Any], _name: str, _value: Any) -> QuerySet[Any]:
    """Return the QuerySet as it is."""
    return queryset


class Parameter(django_filters.Filter):
    """One query parameter."""

    field_class: ClassVar[Any]
    schema: ClassVar[dict[str, Any]] = TEXT

    def __init__(
        self, *, help_text: str, schema: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        """Add ``schema`` to the class's; both describe one value for OpenAPI."""
        options.setdefault("method", unfiltered)
        super().__init__(label=help_text, help_text=help_text, **options)
        described = {**type(self).schema, **(schema or {}), "description": help_text}
        extend_schema_field(described)(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a filter for one more request: only its options are its own."""
        clone = copy(self)
        clone.extra = self.extra.copy()
        clone.method = self.method  # which is bound to its filter
        return clone


class TextFilter(Parameter, django_filters.CharFilter):
    """A text; ``parse`` and ``code`` are those of ``fields.TextField``."""

    field_class = fields.TextField


class MomentFilter(TextFilter):
    """A date in any of the accepted forms (decisions 7, "Date words")."""

    schema = TEXT | {"example": "2027-03-01 18:00:00"}

    @property
    def field(self) -> Any:
        """The field, which reads in the zone and at the moment of its request."""
        context = self.parent.context
        options = {"now": context.now, "zone": context.zone, "is_clamped": True}
        self.extra.update(parse=partial(dates.parse, **options), code="date")
        return super().field


class FlagFilter(Parameter, django_filters.BooleanFilter):
    """True or false; ``is_strict`` is that of ``fields.FlagField``."""

    field_class = fields.FlagField
    schema = {"type": "boolean"}


class IdentifierFilter(Parameter, django_filters.NumberFilter):
    """A whole number from 1 on."""

    field_class = fields.IdentifierField
    schema = {"type": "integer", "minimum": 1}


class NumberFilter(Parameter, django_filters.NumberFilter):
    """A decimal number."""

    field_class = fields.NumberField
    schema = {"type": "number", "format": "double"}


class ListFilter(django_filters.BaseInFilter, TextFilter):
    """Several texts, in any of the three syntaxes."""

    base_field_class = fields.ListField


class IdentifierListFilter(django_filters.BaseInFilter, IdentifierFilter):
    """Several identifiers."""

    base_field_class = fields.ListField
