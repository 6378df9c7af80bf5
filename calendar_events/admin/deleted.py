"""Records that were deleted for good and are still in the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import OuterRef, Subquery

from calendar_events.admin.pages import RecordPages
from calendar_events.services import restoring
from platform_errors.admin import institution_of

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

PER_PAGE = 50


class DeletedRecords(RecordPages):
    """A page of an admin class: what was deleted, the last first."""

    change_list_template = "admin/calendar_events/record_list.html"

    def get_urls(self) -> list[Any]:
        """Add the page."""
        return [self.page("deleted/", self.deleted_view, "deleted"), *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Lead to the page."""
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
