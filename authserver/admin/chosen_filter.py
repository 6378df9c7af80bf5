"""A filter that is followed and not offered: for relations with thousands of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin

from platform_errors.admin import is_id

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin
    from django.http import HttpRequest


class ChosenFilter(admin.RelatedFieldListFilter):
    """Rows of one related row, to which other pages lead; the search finds the others.

    Django's own lists every related row beside the list: 3,000 institutions.
    """

    def field_choices(
        self, field: Any, request: HttpRequest, model_admin: ModelAdmin
    ) -> list[tuple[Any, Any]]:
        """Offer the row that was chosen, so that it is named, and none besides."""
        chosen = str((self.lookup_val or [""])[-1])
        related = model_admin.admin_site.get_model_admin(field.related_model)
        rows = related.get_queryset(request)
        if not is_id(chosen):
            return []
        return [(row.pk, str(row)) for row in rows.filter(pk=chosen)]

    def has_output(self) -> bool:
        """Show what was chosen, and the way back to all."""
        return bool(self.lookup_choices)
