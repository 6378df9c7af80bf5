"""What service keys are used for: the filters of their list, and their last refusals."""

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from authserver.admin import dashboard
from authserver.admin.base import ReadOnlyAdmin
from authserver.admin.text_filter import TextFilter
from authserver.models import KeyRefusal
from institution_admin import InstitutionScopedInline, institution_of
from institution_admin.dashboard import Block

UNUSED_DAYS = 90
LATELY_DAYS = (1, 7)


class UseFilter(admin.SimpleListFilter):
    """Filter of unused keys."""

    title = "use"
    parameter_name = "use"

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin
    ) -> list[tuple[str, str]]:
        """Offer what an administrator asks for."""
        return [
            ("unused", f"Unused for {UNUSED_DAYS} days"),
            ("never", "Never used"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep these; a key that was made a moment ago is not unused for long."""
        if self.value() == "never":
            return queryset.filter(last_used_at=None)
        if self.value() == "unused":
            then = timezone.now() - timedelta(days=UNUSED_DAYS)
            is_unused = Q(last_used_at__lte=then) | Q(last_used_at=None)
            return queryset.filter(is_unused, created__lte=then)
        return queryset


class RefusalFilter(admin.SimpleListFilter):
    """Keys that something is wrong with."""

    title = "refusals"
    parameter_name = "refused"

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin
    ) -> list[tuple[str, str]]:
        """Offer what an administrator asks for; refusals are for the platform."""
        if not may_see_refusals(request):
            return []
        words = {1: "day"}
        return [
            (str(days), f"In the last {words.get(days, f'{days} days')}")
            for days in LATELY_DAYS
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep keys that were refused since then."""
        days = self.value()
        if days not in {str(each) for each in LATELY_DAYS} or not self.has_output():
            return queryset
        since = timezone.now() - timedelta(days=int(days))
        lately = KeyRefusal.objects.filter(key=OuterRef("pk"), at__gte=since)
        return queryset.filter(Exists(lately))


class OfTheKey:
    """What was noted about a key is part of it: who may see that sees it.

    For the platform alone: it says what clients of other institutions on the key do.
    """

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Require the right to see keys, all of them."""
        return may_see_refusals(request)


class KeyRefusalInline(OfTheKey, InstitutionScopedInline):
    """The last refused requests of a key, the newest first."""

    model = KeyRefusal
    verbose_name = "refused request"
    verbose_name_plural = "last refused requests"
    fields = ("at", "reason", "status_code", "method", "path", "request_id")
    readonly_fields = fields
    ordering = ["-pk"]
    can_delete = False
    extra = max_num = 0

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Leave writing to the server."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(KeyRefusal)
class KeyRefusalAdmin(OfTheKey, ReadOnlyAdmin):
    """The last refused requests of all keys, to be searched for a request identifier."""

    list_display = ["at", "key", "reason", "status_code", "method", "path", "request_id"]
    list_filter = ["at", TextFilter.on("reason")]
    list_select_related = ["key"]
    search_fields = [
        *("request_id__exact", "reason__exact", "path__startswith"),
        *("key__client_id", "key__name"),
    ]
    search_help_text = (
        "A whole request identifier or reason, the beginning of a path, or a part of the "
        "name or identifier of a key."
    )
    ordering = ["-at", "-pk"]

    def dashboard_blocks(self, request: HttpRequest) -> list[Block]:
        """Say on the first page of which keys requests were refused, and why."""
        return dashboard.refusal_blocks(self.get_queryset(request))


def may_see_refusals(request: HttpRequest) -> bool:
    """Return whether the user sees the keys of the whole platform."""
    is_of_platform = institution_of(request) is None
    return is_of_platform and request.user.has_perm("authserver.view_servicekey")
