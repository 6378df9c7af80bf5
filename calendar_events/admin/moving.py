"""Several records given another author, venue or institution, after a page that asks."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from calendar_events.admin import institutions
from calendar_events.admin.actions import apply_to_each
from calendar_events.models import Event, visibility
from calendar_events.permissions import Actor
from calendar_events.services import references
from calendar_events.services.desk import move_record
from institution_admin import is_id
from institution_admin.widgets import IdAutocompleteSelect

Write = Callable[[Any, Actor, Any], object]

MOVED = (
    "The people who look after a record now will no longer be able to change it; its author"
    " stays the same. A record cannot be moved while it is linked to venues, organizers,"
    " categories, tags, pictures or events of its institution, not even together with them:"
    " remove these links first."
)
MOST_NAMED = 20
"""Records that the page names; of the others it says how many."""


class TargetField(forms.ModelChoiceField):
    """A row to choose, searched for as you type."""

    def __init__(self, request: HttpRequest, model: Any, name: str) -> None:
        """Offer the rows that ``model.name`` may hold and that the user meets in admin."""
        field = model._meta.get_field(name)
        related = admin.site.get_model_admin(field.related_model)
        super().__init__(
            related.get_queryset(request), widget=IdAutocompleteSelect(field, admin.site)
        )

    def to_python(self, value: Any) -> Any:
        """Return the row; what is no identifier names none."""
        if value and not is_id(value):
            raise forms.ValidationError("Choose from the list.")
        return super().to_python(value)


def ask_and_write(  # noqa: PLR0913 -- a request, its records, and the question
    model_admin: Any,
    request: HttpRequest,
    queryset: QuerySet[Any],
    *,
    action: str,
    field: forms.Field,
    title: str,
    write: Write,
    about: str = "",
) -> HttpResponse | None:
    """Ask for the value of a field; then ``write`` each record with it."""
    is_sent = "target" in request.POST
    form = forms.Form(request.POST if is_sent else None)
    form.fields["target"] = field
    field.label = title.rpartition(" ")[2].capitalize()
    if is_sent and form.is_valid():
        target = form.cleaned_data["target"]
        apply_to_each(
            request,
            queryset,
            lambda record, actor: write(record, actor, target),
            done=title,
        )
        return None
    count = queryset.count()
    return model_admin.render_page(
        request,
        "move.html",
        title=title,
        about=about,
        form=form,
        media=model_admin.media + form.media,
        action=action,
        selected=request.POST.getlist("_selected_action"),
        select_across=request.POST.get("select_across", "0"),
        named=queryset[:MOST_NAMED],
        more=max(0, count - MOST_NAMED),
    )


@admin.action(description="Change the author", permissions=["author"])
def change_author(
    model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]
) -> HttpResponse | None:
    def write(record: Any, actor: Actor, target: Any) -> None:
        author = references.find_author(
            target.pk, actor=actor, model=model_admin.model, current=record.author_id
        )
        changes = {"author": author}
        model_admin.update(record=record, actor=actor, changes=changes, now=timezone.now())

    return ask_and_write(
        model_admin,
        request,
        queryset,
        action="change_author",
        field=TargetField(request, model_admin.model, "author"),
        title="Change the author",
        write=write,
    )


@admin.action(description="Move to another institution", permissions=["move"])
def move_to_institution(
    model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]
) -> HttpResponse | None:
    def write(record: Any, actor: Actor, institution: str) -> None:
        move_record(
            model_admin.model,
            actor=actor,
            pk=record.pk,
            institution=institution,
            now=timezone.now(),
            expected_version=record.version,
        )

    field = institutions.new_field()
    with suppress(forms.ValidationError):
        # What is there already is passed over.
        target = field.clean(request.POST.get("target", ""))
        queryset = queryset.exclude(institution=target)
    return ask_and_write(
        model_admin,
        request,
        queryset,
        action="move_to_institution",
        field=field,
        title="Move to another institution",
        write=write,
        about=MOVED,
    )


@admin.action(description="Move to another venue", permissions=["change"])
def move_to_venue(
    model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]
) -> HttpResponse | None:
    """Give all of them one venue, instead of those that they have."""

    def write(event: Event, actor: Actor, target: Any) -> None:
        pk = target.pk
        found = references.find({visibility.VENUE: [pk]}, institution=actor.institution)
        found.require(visibility.VENUE, pk)
        changes = {"venue": [pk]}
        model_admin.update(record=event, actor=actor, changes=changes, now=timezone.now())

    return ask_and_write(
        model_admin,
        request,
        queryset,
        action="move_to_venue",
        field=TargetField(request, model_admin.model, "venues"),
        title="Move to another venue",
        write=write,
    )
