"""Filters of lists: by expiry, use and refusals, and by a text that is typed."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self, cast

from django.contrib import admin
from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from authserver.models import KeyRefusal
from institution_admin import institution_of

UNUSED = timedelta(days=90)


class ConditionFilter(admin.SimpleListFilter):
    """Rows that meet a condition at this moment, each offered in words."""

    conditions: ClassVar[Mapping[str, tuple[str, Callable[[datetime], Q]]]]

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin
    ) -> list[tuple[str, str]]:
        """Offer what an administrator asks for."""
        return [(name, words) for name, (words, _) in self.conditions.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep what meets the chosen one, if it is offered."""
        found = self.conditions.get(self.value() or "")
        if found is None or not self.has_output():
            return queryset
        _, condition = found
        return queryset.filter(condition(timezone.now()))


def _expires_within(days: int) -> tuple[str, Callable[[datetime], Q]]:
    return f"In the next {days} days", lambda now: Q(
        expires_at__gt=now, expires_at__lte=now + timedelta(days=days)
    )


class ExpiryFilter(ConditionFilter):
    """Rows with ``expires_at`` by what is still to come; Django's filter looks back."""

    title = "expiry"
    parameter_name = "expires"
    conditions = {
        **{str(days): _expires_within(days) for days in (7, 30, 90)},
        "expired": ("Expired", lambda now: Q(expires_at__lte=now)),
        "never": ("Never", lambda _now: Q(expires_at=None)),
    }


class UseFilter(ConditionFilter):
    """Unused keys; one that was made a moment ago is not unused for long."""

    title = "use"
    parameter_name = "use"
    conditions = {
        "unused": (
            f"Unused for {UNUSED.days} days",
            lambda now: (
                (Q(last_used_at__lte=now - UNUSED) | Q(last_used_at=None))
                & Q(created__lte=now - UNUSED)
            ),
        ),
        "never": ("Never used", lambda _now: Q(last_used_at=None)),
    }


def _refused_within(days: int) -> Callable[[datetime], Q]:
    refusals = KeyRefusal.objects.filter(key=OuterRef("pk"))
    return lambda now: Q(Exists(refusals.filter(at__gte=now - timedelta(days=days))))


class RefusalFilter(ConditionFilter):
    """Keys that something is wrong with."""

    title = "refusals"
    parameter_name = "refused"
    conditions = {
        "1": ("In the last day", _refused_within(1)),
        "7": ("In the last 7 days", _refused_within(7)),
    }

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin
    ) -> list[tuple[str, str]]:
        """Offer them to the platform alone: refusals are not for others."""
        if not may_see_refusals(request):
            return []
        return super().lookups(request, model_admin)


def may_see_refusals(request: HttpRequest) -> bool:
    """Return whether the user sees the keys of the whole platform."""
    is_of_platform = institution_of(request) is None
    return is_of_platform and request.user.has_perm("authserver.view_servicekey")


class TextFilter(admin.SimpleListFilter):
    """Rows whose column is exactly the text: ``TextFilter.on("reason")``."""

    template = "admin/authserver/text_filter.html"
    max_length: ClassVar[int] = 255

    @classmethod
    def on(cls, column: str, *, title: str = "") -> type[Self]:
        """Return the filter of a column."""
        words = {"parameter_name": column, "title": title or column.replace("_", " ")}
        return cast("type[Self]", type(cls.__name__, (cls,), words))

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin
    ) -> list[tuple[str, str]]:
        """Offer nothing to click on."""
        return []

    def has_output(self) -> bool:
        """Show the box all the same."""
        return True

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep the rows with this text."""
        text = (self.value() or "").strip()
        if not text:
            return queryset
        return queryset.filter(**{str(self.parameter_name): text})

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Give the template what the form repeats, and the way back to all rows."""
        others = dict(changelist.filter_params)
        for name in (str(self.parameter_name), PAGE_VAR):
            others.pop(name, None)
        yield {
            "text": self.value() or "",
            "name": self.parameter_name,
            "max_length": self.max_length,
            "others": [
                (name, value) for name, values in others.items() for value in values
            ],
            "all_rows": changelist.get_query_string(remove=[str(self.parameter_name)]),
        }
