"""The page of deleted records, the last first."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse

from calendar_events.admin.pages import Button, Page
from calendar_events.services import desk
from institution_admin import institution_of

PER_PAGE = 50


class DeletedPage(Page):
    """Deleted records, which can be restored from their history."""

    name = "deleted"
    route = "deleted/"

    def list_button(self, request: HttpRequest, model_admin: Any) -> Button:
        label = f"Deleted {model_admin.opts.verbose_name_plural}"
        return Button(label, model_admin.url(self.name))

    def view(self, request: HttpRequest, model_admin: Any, record: None) -> HttpResponse:
        paginator = Paginator(_last_states(request, model_admin), PER_PAGE)
        page = paginator.get_page(request.GET.get("page"))
        page.object_list = [_row(model_admin, state) for state in page.object_list]
        title = f"Deleted {model_admin.opts.verbose_name_plural}"
        return model_admin.render_page(request, "deleted.html", title=title, page=page)


def _last_states(request: HttpRequest, model_admin: Any) -> QuerySet[Any]:
    """Return the last state of each deleted record that the user may view.

    Others' records may have been drafts: who may not read those sees only their own.
    """
    states = model_admin.model.history.model.objects
    last = states.filter(id=OuterRef("id")).order_by("-history_id")
    deleted = states.filter(
        history_type="-", history_id=Subquery(last.values("history_id")[:1])
    )
    institution = institution_of(request)
    if institution is not None:
        deleted = model_admin.of_institution(deleted, institution)
    if not model_admin.reads_all(request):
        deleted = deleted.filter(author=request.user.pk)
    return deleted.select_related("history_user").order_by("-history_id")


def _row(model_admin: Any, state: Any) -> dict[str, Any]:
    return {
        "name": getattr(state, "title", None) or getattr(state, "name", ""),
        "institution": state.institution,
        "at": state.history_date,
        "by": state.history_user,
        "restored_as": desk.restored_as(state),
        "history_url": model_admin.url("history", state.id),
    }
