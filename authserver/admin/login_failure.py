"""Failed logins, as the login limits count them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axes.models import AccessFailureLog
from django.contrib import admin

from authserver.accounts import login_limits
from authserver.admin.base import ReadOnlyAdmin
from platform_errors.admin import InstitutionScopedAdmin

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest


@admin.register(AccessFailureLog)
class LoginFailureAdmin(ReadOnlyAdmin):
    """Failures of the last day; deleting an account's failures lifts its lock."""

    institution_path = "username"

    list_display = ["attempt_time", "username", "ip_address"]
    list_filter = ["attempt_time"]
    search_fields = ["username", "ip_address"]
    ordering = ["-attempt_time", "-pk"]
    fields = ["attempt_time", "username", "ip_address"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Lifting a lock is an administrator's call."""
        return InstitutionScopedAdmin.has_delete_permission(self, request, obj)

    def of_institution(self, queryset: QuerySet[Any], institution: Any) -> QuerySet[Any]:
        """Return the failures of logins at the institution."""
        return queryset.filter(username__endswith=f"@{institution.registry_id}")

    def belongs_to(self, obj: Any, institution: Any) -> bool:
        """Return whether it was a login at the institution."""
        return str(obj.username).endswith(f"@{institution.registry_id}")

    def delete_model(self, request: HttpRequest, obj: AccessFailureLog) -> None:
        """Delete one failure, for the record as well."""
        self.delete_queryset(request, AccessFailureLog.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete the selected failures, for the record as well."""
        login_limits.lift(queryset, by=request.user.get_username())
