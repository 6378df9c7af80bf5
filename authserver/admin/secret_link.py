"""Links to secrets: who made one, and whether it was opened."""

from django.contrib import admin

from authserver.admin.base import ReadOnlyAdmin
from authserver.admin.key_activity import OfTheKey
from authserver.models import SecretLink


@admin.register(SecretLink)
class SecretLinkAdmin(OfTheKey, ReadOnlyAdmin):
    """The links themselves are nowhere: what is stored cannot be opened."""

    list_display = ("key", "made_by", "made_at", "expires_at", "shown_at", "ended_at")
    list_filter = ["made_at", "shown_at"]
    list_select_related = ["key"]
    search_fields = ["key__client_id", "key__name", "made_by"]
    fields = (*list_display, "secret_created_at")
    ordering = ["-made_at", "-pk"]
