"""What is done to several records at once, each through its service."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.text import get_text_list

from calendar_events.models import Status
from calendar_events.permissions import Actor, NotAllowed
from calendar_events.services.changesets import InTrash, InvalidFields
from calendar_events.services.desk import StaysBehind
from calendar_events.services.records import trash_record
from calendar_events.services.references import BadReference
from calendar_events.store.saving import VersionConflict
from institution_admin import bulk

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
    """Publish what is a draft or waits for review."""
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
    """Trash what is not there yet."""
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
    """Give what is in the trash the status that it had before."""

    def write(record: Any, actor: Actor) -> None:
        before = record.previous_status or Status.DRAFT
        model_admin.update(
            record=record, actor=actor, changes={"status": before}, now=timezone.now()
        )

    trashed = queryset.filter(status=Status.TRASH)
    apply_to_each(request, trashed, write, done="Restored")


STATUS_ACTIONS = (publish, return_to_draft, move_to_trash, restore)
