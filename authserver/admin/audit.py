"""The audit record."""

from django.contrib import admin

from authserver.admin.base import ReadOnlyAdmin
from authserver.models import AuditEvent, Institution, RefusalCount


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    """What happened, newest first; the database refuses changes too."""

    institution_path = "registry_id"

    list_display = [
        "at",
        "action",
        "actor",
        "subject",
        "client_id",
        "registry_id",
        "reason",
        "address",
    ]
    list_filter = ["action", "at"]
    search_fields = [
        "actor",
        "subject",
        "client_id",
        "registry_id",
        "reason",
        "address",
        "request_id",
    ]
    ordering = ["-at", "-id"]
    show_full_result_count = False

    def institution_value(self, institution: Institution) -> str:
        """Return what a row says of its institution, which may be there no more."""
        return institution.registry_id


@admin.register(RefusalCount)
class RefusalCountAdmin(ReadOnlyAdmin):
    """Which key is near its limit from where; a limit ends by itself with its window."""

    list_display = ["since", "action", "client_id", "place", "refusals"]
    list_filter = ["action", "since"]
    search_fields = ["client_id", "place"]
    ordering = ["-since", "-pk"]
