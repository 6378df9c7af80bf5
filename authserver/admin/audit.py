"""The audit record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.urls import path

from authserver.admin import export, questions
from authserver.admin.base import ReadOnlyAdmin
from authserver.admin.text_filter import TextFilter
from authserver.models import AuditEvent, Institution, RefusalCount

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

    from platform_errors.admin.first_page import Block


COLUMNS = (
    *("at", "action", "actor", "subject", "client_id", "registry_id", "reason", "address"),
    *("request_id", "details"),
)
"""What is exported."""


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

    def questions(self, request: HttpRequest) -> list[Block]:
        """Say on the first page what fails."""
        return questions.of_the_record(self.get_queryset(request))

    def get_urls(self) -> list[Any]:
        """Add the files."""
        page = path(
            "export/<slug:kind>/",
            self.admin_site.admin_view(self.export),
            name="authserver_auditevent_export",
        )
        return [page, *super().get_urls()]

    def export(self, request: HttpRequest, kind: str) -> HttpResponseBase:
        """Answer with the rows that the list would show, all of its pages."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        try:
            rows = self.get_changelist_instance(request).get_queryset(request)
        except IncorrectLookupParameters:
            raise Http404 from None
        return export.respond(kind, rows, COLUMNS, name="audit")

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
