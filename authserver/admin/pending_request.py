"""Authorization requests whose users have not decided yet."""

from django.contrib import admin

from authserver.admin.base import ReadOnlyAdmin
from authserver.models import PendingRequest


@admin.register(PendingRequest)
class PendingRequestAdmin(ReadOnlyAdmin):
    """Tells support whether a browser arrived, and how far it got."""

    institution_path = "institution"

    list_display = [
        "pk",
        "key",
        "institution",
        "scope",
        "created_at",
        "expires_at",
        "consumed_at",
    ]
    list_filter = ["created_at", "consumed_at"]
    list_select_related = ["key", "institution"]
    search_fields = ["key__client_id", "key__name", "institution__registry_id"]
    ordering = ["-created_at", "-pk"]
    fields = [
        "key",
        "institution",
        "redirect_uri",
        "scope",
        "created_at",
        "expires_at",
        "consumed_at",
    ]
