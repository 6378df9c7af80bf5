"""What users allowed."""

from django.contrib import admin

from authserver.admin.base import ReadOnlyAdmin
from authserver.admin.token import HELP
from authserver.models import Consent
from institution_admin import FewRelatedFilter


@admin.register(Consent)
class ConsentAdmin(ReadOnlyAdmin):
    """Remembered consents; withdrawing one withdraws the application's tokens with it."""

    institution_path = "institution"

    list_display = [
        "user",
        "key",
        "institution",
        "scope",
        "granted_at",
        "expires_at",
        "revoked_at",
    ]
    list_filter = [
        "granted_at",
        "revoked_at",
        ("institution", FewRelatedFilter),
    ]
    list_select_related = ["user", "key", "institution"]
    search_fields = [
        "user__login__startswith",
        "key__client_id",
        "key__name",
        "scope__contains",
    ]
    search_help_text = HELP
    finds_newest = True
    ordering = ["-granted_at", "-pk"]
