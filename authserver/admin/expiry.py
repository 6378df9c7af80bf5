"""Which rows expire, and how soon: the filter and the column of service keys."""

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from platform_errors.credentials import Terminable

SOON = (7, 30, 90)


class ExpiryFilter(admin.SimpleListFilter):
    """Rows with ``expires_at`` by what is still to come; Django's filter looks back."""

    title = "expiry"
    parameter_name = "expires"

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin
    ) -> list[tuple[str, str]]:
        """Offer what an administrator asks for."""
        return [
            *((str(days), f"In the next {days} days") for days in SOON),
            ("expired", "Expired"),
            ("never", "Never"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep what expires then."""
        now = timezone.now()
        chosen = self.value()
        if chosen == "expired":
            return queryset.filter(expires_at__lte=now)
        if chosen == "never":
            return queryset.filter(expires_at=None)
        if chosen in {str(days) for days in SOON}:
            until = now + timedelta(days=int(chosen))
            return queryset.filter(expires_at__gt=now, expires_at__lte=until)
        return queryset


def state(row: Any) -> str:
    """Return what a status and an expiry come to, by the rule of the edge."""
    terminable = Terminable(status=row.status, expires_at=row.expires_at)
    return terminable.status_at(timezone.now()).capitalize()
