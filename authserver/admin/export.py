"""Lists that can be downloaded as a file."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, ClassVar

from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.urls import path

from authserver.admin.export_formats import CONTENT_TYPES, WRITERS
from institution_admin import InstitutionScopedAdmin
from institution_admin.lookups import dates_in_the_calendar

ROWS_OF_STATEMENT = 1_000
"""Rows that are read, and held in memory, at a time."""


class _Uncounted(Paginator):
    count = 0


class ExportedRows(InstitutionScopedAdmin):
    """An admin class with an ``export`` page for each format of ``export_formats``."""

    export_columns: ClassVar[Sequence[str]]
    export_name: ClassVar[str]

    def get_urls(self) -> list[Any]:
        page = path(
            "export/<slug:kind>/",
            self.admin_site.admin_view(self.export),
            name=f"{self.opts.app_label}_{self.opts.model_name}_export",
        )
        return [page, *super().get_urls()]

    def exported_rows(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the rows that the list would show, all of its pages.

        Raises ``PermissionDenied`` and ``IncorrectLookupParameters``.
        """
        if not self.has_view_permission(request):
            raise PermissionDenied
        request.shows_no_page = True  # type: ignore[attr-defined]
        return self.get_changelist_instance(request).queryset

    def get_paginator(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Paginator:
        """Count nothing where no page of the list is shown."""
        if hasattr(request, "shows_no_page"):
            return _Uncounted(*args, **kwargs)
        return super().get_paginator(request, *args, **kwargs)

    def export(self, request: HttpRequest, kind: str) -> StreamingHttpResponse:
        """Stream the rows, the newest first.

        Raises ``Http404`` for another kind, and for a filter with a value that is none.
        """
        if kind not in WRITERS:
            raise Http404
        try:
            with dates_in_the_calendar():
                batches = _batches(self.exported_rows(request))
                first = next(batches)  # what the filters refuse shows here
        except IncorrectLookupParameters:
            raise Http404 from None
        rows = chain(first, chain.from_iterable(batches))
        return StreamingHttpResponse(
            WRITERS[kind](rows, self.export_columns),
            headers={
                "Content-Type": CONTENT_TYPES[kind],
                "Content-Disposition": f'attachment; filename="{self.export_name}.{kind}"',
                "Cache-Control": "no-store",
            },
        )


def _batches(rows: QuerySet[Any]) -> Iterator[list[Any]]:
    """Yield lists of rows by descending primary key, the last one shorter or empty.

    A statement each, so that none is long and no cursor stays open while a client reads.
    """
    rows = rows.order_by("-pk")
    batch = list(rows[:ROWS_OF_STATEMENT])
    yield batch
    while len(batch) == ROWS_OF_STATEMENT:
        batch = list(rows.filter(pk__lt=batch[-1].pk)[:ROWS_OF_STATEMENT])
        yield batch
