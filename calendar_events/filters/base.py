"""The FilterSet of the lists, and the backend that filters by it.

Of its filters only those of parameters that were sent are made.
"""

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any

import django_filters
from django import forms
from django.db.models import QuerySet
from django.utils.datastructures import MultiValueDict
from django.utils.functional import cached_property
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request

from calendar_events.conf import conf
from calendar_events.filters.parameters import written
from calendar_events.models.querysets.base import Refused
from calendar_events.parsing import zones
from calendar_events.parsing.dates import Moment
from platform_errors.errors.writes import InvalidParameters

_INDEX = re.compile(r"\[[^\[\]]*\]$")
NOT_IN_LINKS = frozenset({"page", "per_page", "password"})
"""The parameters that links of pages do not repeat."""


def by_parameter(query: MultiValueDict[str, str]) -> MultiValueDict[str, str]:
    """Return a query in which ``a[]=1``, ``a[0]=1`` and ``a=1`` are values of ``a``.

    Of a single value that is sent several times the last one counts, as callers of the peer
    expect (spec 4.3).
    """
    named: MultiValueDict[str, str] = MultiValueDict()
    for key, values in query.lists():
        name = _INDEX.sub("", key) if key.endswith("]") else key
        # One that cannot be stored comes last, to be refused wherever it stands.
        ordered = sorted(named.getlist(name) + values, key=lambda value: "\x00" in value)
        named.setlist(name, ordered)
    return named


class ParameterSet(django_filters.FilterSet):
    """Query parameters, all of whose mistakes are reported at once."""

    def __init__(
        self,
        data: MultiValueDict[str, str],
        queryset: QuerySet[Any],
        *,
        now: datetime,
        **options: Any,
    ) -> None:
        """Take a query by ``by_parameter``, and the moment it is answered for."""
        self.now, self.zone = now, _zone(data)
        self.refused: dict[str, str] = {}
        """Why parameters that can be read cannot be used, by name."""
        cls: Any = type(self)
        self.declared: dict[str, django_filters.Filter] = cls.base_filters
        """The filters of the class; ``base_filters`` are those of this request."""
        self.base_filters = {
            name: one for name, one in self.declared.items() if name in data
        }
        for name, one in self.base_filters.items():
            if isinstance(one, django_filters.BaseCSVFilter):
                data[name] = ",".join(_items(data.getlist(name)))
        super().__init__(data, queryset, **options)

    def get_form_class(self) -> type[forms.Form]:
        sent = [name for name in self.data if name in self.filters]
        fields = {name: self.filters[name].field for name in sent}
        return type("ParameterForm", (forms.Form,), fields)

    @cached_property
    def values(self) -> dict[str, Any]:
        """Return the values of the parameters that were sent and can be read."""
        self.form.errors  # noqa: B018 -- reading them makes the form read its values
        values: dict[str, Any] = self.form.cleaned_data
        return values

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Apply what was sent; what cannot be used is left out and ``refused``."""
        for name, filter_ in self.filters.items():
            if name in self.values:
                try:
                    queryset = filter_.filter(queryset, self.values[name])
                except Refused as error:
                    self.refused[name] = str(error)
        return queryset

    def require_valid(self) -> None:
        """Raise ``InvalidParameters``, naming every parameter that is wrong, if any is."""
        unreadable = {
            name: ErrorDetail(error.messages[0], code=error.code)
            for name, (error, *_) in self.errors.as_data().items()
        }
        if problems := {**self.refused, **unreadable}:
            # What was sent but cannot be read is not missing: its own reason wins.
            raise InvalidParameters(problems)

    @cached_property
    def link_query(self) -> list[tuple[str, str]]:
        """Return the parameters that lead to the same list again, but for the page.

        They are in declared order; relative dates are made absolute.
        """
        texts = {name: self._text(name) for name in self.values} | self.effective_texts()
        names = [name for name in self.declared if name not in NOT_IN_LINKS]
        return [(name, text) for name in names if (text := texts.get(name)) is not None]

    def effective_texts(self) -> dict[str, str | None]:
        """Return what holds instead of what was sent, by name; ``None`` for nothing."""
        return {}

    def _text(self, name: str) -> str | None:
        value = self.values[name]
        if isinstance(value, Moment):
            return written(value.utc, self.zone)
        return str(self.data[name])


class ListFilterBackend(DjangoFilterBackend):
    """Filters by a ``ParameterSet``, and keeps it as the view's ``filterset``."""

    def get_filterset_kwargs(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> dict[str, Any]:
        """Normalise the syntaxes of lists; add the moment the request is answered for."""
        options = super().get_filterset_kwargs(request, queryset, view)
        return {**options, "data": by_parameter(request.query_params), "now": view.now}

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> QuerySet[Any]:
        """Return the filtered list. Raises ``InvalidParameters``."""
        filterset = view.filterset = self.get_filterset(request, queryset, view)
        filtered: QuerySet[Any] = filterset.qs
        filterset.require_valid()
        return filtered


def _items(values: list[str]) -> Iterator[str]:
    """Split ``1,2``, and ``1`` and ``2``, into the same list."""
    split = (item.strip() for value in values for item in value.split(","))
    return filter(None, split)


def _zone(data: MultiValueDict[str, str]) -> tzinfo:
    """Return the zone of ``tz``; one that cannot be read is reported by its field."""
    try:
        return zones.zone(str(data["tz"])) if "tz" in data else conf.site_zone
    except zones.ZoneError:
        return conf.site_zone
