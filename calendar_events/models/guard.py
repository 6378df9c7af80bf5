"""Refuse what would change rows and leave the documents made of them as they were.

What the interface answers is stored beside the row that it is made of. ``save()`` and
``delete()`` keep both in step (``models.rendered``); statements over many rows, and rows of
links written alone, cannot. They raise, and say what to call.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db import models

_in_store: ContextVar[bool] = ContextVar("calendar_events_in_store", default=False)


class VersionConflict(Exception):
    """Somebody wrote the record, or what it names, after it was read or seen."""


class WrittenPastTheStore(RuntimeError):
    """Rows were to be written without what follows from them."""

    def __init__(self, model: type[models.Model]) -> None:
        super().__init__(
            f"{model.__name__} rows are not written this way, for the documents that the "
            f"interface answers with would not change. {model.write_instead} After "  # type: ignore[attr-defined]
            "loading rows in bulk inside calendar_events.models.guard.store_writes(), run "
            "manage.py rebuild_calendar."
        )


@contextmanager
def store_writes() -> Iterator[None]:
    """Allow direct writes inside the block, for code that keeps the documents true."""
    token = _in_store.set(True)
    try:
        yield
    finally:
        _in_store.reset(token)


def is_allowed() -> bool:
    """Return whether this runs inside ``store_writes``."""
    return _in_store.get()


def require_store(model: type[models.Model]) -> None:
    """Raise ``WrittenPastTheStore`` outside ``store_writes``."""
    if not is_allowed():
        raise WrittenPastTheStore(model)


class GuardedQuerySet(models.QuerySet):
    """A QuerySet that writes many rows inside ``store_writes`` alone."""

    def update(self, **values: Any) -> int:
        require_store(self.model)
        return super().update(**values)

    update.alters_data = True  # type: ignore[attr-defined]

    def bulk_create(self, *args: Any, **options: Any) -> Any:
        require_store(self.model)
        return super().bulk_create(*args, **options)

    bulk_create.alters_data = True  # type: ignore[attr-defined]

    def bulk_update(self, *args: Any, **options: Any) -> int:
        require_store(self.model)
        return super().bulk_update(*args, **options)

    bulk_update.alters_data = True  # type: ignore[attr-defined]

    def delete(self) -> tuple[int, dict[str, int]]:
        require_store(self.model)
        return super().delete()

    delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]
