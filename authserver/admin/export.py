"""Lists that can be had as a file: a few rows at once, more as a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path

from authserver.jobs import asking, formats
from platform_errors.admin import InstitutionScopedAdmin
from platform_errors.admin.bulk import NotTakenOver, tell_where
from platform_errors.admin.lookups import dates_in_the_calendar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet
    from django.http import HttpRequest

AT_ONCE = 1000
"""Rows that are answered at once."""


def as_file(name: str, kind: str) -> dict[str, str]:
    """Return the headers of an answer that is a file to keep."""
    return {
        "Content-Type": formats.CONTENT_TYPES[kind],
        "Content-Disposition": f'attachment; filename="{name}.{kind}"',
        "Cache-Control": "no-store",
    }


class _Uncounted(Paginator):
    count = 0


class ExportedRows(InstitutionScopedAdmin):
    """An admin class with an ``export`` page for each format of ``jobs.formats``."""

    export_columns: ClassVar[Sequence[str]]
    export_name: ClassVar[str]

    def get_urls(self) -> list[Any]:
        """Add the files."""
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

    def export(self, request: HttpRequest, kind: str) -> HttpResponse:
        """Answer with the rows, or offer to have them made into a file.

        Raises ``Http404`` for another kind, and for a filter with a value that is none.
        """
        if kind not in formats.WRITERS:
            raise Http404
        try:
            with dates_in_the_calendar():
                rows = list(self.exported_rows(request).order_by("-pk")[: AT_ONCE + 1])
        except IncorrectLookupParameters:
            raise Http404 from None
        if len(rows) > AT_ONCE:
            return self._export_later(request, kind)
        content = formats.WRITERS[kind](rows, self.export_columns, is_first=True)
        return HttpResponse(content, headers=as_file(self.export_name, kind))

    def _export_later(self, request: HttpRequest, kind: str) -> HttpResponse:
        if request.method == "POST":
            try:
                address = asking.ask_for_export(request, self, kind)
            except NotTakenOver as error:
                messages.error(request, str(error))
                return HttpResponseRedirect(request.get_full_path())
            tell_where(request, address)
            return HttpResponseRedirect(address)
        kind_in_words = formats.IN_WORDS[kind]
        return TemplateResponse(
            request,
            "admin/authserver/job/export.html",
            {
                **self.admin_site.each_context(request),
                "title": f"Export {self.opts.verbose_name_plural} as {kind_in_words}",
                "opts": self.opts,
                "at_once": f"{AT_ONCE:,}",
            },
        )
