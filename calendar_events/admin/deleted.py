"""Records that were deleted for good and are still in the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import OuterRef, Subquery
from django.template.response import TemplateResponse
from django.urls import path, reverse

from calendar_events.admin.base import RecordAdmin
from platform_errors.admin import institution_of

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

PER_PAGE = 50


class DeletedRecords(RecordAdmin):
    """A page of an admin class: what was deleted, the last first."""

    change_list_template = "admin/calendar_events/record_list.html"

    def get_urls(self) -> list[Any]:
        """Add the page."""
        page = path(
            "deleted/",
            self.admin_site.admin_view(self.deleted_view),
            name=f"{self.opts.app_label}_{self.opts.model_name}_deleted",
        )
        return [page, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Lead to the page."""
        context = {"deleted_url": self._address("deleted"), **(extra_context or {})}
        return super().changelist_view(request, context)

    def deleted_view(self, request: HttpRequest) -> HttpResponse:
        """List deleted records, which can be restored from their history."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        paginator = Paginator(self.get_deleted(request), PER_PAGE)
        page = paginator.get_page(request.GET.get("page"))
        page.object_list = [self._row(state) for state in page.object_list]
        return TemplateResponse(
            request,
            "admin/calendar_events/deleted.html",
            {
                **self.admin_site.each_context(request),
                "title": f"Deleted {self.opts.verbose_name_plural}",
                "opts": self.opts,
                "page": page,
                "list_url": self._address("changelist"),
            },
        )

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
            "history_url": self._address("history", state.id),
        }

    def _address(self, page: str, *args: Any) -> str:
        opts = self.opts
        return reverse(f"admin:{opts.app_label}_{opts.model_name}_{page}", args=args)
