"""What the lists have in common: their parameters, and the backend that filters by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import django_filters
from django.utils.functional import cached_property
from django_filters.rest_framework import DjangoFilterBackend

from calendar_events.filters import links
from calendar_events.filters.base import ParameterSet
from calendar_events.filters.parameters import (
    CountFilter,
    DateFilter,
    ListFilter,
    NamesFilter,
    WordsFilter,
    ZoneFilter,
)
from calendar_events.store.lookups import Refused

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from rest_framework.request import Request


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
