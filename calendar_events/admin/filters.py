"""Filters of the lists of records."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters

from calendar_events.models import Status

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest


class ReviewFilter(admin.SimpleListFilter):
    """What waits for review, for those who may decide about it."""

    title = "review"
    parameter_name = "review"
    AWAITING = "awaiting"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Offer the filter to whoever may publish."""
        if not model_admin.has_publish_permission(request):
            return []
        return [(self.AWAITING, "Awaiting review")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep what is pending."""
        if self.value() != self.AWAITING:
            return queryset
        return queryset.filter(status=Status.PENDING)


class DayFilter(admin.SimpleListFilter):
    """Events that begin on one day, to which the month leads; the list offers none."""

    title = "day"
    parameter_name = "day"

    def has_output(self) -> bool:
        """Be there only where a day is asked for."""
        return self.value() is not None

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Name the day that is asked for."""
        day = self.value()
        return [(day, day)] if day else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep what begins that day, in the time zone of each event."""
        try:
            day = date.fromisoformat(self.value() or "")
            after = day + timedelta(days=1)
        except (ValueError, OverflowError) as error:
            raise IncorrectLookupParameters from error
        return queryset.filter(
            start_local__gte=f"{day} 00:00:00", start_local__lt=f"{after} 00:00:00"
        )
