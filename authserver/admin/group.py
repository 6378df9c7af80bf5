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
    words = "Role {row.name}: {message}"

    def is_allowed(self, request: HttpRequest, verb: str, obj: Any = None) -> bool:
        """Leave all but looking to superusers."""
        is_superuser = request.user.is_active and request.user.is_superuser
        return super().is_allowed(request, verb, obj) and (verb == "view" or is_superuser)
