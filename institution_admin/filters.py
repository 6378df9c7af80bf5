"""Filters of lists that stay short however many rows there are to choose from."""

from typing import Any

from django.contrib import admin

from institution_admin.widgets import is_id

MOST = 100
"""Choices that are still offered."""


class FewRelatedFilter(admin.RelatedOnlyFieldListFilter):
    """Rows by what they belong to; beyond ``MOST`` only the one in the address is offered.

    Thousands of links are no choice, and to find those in use reads every row of the list.
    """

    def field_choices(
        self, field: Any, request: Any, model_admin: Any
    ) -> Any:  # pairs of a key and words
        # As in the user's list of them: a filter must not reveal other names.
        related = model_admin.admin_site.get_model_admin(field.related_model)
        known = related.get_queryset(request).order_by()
        if known[: MOST + 1].count() <= MOST:
            return super().field_choices(field, request, model_admin)
        chosen = known.filter(pk__in=filter(is_id, self.lookup_val or []))
        return [(each.pk, str(each)) for each in chosen[:MOST]]

    def has_output(self) -> bool:
        """Take part whenever it is in the address, or the list would not be filtered."""
        return bool(self.lookup_val) or super().has_output()
