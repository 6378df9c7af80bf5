"""The audit record, and downloads: CSV for spreadsheets, JSON lines for programs."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.urls import path

from authserver.admin import dashboard
from authserver.admin.base import ReadOnlyAdmin
from authserver.admin.filters import TextFilter
from authserver.models import AuditEvent, Institution, RefusalCount
from institution_admin.dashboard import Block
from institution_admin.lookups import dates_in_the_calendar

COLUMNS = (
    *("at", "action", "actor", "subject", "client_id", "registry_id", "reason"),
    *("address", "request_id", "details"),
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters with which spreadsheets begin a formula."""
ROWS_OF_STATEMENT = 1_000
"""Rows that are read, and held in memory, at a time."""


def as_csv(rows: Iterable[Any]) -> Iterator[str]:
    """Yield the names of the columns, then a record for each row."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(getattr(row, name)) for name in COLUMNS])
        yield text.getvalue()
        text.seek(0)
        text.truncate()
    yield text.getvalue()


def as_json_lines(rows: Iterable[Any]) -> Iterator[str]:
    """Yield one object per row, one per line (JSON Lines)."""
    for row in rows:
        values = {name: getattr(row, name) for name in COLUMNS}
        yield json.dumps(values, default=_text, ensure_ascii=False) + "\n"


def _cell(value: Any) -> str:
    """Return the text of a cell, which no spreadsheet runs as a formula."""
    if isinstance(value, dict):
        value = json.dumps(value, ensure_ascii=False)
    text = _text(value)
    return f"'{text}" if text.startswith(FORMULA) else text


def _text(value: Any) -> str:
    """Return a moment in ISO 8601, anything else as it is."""
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


KINDS: dict[str, tuple[str, Callable[[Iterable[Any]], Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "jsonl": ("application/x-ndjson; charset=utf-8", as_json_lines),
}


class _Uncounted(Paginator):
    count = 0


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


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    """What happened, newest first, with an ``export`` page for each of ``KINDS``.

    The database refuses changes too.
    """

    institution_path = "registry_id"
    list_display = [
        "at",
        "action",
        "actor",
        "subject",
        "client_id",
        "registry_id",
        "reason",
        "address",
    ]
    sortable_by = ["at"]  # in any other order the whole record would be read
    list_filter = [
        "action",
        "at",
        TextFilter.on("actor"),
        TextFilter.on("subject"),
        TextFilter.on("registry_id", title="institution"),
        TextFilter.on("client_id", title="key"),
        TextFilter.on("reason"),
        TextFilter.on("address"),
        TextFilter.on("request_id", title="request identifier"),
    ]
    # By indexes, each: a part of a word would be looked for in every row.
    search_fields = [
        *("actor__startswith", "subject__startswith"),
        *("client_id__exact", "registry_id__exact", "reason__exact"),
        *("address__exact", "request_id__exact"),
    ]
    search_help_text = (
        "The beginning of a login, or a whole key, institution, reason, address or request "
        "identifier."
    )
    ordering = ["-at", "-id"]
    show_full_result_count = False

    def get_urls(self) -> list[Any]:
        export = self.admin_site.admin_view(self.export)
        page = path("export/<slug:kind>/", export, name="authserver_auditevent_export")
        return [page, *super().get_urls()]

    def get_paginator(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Paginator:
        """Count nothing where no page of the list is shown."""
        if hasattr(request, "shows_no_page"):
            return _Uncounted(*args, **kwargs)
        return super().get_paginator(request, *args, **kwargs)

    def export(self, request: HttpRequest, kind: str) -> StreamingHttpResponse:
        """Stream the rows of all pages of the list, the newest first.

        Raises ``Http404`` for another kind, and for a filter with a value that is none.
        """
        if not self.has_view_permission(request):
            raise PermissionDenied
        if kind not in KINDS:
            raise Http404
        content_type, write = KINDS[kind]
        request.shows_no_page = True  # type: ignore[attr-defined]
        try:
            with dates_in_the_calendar():
                batches = _batches(self.get_changelist_instance(request).queryset)
                first = next(batches)  # what the filters refuse shows here
        except IncorrectLookupParameters:
            raise Http404 from None
        rows = chain(first, chain.from_iterable(batches))
        return StreamingHttpResponse(
            write(rows),
            headers={
                "Content-Type": content_type,
                "Content-Disposition": f'attachment; filename="audit.{kind}"',
                "Cache-Control": "no-store",
            },
        )

    def dashboard_blocks(self, request: HttpRequest) -> list[Block]:
        """Say on the first page what fails."""
        return dashboard.audit_blocks(self.get_queryset(request))

    def institution_value(self, institution: Institution) -> str:
        """Return what a row says of its institution, which may be there no more."""
        return institution.registry_id


@admin.register(RefusalCount)
class RefusalCountAdmin(ReadOnlyAdmin):
    """Which key is near its limit from where; a limit ends by itself with its window."""

    list_display = ["since", "action", "client_id", "place", "refusals"]
    list_filter = ["action", "since"]
    search_fields = ["client_id", "place"]
    ordering = ["-since", "-pk"]
