"""What the admin classes have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin

if TYPE_CHECKING:
    from django.http import HttpRequest


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that the server writes: to be looked at, not added, changed or deleted."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes by hand."""
        return False
