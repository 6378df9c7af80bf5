"""FilterSets of lists, the form that reads their parameters, and their filter backend."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import django_filters
from django import forms
from django.utils.functional import cached_property
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.exceptions import ErrorDetail

from calendar_events.conf import conf
from calendar_events.filters import links, reading
from calendar_events.filters.fields import name_of
from calendar_events.filters.parameters import (
    CountFilter,
    DateFilter,
    ListFilter,
    NamesFilter,
    WordsFilter,
    ZoneFilter,
    parameters,
)
from calendar_events.parsing.values import Context, Unreadable
from calendar_events.store.lookups import Refused
from platform_errors.errors.writes import InvalidParameters

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import QueryDict
    from rest_framework.request import Request


class ParameterForm(forms.Form):
    """The parameters that were sent, in the order in which they were."""

    def __init__(self, *args: Any, fields: dict[str, forms.Field], **options: Any) -> None:
        """Take the fields: they are those of one request already."""
        super().__init__(*args, **options)
        self.fields = fields


class ParameterSet(django_filters.FilterSet):
    """Query parameters; of its filters only those that were sent are made."""

    def __init__(
        self, data: QueryDict, queryset: QuerySet[Any], *, now: datetime, **options: Any
    ) -> None:
        """Take the query and the moment for which it is answered."""
        self.context = Context(now=now, zone=_zone(data))
        self.refused: dict[str, str] = {}
        """Why parameters that can be read cannot be used, by name."""
        self.sent = dict.fromkeys(map(name_of, data))
        declared = parameters(type(self)).items()
        self.base_filters = {name: one for name, one in declared if name in self.sent}
        super().__init__(data, queryset, **options)

    def get_form_class(self) -> Any:
        """Return what makes the form: no class of its own for every request."""
        fields = {
            name: self.filters[name].field for name in self.sent if name in self.filters
        }
        return partial(ParameterForm, fields=fields)

    @cached_property
    def values(self) -> dict[str, Any]:
        """Return the values of the parameters that were sent and can be read."""
        self.form.errors  # noqa: B018 -- reading them makes the form read its values
        found: dict[str, Any] = self.form.cleaned_data
        return found

    def require_valid(self) -> None:
        """Raise ``InvalidParameters``, naming every parameter that is wrong, if any is."""
        unreadable = {
            name: ErrorDetail(error.messages[0], code=error.code)
            for name, (error, *_) in self.errors.as_data().items()
        }
        if problems := {**self.refused, **unreadable}:
            # What was sent but cannot be read is not missing: its own reason wins.
            raise InvalidParameters(problems)


class ListFilterSet(ParameterSet):
    """The parameters of every list."""

    page = CountFilter(
        schema={"default": 1},
        help_text="The page to return. A page past the end is 404.",
        in_links=False,
    )
    per_page = CountFilter(
        schema={"default": 10},
        help_text="Items per page. More than the server's maximum counts as that.",
        in_links=False,
    )
    institution = WordsFilter(
        "of_institution",
        help_text="Only of the institution with this registry identifier.",
    )
    _fields = NamesFilter(
        help_text="Only these fields, comma-separated; dots reach inside: "
        "`events.id,events.venue.city`.",
    )

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Apply what was sent; what cannot be used is left out and ``refused``."""
        for name, filter_ in self.filters.items():
            if name in self.values:
                try:
                    queryset = filter_.filter(queryset, self.values[name])
                except Refused as error:
                    self.refused[name] = str(error)
        return queryset.sorted_by(self.values)  # type: ignore[attr-defined]  # a ListQuerySet

    @cached_property
    def link_query(self) -> list[tuple[str, str]]:
        """Return the effective query, as pagination links repeat it."""
        return links.link_query(self)


class OrderParameters(django_filters.FilterSet):
    """How a list is sorted."""

    order = WordsFilter(
        schema={"enum": ["asc", "desc"]},
        help_text="The direction. Unknown values fall back to the default.",
    )


class ChangeParameters(django_filters.FilterSet):
    """Filters of events, venues and organizers."""

    status = ListFilter(
        "with_statuses",
        items={"enum": ["publish", "future", "draft", "pending", "private", "trash"]},
        help_text="Only with one of these statuses. Others than `publish` need a user who "
        "may edit. Default: what the caller may see, but nothing from the trash.",
    )
    modified_after = DateFilter(
        "changed_after",
        help_text="Only what has changed after this moment: what was written, or published "
        "by time; events also with a venue, an organizer or a term of theirs.",
    )
    tz = ZoneFilter(help_text="The zone that dates without an offset are read in.")


class ListFilterBackend(DjangoFilterBackend):
    """Filters by a ``ListFilterSet``, and keeps it as the view's ``filterset``."""

    def get_filterset_kwargs(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> dict[str, Any]:
        """Add the moment for which the request is answered."""
        found = super().get_filterset_kwargs(request, queryset, view)
        return {**found, "now": view.now}

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> QuerySet[Any]:
        """Return what was asked for. Raises ``InvalidParameters``."""
        filterset = view.filterset = self.get_filterset(request, queryset, view)
        found: QuerySet[Any] = filterset.qs
        filterset.require_valid()
        return found


def _zone(query: QueryDict) -> Any:
    """Return the zone of ``tz``; one that cannot be read is reported by its field."""
    try:
        named = query.getlist("tz")
        return reading.zone(str(named[-1])) if named else conf.site_zone
    except Unreadable:
        return conf.site_zone
