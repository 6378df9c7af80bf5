"""Roles: groups of permissions, which users are put into."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from authserver.admin.base import AuditedAdmin
from authserver.models import AuditEvent

admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(AuditedAdmin, DjangoGroupAdmin):
    """What a role may do. Whoever changed one could give themselves anything."""

    called = ("role", "roles")
    list_display = ("name",)
    added = changed = deleted = AuditEvent.Action.ACCOUNT_CHANGED

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Leave it to superusers."""
        return super().has_add_permission(request, *args) and _is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Leave it to superusers."""
        return super().has_change_permission(request, obj) and _is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Leave it to superusers."""
        return super().has_delete_permission(request, obj) and _is_superuser(request)

    def in_words(self, obj: Group, message: str) -> str:
        """Name the role."""
        return f"Role {obj.name}: {message}"


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)
