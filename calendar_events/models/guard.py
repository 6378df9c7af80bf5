"""Refuse writes past the store, which would leave stored documents as they were.

What the interface answers is stored beside the row that it is made of. Django's own ways to
write a row do not make it again, and would be believed: ``event.save()`` would change the
title in admin and not in the interface. They raise instead, and say what to call.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models.signals import pre_save
from django.dispatch import receiver

if TYPE_CHECKING:
    from collections.abc import Iterator

_in_store: ContextVar[bool] = ContextVar("calendar_events_in_store", default=False)


class WrittenPastTheStore(RuntimeError):
    """A row was to be written by other code than ``calendar_events.store``."""

    def __init__(self, model: type[models.Model]) -> None:
        super().__init__(
            f"{model.__name__} rows are written by calendar_events.services, or by "
            "calendar_events.store.saving.save: written directly, the documents that the "
            "interface answers with would not change. After loading rows in bulk inside "
            "calendar_events.models.guard.store_writes(), run manage.py rebuild_calendar."
        )


@contextmanager
def store_writes() -> Iterator[None]:
    """Allow direct writes inside the block, for code that keeps the documents true."""
    token = _in_store.set(True)
    try:
        yield
    finally:
        _in_store.reset(token)


def _require_store(model: type[models.Model]) -> None:
    if not _in_store.get():
        raise WrittenPastTheStore(model)


class GuardedQuerySet(models.QuerySet):
    """A QuerySet that reads and deletes; what it would write it refuses."""

    def update(self, **values: Any) -> int:
        """Update inside ``store_writes``; else raise ``WrittenPastTheStore``."""
        _require_store(self.model)
        return super().update(**values)

    def bulk_create(self, *args: Any, **options: Any) -> Any:
        """Insert inside ``store_writes``; else raise ``WrittenPastTheStore``."""
        _require_store(self.model)
        return super().bulk_create(*args, **options)


class Guarded(models.Model):
    """A row that only ``calendar_events.store`` writes."""

    class Meta:
        abstract = True


@receiver(pre_save)
def refuse_save(sender: type[models.Model], **_options: Any) -> None:
    """Refuse ``save`` and ``create``; fixtures, which call no method of the model, too."""
    if issubclass(sender, Guarded):
        _require_store(sender)
