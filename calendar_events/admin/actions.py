"""Bulk actions; each record is written through its service."""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.text import get_text_list

from calendar_events.admin import institutions
from calendar_events.models import Event, Status, visibility
from calendar_events.permissions import Actor, NotAllowed
from calendar_events.services import references
from calendar_events.services.changesets import InTrash, InvalidFields
from calendar_events.services.desk import StaysBehind, move_record
from calendar_events.services.records import trash_record
from calendar_events.services.references import BadReference
from calendar_events.store.saving import VersionConflict
from institution_admin import bulk, is_id
from institution_admin.widgets import IdAutocompleteSelect

Write = Callable[[Any, Actor], object]


LEFT = "Not changed, because you may not change them or somebody else just did"
BEHIND = "Not moved, because their {} would stay behind"
REFUSALS = (NotAllowed, InTrash, InvalidFields, VersionConflict, BadReference)


def apply_to_each(
    request: HttpRequest, records: QuerySet[Any], write: Write, *, done: str
) -> None:
    """Write each record in a transaction of its own, and say how many were not allowed."""
    changed, left = 0, Counter[str]()
    for record in records:
        actor = Actor(user=request.user, institution=record.institution)
        try:
            with transaction.atomic():
                write(record, actor)
        except StaysBehind as error:
            left[BEHIND.format(get_text_list(error.kinds, "and"))] += 1
        except (*REFUSALS, type(record).DoesNotExist):
            left[LEFT] += 1
        else:
            changed += 1
    bulk.report(request, done, changed, left)


def set_each(
    model_admin: Any,
    request: HttpRequest,
    records: QuerySet[Any],
    changes: Mapping[str, Any],
    *,
    done: str,
) -> None:
    def write(record: Any, actor: Actor) -> None:
        model_admin.update(
            record=record, actor=actor, changes=dict(changes), now=timezone.now()
        )

    apply_to_each(request, records, write, done=done)


@admin.action(description="Publish", permissions=["publish"])
def publish(model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]) -> None:
    waiting = queryset.filter(status__in=[Status.DRAFT, Status.PENDING])
    set_each(model_admin, request, waiting, {"status": Status.PUBLISH}, done="Published")


@admin.action(description="Return to draft", permissions=["change"])
def return_to_draft(
    model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]
) -> None:
    """Take back what is published, or waits for review."""
    shown = queryset.exclude(status__in=[Status.DRAFT, Status.TRASH])
    set_each(
        model_admin, request, shown, {"status": Status.DRAFT}, done="Returned to draft"
    )


@admin.action(description="Move to the trash", permissions=["delete"])
def move_to_trash(model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]) -> None:
    apply_to_each(
        request,
        queryset.exclude(status=Status.TRASH),
        lambda record, actor: trash_record(
            model_admin.model, actor=actor, pk=record.pk, now=timezone.now()
        ),
        done="Moved to the trash",
    )


@admin.action(description="Restore from the trash", permissions=["change"])
def restore(model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]) -> None:
    def write(record: Any, actor: Actor) -> None:
        before = record.previous_status or Status.DRAFT
        model_admin.update(
            record=record, actor=actor, changes={"status": before}, now=timezone.now()
        )

    trashed = queryset.filter(status=Status.TRASH)
    apply_to_each(request, trashed, write, done="Restored")


STATUS_ACTIONS = (publish, return_to_draft, move_to_trash, restore)

WriteTo = Callable[[Any, Actor, Any], object]

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
    write: WriteTo,
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


@admin.action(description="Feature", permissions=["change"])
def feature(model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]) -> None:
    plain = queryset.filter(featured=False)
    set_each(model_admin, request, plain, {"featured": True}, done="Featured")


@admin.action(description="Stop featuring", permissions=["change"])
def stop_featuring(model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]) -> None:
    marked = queryset.filter(featured=True)
    set_each(model_admin, request, marked, {"featured": False}, done="No longer featured")
