"""The review queue: approve a record, or return it to its author with a comment."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from calendar_events.admin.base import problems_in_words, refused_as_forbidden
from calendar_events.admin.forms import CHANGED_MEANWHILE
from calendar_events.admin.pages import Button, Page
from calendar_events.admin.preview import shown
from calendar_events.models import Status
from calendar_events.permissions import Actor, NotAllowed, require_review
from calendar_events.services import desk

APPROVE, RETURN = "approve", "return"


class ReviewFilter(admin.SimpleListFilter):
    """Filters for records that wait for review; offered to reviewers."""

    title = "review"
    parameter_name = "review"
    AWAITING = "awaiting"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Offer the filter to those who may publish."""
        if not model_admin.has_publish_permission(request):
            return []
        return [(self.AWAITING, "Awaiting review")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() != self.AWAITING:
            return queryset
        return queryset.filter(status=Status.PENDING)


AWAITING_REVIEW = f"?{ReviewFilter.parameter_name}={ReviewFilter.AWAITING}"


class ReviewForm(forms.Form):
    """A decision, with a comment if the author is to mend something."""

    comment = forms.CharField(
        required=False,
        max_length=desk.MAX_COMMENT,
        label="Comment for the author",
        help_text="Required to return it. The author reads it on the page of the record;"
        " it is kept in the history and is never public.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    decision = forms.ChoiceField(choices=[(APPROVE, "Approve"), (RETURN, "Return")])
    seen_version = forms.IntegerField(widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        sent: dict[str, Any] = super().clean() or {}
        is_missing = "comment" in sent and not sent["comment"]
        if sent.get("decision") == RETURN and is_missing:
            self.add_error("comment", "Say what the author should change.")
        return sent


class ReviewPage(Page):
    """The page on which a reviewer approves or returns a record."""

    name = "review"
    route = "<str:object_id>/review/"

    def has_permission(self, request: HttpRequest, model_admin: Any, record: Any) -> bool:
        actor = Actor(user=request.user, institution=record.institution)
        try:
            require_review(actor, record)
        except NotAllowed:
            return False
        return bool(model_admin.has_change_permission(request, record))

    def list_button(self, request: HttpRequest, model_admin: Any) -> Button | None:
        if not model_admin.has_publish_permission(request):
            return None
        return Button("Awaiting review", AWAITING_REVIEW)

    def record_button(
        self, request: HttpRequest, model_admin: Any, record: Any
    ) -> Button | None:
        if record.status != Status.PENDING:
            return None
        if not self.has_permission(request, model_admin, record):
            return None
        return Button("Review", model_admin.url(self.name, record.pk))

    @problems_in_words
    def view(self, request: HttpRequest, model_admin: Any, record: Any) -> HttpResponse:
        change_url = model_admin.url("change", record.pk)
        if record.status != Status.PENDING:
            messages.warning(request, f"“{record}” {desk.NOT_WAITING}")
            return HttpResponseRedirect(change_url)
        form = ReviewForm(request.POST or None, initial={"seen_version": record.version})
        if request.method == "POST" and form.is_valid():
            if form.cleaned_data["seen_version"] == record.version:
                return _decide(request, model_admin, record, form.cleaned_data)
            messages.error(request, CHANGED_MEANWHILE)
            return HttpResponseRedirect(request.path)
        return model_admin.render_page(
            request,
            "review.html",
            title=f"Review {model_admin.opts.verbose_name}",
            form=form,
            record=record,
            change_url=change_url,
            returned=desk.last_comment(record),
            shown=shown(request, record),
        )


def _decide(
    request: HttpRequest, model_admin: Any, record: Any, sent: dict[str, Any]
) -> HttpResponse:
    actor = Actor(user=request.user, institution=record.institution)
    now = timezone.now()
    with refused_as_forbidden():
        if sent["decision"] == APPROVE:
            changes = {"status": Status.PUBLISH}
            model_admin.update(record=record, actor=actor, changes=changes, now=now)
        else:
            desk.return_record(
                model_admin.model,
                actor=actor,
                pk=record.pk,
                comment=sent["comment"],
                now=now,
                expected_version=record.version,
            )
    done = "published" if sent["decision"] == APPROVE else "returned to its author"
    messages.success(request, f"“{record}” was {done}.")
    return HttpResponseRedirect(f"{model_admin.url('changelist')}{AWAITING_REVIEW}")
