"""Pages of admin classes besides Django's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import OuterRef, Subquery
from django.http import Http404
from django.template.response import TemplateResponse
from django.urls import path, reverse

from calendar_events.admin.history import ReadableHistory
from calendar_events.services import restoring
from institution_admin import institution_of, is_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.db.models import QuerySet
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


PER_PAGE = 50


class DeletedRecords(RecordPages):
    """A page of an admin class: what was deleted, the last first."""

    change_list_template = "admin/calendar_events/record_list.html"

    def get_urls(self) -> list[Any]:
        return [self.page("deleted/", self.deleted_view, "deleted"), *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {"deleted_url": self.address("deleted"), **(extra_context or {})}
        return super().changelist_view(request, context)

    def deleted_view(self, request: HttpRequest) -> HttpResponse:
        """List deleted records, which can be restored from their history."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        paginator = Paginator(self.get_deleted(request), PER_PAGE)
        page = paginator.get_page(request.GET.get("page"))
        page.object_list = [self._row(state) for state in page.object_list]
        title = f"Deleted {self.opts.verbose_name_plural}"
        return self.show(request, "deleted.html", title=title, page=page)

    def get_deleted(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the last state of each deleted record that the user may meet."""
        model: Any = self.model
        states = model.history.model.objects
        last = states.filter(id=OuterRef("id")).order_by("-history_id")
        found = states.filter(
            history_type="-", history_id=Subquery(last.values("history_id")[:1])
        )
        institution = institution_of(request)
        if institution is not None:
            found = self.of_institution(found, institution)
        return found.select_related("history_user").order_by("-history_id")

    def _row(self, state: Any) -> dict[str, Any]:
        return {
            "name": getattr(state, "title", None) or getattr(state, "name", ""),
            "institution": state.institution,
            "at": state.history_date,
            "by": state.history_user,
            "restored_as": restoring.restored_as(state),
            "history_url": self.address("history", state.id),
        }
