"""The pages of the lists in admin: which rows first, and then what they say."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet


class NarrowPaginator(Paginator):
    """Finds the keys of a page's rows before it reads the rows.

    Django sorts and skips whole rows, joined with all that a list shows of others. Of tens
    of thousands that is most of what a page costs.
    """

    def page(self, number: Any) -> Page:
        """Return a page whose rows are read already."""
        page = super().page(number)
        rows: Any = page.object_list
        if isinstance(rows, QuerySet) and not rows.query.annotations:
            page.object_list = _read(rows)
        return page


def _read(page: QuerySet[Any]) -> list[Any]:
    """Return the rows of a page, in its order."""
    keys = list(page.values_list("pk", flat=True))
    rows = page.model._base_manager.using(page.db).all()
    rows.query.select_related = page.query.select_related
    rows.query.deferred_loading = page.query.deferred_loading
    found = rows.in_bulk(keys)
    return [found[key] for key in keys if key in found]
