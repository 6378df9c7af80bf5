"""FilterSets that make only the filters that were sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import django_filters
from django import forms
from django.utils.datastructures import MultiValueDict
from django.utils.functional import cached_property
from rest_framework.exceptions import ErrorDetail

from calendar_events.conf import conf
from calendar_events.models.querysets.base import Refused
from calendar_events.parsing import zones
from platform_errors.errors.writes import InvalidParameters

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from django.db.models import QuerySet

_INDEX = re.compile(r"\[[^\[\]]*\]$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What reading a value depends on besides its text."""

    now: datetime
    zone: tzinfo
    """The site's zone, or that of ``tz``: naive dates are read in it."""


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


class ParameterForm(forms.Form):
    """The parameters that were sent, in the order in which they were."""

    def __init__(self, *args: Any, fields: dict[str, forms.Field], **options: Any) -> None:
        """Take the fields: they are those of one request already."""
        super().__init__(*args, **options)
        self.fields = fields


class ParameterSet(django_filters.FilterSet):
    """Query parameters; of its filters only those that were sent are made."""

    not_in_links: ClassVar[frozenset[str]] = frozenset({"page", "per_page", "password"})
    """The parameters that links of pages do not repeat."""

    def __init__(
        self,
        data: MultiValueDict[str, str],
        queryset: QuerySet[Any],
        *,
        now: datetime,
        **options: Any,
    ) -> None:
        """Take a query by ``by_parameter``, and the moment it is answered for."""
        self.context = Context(now=now, zone=_zone(data))
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

    def get_form_class(self) -> Any:
        """Return what makes the form: no class of its own for every request."""
        fields = {
            name: self.filters[name].field for name in self.data if name in self.filters
        }
        return partial(ParameterForm, fields=fields)

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


def _items(values: list[str]) -> list[str]:
    """Split ``1,2``, and ``1`` and ``2``, into the same list."""
    split = (item.strip() for value in values for item in value.split(","))
    return [item for item in split if item]


def _zone(data: MultiValueDict[str, str]) -> Any:
    """Return the zone of ``tz``; one that cannot be read is reported by its field."""
    try:
        return zones.zone(str(data["tz"])) if "tz" in data else conf.site_zone
    except zones.ZoneError:
        return conf.site_zone
