"""The audit record."""

from django.contrib import admin
from django.http import HttpRequest

from authserver.admin import dashboard
from authserver.admin.base import ReadOnlyAdmin
from authserver.admin.export import ExportedRows
from authserver.admin.filters import TextFilter
from authserver.models import AuditEvent, Institution, RefusalCount
from institution_admin.dashboard import Block


@admin.register(AuditEvent)
class AuditEventAdmin(ExportedRows, ReadOnlyAdmin):
    """What happened, newest first; the database refuses changes too."""

    institution_path = "registry_id"
    export_name = "audit"
    export_columns = (
        *("at", "action", "actor", "subject", "client_id", "registry_id", "reason"),
        *("address", "request_id", "details"),
    )

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
    sortable_by = ["at"]  # in any other order the whole record would be read
    list_filter = [
        "action",
        "at",
        TextFilter.on("actor"),
        TextFilter.on("subject"),
        TextFilter.on("registry_id", title="institution"),
        TextFilter.on("client_id", title="key"),
        TextFilter.on("reason"),
        TextFilter.on("address"),
        TextFilter.on("request_id", title="request identifier"),
    ]
    # By indexes, each: a part of a word would be looked for in every row.
    search_fields = [
        *("actor__startswith", "subject__startswith"),
        *("client_id__exact", "registry_id__exact", "reason__exact"),
        *("address__exact", "request_id__exact"),
    ]
    search_help_text = (
        "The beginning of a login, or a whole key, institution, reason, address or request "
        "identifier."
    )
    ordering = ["-at", "-id"]
    show_full_result_count = False

    def dashboard_blocks(self, request: HttpRequest) -> list[Block]:
        """Say on the first page what fails."""
        return dashboard.audit_blocks(self.get_queryset(request))

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
