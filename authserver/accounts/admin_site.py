"""The site that Django admin's pages belong to; outside the package that fills it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpResponseRedirect

from authserver import audit
from authserver.models import AuditEvent, User

if TYPE_CHECKING:
    from django.http import HttpRequest


class PlatformAdminSite(admin.AdminSite):
    """Named after the platform, with the own password in the audit record."""

    site_title = "Calendar platform"
    site_header = "Calendar platform administration"
    index_title = "Site administration"

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:  # the stubs know of the form only
        """Let administrators change their own password; only success redirects."""
        response: Any = super().password_change(request, extra_context)
        if isinstance(response, HttpResponseRedirect) and isinstance(request.user, User):
            audit.record_account(AuditEvent.Action.PASSWORD_CHANGED, request.user)
        return response
