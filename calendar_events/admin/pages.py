"""Pages of admin classes besides Django's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.template.response import TemplateResponse
from django.urls import path, reverse

from calendar_events.admin.history import ReadableHistory
from platform_errors.admin import is_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse
    from django.urls import URLPattern


class RecordPages(ReadableHistory):
    """What pages about records, or about one of them, have in common."""

    def page(self, route: str, view: Callable[..., HttpResponse], name: str) -> URLPattern:
        """Return the pattern of a page; ``name`` follows that of the model."""
        return path(
            route,
            self.admin_site.admin_view(view),
            name=f"{self.opts.app_label}_{self.opts.model_name}_{name}",
        )

    def address(self, name: str, *args: Any) -> str:
        """Return the address of a page."""
        opts = self.opts
        return reverse(f"admin:{opts.app_label}_{opts.model_name}_{name}", args=args)

    def find(self, request: HttpRequest, object_id: str) -> Any:
        """Return a record that the user may look at.

        Raises ``Http404`` when the user meets no such record, and ``PermissionDenied``.
        """
        record = self.get_object(request, object_id) if is_id(object_id) else None
        if record is None:
            raise Http404
        if not self.has_view_permission(request, record):
            raise PermissionDenied
        return record

    def show(
        self,
        request: HttpRequest,
        template: str,
        *,
        title: str,
        status: int = 200,
        **context: Any,
    ) -> HttpResponse:
        """Return a page with what every page of admin needs."""
        return TemplateResponse(
            request,
            f"admin/calendar_events/{template}",
            {
                **self.admin_site.each_context(request),
                "title": title,
                "opts": self.opts,
                "list_url": self.address("changelist"),
                **context,
            },
            status=status,
        )
