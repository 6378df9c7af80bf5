"""Institutions."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from authserver.admin.base import AuditedAdmin
from authserver.models import AuditEvent, Institution
from authserver.models.institution import uses_of


@admin.register(Institution)
class InstitutionAdmin(AuditedAdmin):
    """Where people log in; switching one off stops it everywhere at once."""

    institution_path = "pk"
    institution_verbs = frozenset({"view"})

    added = changed = deleted = AuditEvent.Action.INSTITUTION_CHANGED
    names = {"registry_id": "registry_id", "is_active": "is_active"}
    fixed = ["registry_id"]
    list_display = ["name", "registry_id", "place", "code", "is_active"]
    list_filter = ["is_active"]
    search_fields = ["name", "place", "code", "registry_id"]
    ordering = ["name", "pk"]
    fields = [
        *("registry_id", "name", "place", "code", "sender_name", "is_active"),
        *("requires_second_factor", "lets_people_delete_accounts", "created_at"),
    ]
    readonly_fields = ["created_at"]

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Name what keeps an institution from being deleted."""
        *found, protected = super().get_deleted_objects(objs, request)
        return [*found, [*protected, *(words for obj in objs for words in uses_of(obj))]]

    def institution_value(self, institution: Institution) -> int:
        """Return the primary key: the row is the institution itself."""
        return institution.pk

    def get_form(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Say what cannot be changed later."""
        words = "Cannot be changed later: logins, addresses and events are named by it."
        return super().get_form(request, *args, help_texts={"registry_id": words}, **kwargs)
