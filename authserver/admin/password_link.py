"""Links to choose a password: whether a message was sent, and when."""

from django.contrib import admin

from authserver.admin.base import ReadOnlyAdmin
from authserver.models import PasswordLink
from institution_admin import FewRelatedFilter


@admin.register(PasswordLink)
class PasswordLinkAdmin(ReadOnlyAdmin):
    """Tells support what became of a request; what was typed is not shown."""

    institution_path = "institution"

    list_display = ["asked_at", "purpose", "user", "institution", "address", "sent_at"]
    list_filter = [
        "purpose",
        "asked_at",
        ("institution", FewRelatedFilter),
    ]
    list_select_related = ["user", "institution"]
    search_fields = ["user__login__startswith", "address"]
    ordering = ["-asked_at", "-pk"]
    fields = [
        *("purpose", "user", "institution", "address", "request_id"),
        *("asked_at", "decided_at", "sent_at"),
    ]
