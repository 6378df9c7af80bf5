"""The base of events, venues and organizers: owner, status, documents, history."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import cache
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.dispatch import receiver
from simple_history.manager import HistoryManager
from simple_history.signals import pre_create_historical_record

from calendar_events.models import visibility
from calendar_events.models.image import Image
from calendar_events.models.rendered import Rendered
from calendar_events.models.visibility import Status


class StateManager(HistoryManager):
    """The manager of states; its class is made once, not at every look at it."""

    @classmethod
    @cache
    def from_queryset(cls, *args: Any, **kwargs: Any) -> Any:
        """Return the manager class with the vocabulary of a queryset (Django's seam)."""
        return super().from_queryset(*args, **kwargs)


def reason_field() -> models.TextField:
    """Return the column that says why a state was made; a comment may be long."""
    return models.TextField(null=True)


_waiting: ContextVar[list["LinkedHistory"] | None] = ContextVar("waiting", default=None)


@contextmanager
def states_together(using: str, batch_size: int) -> Iterator[None]:
    """Store the states that django-simple-history makes inside the block at its end."""
    states: list[LinkedHistory] = []
    token = _waiting.set(states)
    try:
        yield
    finally:
        _waiting.reset(token)
    if states:
        rows = type(states[0])._base_manager.using(using)
        rows.bulk_create(states, batch_size=batch_size)


class LinkedHistory(models.Model):
    """A state of an event with the identifiers of its venues, organizers and terms.

    Kept as plain numbers: a state outlives the records that it was linked to.
    """

    linked = models.JSONField(default=dict, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"linked to {self.linked}"

    def save(self, *args: Any, **options: Any) -> None:
        """Store the state, or let it wait for the others (``states_together``)."""
        waiting = _waiting.get()
        if waiting is None:
            super().save(*args, **options)
        else:
            waiting.append(self)


@receiver(pre_create_historical_record)
def remember_links(instance: Any, history_instance: Any, **_kwargs: Any) -> None:
    """Copy the links of an event into its state."""
    if isinstance(history_instance, LinkedHistory):
        history_instance.linked = getattr(instance, "linked", {})


STORED_STATUSES = [status.value for status in Status if status is not Status.FUTURE]


def record_permissions(kind: str) -> list[Any]:
    return [
        (f"publish_{kind}", f"Can publish {kind}s"),
        (f"change_others_{kind}", f"Can change others' {kind}s"),
        (f"delete_others_{kind}", f"Can delete others' {kind}s"),
        (f"read_unpublished_{kind}", f"Can read others' unpublished {kind}s"),
    ]


class Record(Rendered):
    """An event, a venue or an organizer."""

    institution = models.CharField(max_length=64, help_text="Registry identifier")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.PUBLISH)
    previous_status = models.CharField(
        max_length=10, choices=Status, blank=True, default="", editable=False
    )
    """The status before the record went to the trash."""
    published_at = models.DateTimeField(null=True, blank=True)
    """The publication moment (``date_utc``); empty for what was never published."""
    slug = models.CharField(max_length=255, blank=True, default="")
    description = models.TextField(blank=True, default="")
    website = models.CharField(max_length=2048, blank=True, default="")
    feed_text = models.TextField(editable=False, blank=True, default="", db_default="")
    """The record in iCalendar feeds; addresses and other rows are left open."""
    json_ld = models.TextField(editable=False, blank=True, default="", db_default="")
    """The schema.org description, as JSON text like the fragment."""
    image = models.ForeignKey(
        "calendar_events.Image",
        null=True,
        blank=True,
        on_delete=models.PROTECT,  # its addresses are part of the rendered form
        related_name="+",
    )

    rendered_fields: ClassVar[list[str]] = [
        *Rendered.rendered_fields,
        "feed_text",
        "json_ld",
    ]

    class Meta:
        abstract = True
        base_manager_name = "objects"
        constraints = [
            models.UniqueConstraint(
                fields=["slug"],
                condition=~Q(slug=""),
                name="%(class)s_slug_is_unique",
            ),
            models.CheckConstraint(
                condition=Q(status__in=STORED_STATUSES),
                name="%(class)s_status_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(status=Status.PUBLISH)
                | (Q(published_at__isnull=False) & ~Q(slug="")),
                name="%(class)s_published_has_date_and_slug",
            ),
            models.CheckConstraint(
                condition=~Q(institution=""), name="%(class)s_has_institution"
            ),
        ]

    def linked_rows(self) -> dict[str, models.QuerySet[Any]]:
        """Return what must be of the same institution, by what people call it."""
        return {"pictures": Image.objects.filter(pk=self.image_id or 0)}

    def status_at(self, now: datetime) -> str:
        """Return the effective status: ``publish`` that has not come yet is ``future``."""
        if visibility.is_met_by(visibility.scheduled(now), self):
            return Status.FUTURE
        return self.status
