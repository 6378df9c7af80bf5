"""What the lists have in common: their parameters, and the backend that filters by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import django_filters
from django.utils.functional import cached_property
from django_filters.rest_framework import DjangoFilterBackend

from calendar_events.filters import links
from calendar_events.filters.base import ParameterSet, by_parameter
from calendar_events.filters.parameters import (
    IdentifierFilter,
    ListFilter,
    MomentFilter,
    TextFilter,
    word,
)
from calendar_events.parsing import zones

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from rest_framework.request import Request

    from calendar_events.parsing.dates import Moment

STATUSES = ["publish", "future", "draft", "pending", "private", "trash"]


class ListFilterSet(ParameterSet):
    """The parameters of every list."""

    page = IdentifierFilter(
        schema={"default": 1},
        help_text="The page to return. A page past the end is 404.",
    )
    per_page = IdentifierFilter(
        schema={"default": 10},
        help_text="Items per page. More than the server's maximum counts as that.",
    )
    institution = TextFilter(
        method=word("of_institution"),
        help_text="Only of the institution with this registry identifier.",
    )
    _fields = ListFilter(
        help_text="Only these fields, comma-separated; dots reach inside: "
        "`events.id,events.venue.city`.",
    )

    def filter_queryset(self, queryset: Any) -> Any:
        """Sort, too."""
        filtered: Any = super().filter_queryset(queryset)
        return filtered.sorted_by(self.values)

    @cached_property
    def link_query(self) -> list[tuple[str, str]]:
        """Return the effective query, as pagination links repeat it."""
        return links.link_query(self)


class OrderParameters(django_filters.FilterSet):
    """How a list is sorted."""

    order = TextFilter(
        schema={"enum": ["asc", "desc"]},
        help_text="The direction. Unknown values fall back to the default.",
    )


class ChangeParameters(django_filters.FilterSet):
    """Filters of events, venues and organizers."""

    status = ListFilter(
        method=word("with_statuses"),
        schema={"enum": STATUSES},
        help_text="Only with one of these statuses. Others than `publish` need a user who "
        "may edit. Default: what the caller may see, but nothing from the trash.",
    )
    modified_after = MomentFilter(
        method="filter_modified_after",
        help_text="Only what has changed after this moment: what was written, or published "
        "by time; events also with a venue, an organizer or a term of theirs.",
    )
    tz = TextFilter(
        parse=zones.zone,
        code="zone",
        schema={"example": "Europe/Berlin"},
        help_text="The zone that dates without an offset are read in.",
    )

    def filter_modified_after(self, queryset: Any, _name: str, value: Moment) -> Any:
        """Keep what has changed after the moment."""
        return queryset.changed_after(value.utc)


class ListFilterBackend(DjangoFilterBackend):
    """Filters by a ``ParameterSet``, and keeps it as the view's ``filterset``."""

    def get_filterset_kwargs(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> dict[str, Any]:
        """Read the list syntaxes; add the moment for which the request is answered."""
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
