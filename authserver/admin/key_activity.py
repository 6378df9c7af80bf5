"""What was noted about service keys: their last refusals, and links to their secrets."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from authserver.admin import dashboard
from authserver.admin.base import ReadOnly, ReadOnlyAdmin
from authserver.admin.filters import TextFilter, may_see_refusals
from authserver.models import KeyRefusal, SecretLink
from institution_admin import InstitutionScopedInline
from institution_admin.dashboard import Block


class OfTheKey:
    """What was noted about a key is part of it: who may see that sees it.

    For the platform alone: it says what clients of other institutions on the key do.
    """

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Require the right to see keys, all of them."""
        return may_see_refusals(request)


class KeyRefusalInline(OfTheKey, ReadOnly, InstitutionScopedInline):
    """The last refused requests of a key, the newest first."""

    model = KeyRefusal
    verbose_name = "refused request"
    verbose_name_plural = "last refused requests"
    fields = ("at", "reason", "status_code", "method", "path", "request_id")
    readonly_fields = fields
    ordering = ["-pk"]
    can_delete = False
    extra = max_num = 0


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


@admin.register(SecretLink)
class SecretLinkAdmin(OfTheKey, ReadOnlyAdmin):
    """Who made a link to a secret, and whether it was opened; the row cannot open it."""

    list_display = ("key", "made_by", "made_at", "expires_at", "shown_at", "ended_at")
    list_filter = ["made_at", "shown_at"]
    list_select_related = ["key"]
    search_fields = ["key__client_id", "key__name", "made_by"]
    fields = (*list_display, "secret_created_at")
    ordering = ["-made_at", "-pk"]
