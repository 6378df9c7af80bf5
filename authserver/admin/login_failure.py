"""Failed logins, as the login limits count them."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from authserver.accounts import login_limits, rights
from authserver.admin.base import ReadOnlyAdmin
from authserver.models import LoginFailure, User
from institution_admin import InstitutionScopedAdmin


@admin.register(LoginFailure)
class LoginFailureAdmin(ReadOnlyAdmin):
    """Failures that still count; deleting an account's failures lifts its lock."""

    institution_path = "account"

    list_display = ["at", "account", "address"]
    list_filter = ["at"]
    search_fields = ["account", "address"]
    ordering = ["-at", "-pk"]
    fields = ["at", "account", "address"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Lifting a lock is a call of those who have no fewer rights than the account."""
        return InstitutionScopedAdmin.has_delete_permission(self, request, obj) and (
            obj is None or not self._is_of_more_rights(request, obj.account)
        )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Leave superusers to each other: a lock that others lift guards nothing."""
        rows = super().get_queryset(request)
        if request.user.is_superuser:
            return rows
        superusers = User.objects.filter(is_superuser=True)
        return rows.exclude(account__in=superusers.values("login"))

    def _is_of_more_rights(self, request: HttpRequest, login: str) -> bool:
        """Return whether there is an account of this login that may do more."""
        account = User.objects.filter(login=login).first()
        return account is not None and rights.exceed(account, request.user)

    def of_institution(self, queryset: QuerySet[Any], institution: Any) -> QuerySet[Any]:
        """Return the failures of logins at the institution."""
        return queryset.filter(account__endswith=f"@{institution.registry_id}")

    def belongs_to(self, obj: Any, institution: Any) -> bool:
        """Return whether it was a login at the institution."""
        return str(obj.account).endswith(f"@{institution.registry_id}")

    def delete_model(self, request: HttpRequest, obj: LoginFailure) -> None:
        """Delete one failure, for the record as well."""
        self.delete_queryset(request, LoginFailure.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete the selected failures, for the record as well."""
        login_limits.lift(queryset, by=request.user.get_username())
