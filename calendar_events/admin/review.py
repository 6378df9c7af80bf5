"""What waits for review: approved, or returned to its author with a comment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponseRedirect
from django.utils import timezone

from calendar_events.admin.base import problems_in_words, refused_as_forbidden
from calendar_events.admin.forms import CHANGED_MEANWHILE
from calendar_events.admin.pages import RecordPages
from calendar_events.admin.preview import shown
from calendar_events.models import Status
from calendar_events.permissions import Actor, NotAllowed, require_review
from calendar_events.services import review

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

APPROVE, RETURN = "approve", "return"


class ReviewFilter(admin.SimpleListFilter):
    """What waits for review, for those who may decide about it."""

    title = "review"
    parameter_name = "review"
    AWAITING = "awaiting"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Offer the filter to whoever may publish."""
        if not model_admin.has_publish_permission(request):
            return []
        return [(self.AWAITING, "Awaiting review")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() != self.AWAITING:
            return queryset
        return queryset.filter(status=Status.PENDING)


class ReviewForm(forms.Form):
    """A decision, with a comment if the author is to mend something."""

    comment = forms.CharField(
        required=False,
        max_length=review.MAX_COMMENT,
        label="Comment for the author",
        help_text="Required to return it. The author reads it on the page of the record;"
        " it is kept in the history and is never public.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    decision = forms.ChoiceField(choices=[(APPROVE, "Approve"), (RETURN, "Return")])
    seen_version = forms.IntegerField(widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        """Require a comment with what is returned."""
        sent: dict[str, Any] = super().clean() or {}
        is_missing = "comment" in sent and not sent["comment"]
        if sent.get("decision") == RETURN and is_missing:
            self.add_error("comment", "Say what the author should change.")
        return sent


class ReviewedRecords(RecordPages):
    """A page for what waits for review, and what came of it on the page of a record."""

    def get_urls(self) -> list[Any]:
        route = "<str:object_id>/review/"
        return [self.page(route, self.review_view, "review"), *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        waiting = f"?{ReviewFilter.parameter_name}={ReviewFilter.AWAITING}"
        may_publish = self.has_publish_permission(request)
        context = {"review_url": waiting if may_publish else "", **(extra_context or {})}
        return super().changelist_view(request, context)

    def has_publish_permission(self, request: HttpRequest) -> bool:
        """Offer publication to those whose records may be seen by everybody."""
        actor = Actor(user=request.user, institution="")
        return actor.has("publish", self.model) and actor.has("change", self.model)

    def may_decide(self, request: HttpRequest, record: Any) -> bool:
        """Return whether the user may approve or return the record."""
        actor = Actor(user=request.user, institution=record.institution)
        try:
            require_review(actor, record)
        except NotAllowed:
            return False
        return self.has_change_permission(request, record)

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Show the last comment, and lead those who decide to their page."""
        record = kwargs.get("obj")
        if record is not None:
            context["returned"] = review.last_comment(record)
            if record.status == Status.PENDING and self.may_decide(request, record):
                context["review_url"] = self.address("review", record.pk)
        return super().render_change_form(request, context, *args, **kwargs)

    @problems_in_words
    def review_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show what waits for review, and take the decision."""
        record = self.find(request, object_id)
        if not self.may_decide(request, record):
            raise PermissionDenied
        if record.status != Status.PENDING:
            messages.warning(request, f"“{record}” {review.NOT_WAITING}")
            return HttpResponseRedirect(self.address("change", record.pk))
        form = ReviewForm(request.POST or None, initial={"seen_version": record.version})
        if request.method == "POST" and form.is_valid():
            if form.cleaned_data["seen_version"] == record.version:
                return self._decide(request, record, form.cleaned_data)
            messages.error(request, CHANGED_MEANWHILE)
            return HttpResponseRedirect(request.path)
        return self.show(
            request,
            "review.html",
            title=f"Review {self.opts.verbose_name}",
            form=form,
            record=record,
            change_url=self.address("change", record.pk),
            returned=review.last_comment(record),
            shown=shown(request, record),
        )

    def _decide(
        self, request: HttpRequest, record: Any, sent: dict[str, Any]
    ) -> HttpResponse:
        """Publish the record, or return it with the comment."""
        actor = Actor(user=request.user, institution=record.institution)
        now = timezone.now()
        with refused_as_forbidden():
            if sent["decision"] == APPROVE:
                self.update(
                    record=record,
                    actor=actor,
                    changes={"status": Status.PUBLISH},
                    now=now,
                )
            else:
                review.return_record(
                    self.model,
                    actor=actor,
                    pk=record.pk,
                    comment=sent["comment"],
                    now=now,
                    expected_version=record.version,
                )
        done = "published" if sent["decision"] == APPROVE else "returned to its author"
        messages.success(request, f"“{record}” was {done}.")
        waiting = f"?{ReviewFilter.parameter_name}={ReviewFilter.AWAITING}"
        return HttpResponseRedirect(f"{self.address('changelist')}{waiting}")
