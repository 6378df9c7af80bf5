"""Rows that carry what is made of them: saved as Django saves, with all that follows.

``save()``, ``objects.create()``, forms, admin and factories all come here. What needs the
layers above (documents, links, slugs) is in ``store.saving``, which registers itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Protocol

from django.db import models, router, transaction
from django.db.models import F
from django.utils import timezone

from calendar_events.models.guard import (
    GuardedQuerySet,
    VersionConflict,
    WrittenPastTheStore,
    is_allowed,
    store_writes,
)
from calendar_events.signals import announce


class Writer(Protocol):
    """What saving involves besides the row."""

    def prepare(self, record: Any, *, now: datetime, links: Any) -> Any:
        """Set the columns that follow from others; return what ``finish`` takes."""

    def finish(self, record: Any, plan: Any) -> None:
        """Write what belongs to the row, after it. Raises ``VersionConflict``."""

    def before_delete(self, record: Any) -> None:
        """Set what the last state in the history needs."""

    def log(self, record: Any, *, created: bool = False, deleted: bool = False) -> None:
        """Put the write into the log of changes; its links are still there."""


@dataclass(slots=True)
class _Save:
    """A save that is going on."""

    now: datetime
    links: Any
    version: int
    """The version that the row must still have."""
    plan: Any = None
    """What the writer has left to do once the row is written."""


_writers: list[Writer] = []


def register(writer: Writer) -> None:
    """Let this writer, in place of any before, take part in every save."""
    _writers[:] = [writer]


def children(using: str, rows: Sequence[Rendered]) -> Iterator[Rendered]:
    """Yield what names one of these rows and may do without it, no longer naming it.

    What is itself among them is left out.
    """
    for relation in rows[0]._meta.related_objects:
        model = relation.related_model
        if relation.on_delete is models.SET_NULL and issubclass(model, Rendered):
            name = relation.field.name
            naming = model._base_manager.using(using).filter(**{f"{name}__in": rows})
            if model is type(rows[0]):
                naming = naming.exclude(pk__in=[row.pk for row in rows])
            for child in naming:
                setattr(child, name, None)
                yield child


class RenderedQuerySet(GuardedQuerySet):
    """Rows that are deleted one by one, each with all that follows from it."""

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete each record as ``record.delete()`` does, in one transaction."""
        if is_allowed():
            return super().delete()
        deleted: Counter[str] = Counter()
        with transaction.atomic(using=self.db, savepoint=False):
            for pk in list(self.values_list("pk", flat=True)):
                # Read anew: deleting a parent changes the version of its children.
                rows = self.model._base_manager.using(self.db).select_for_update()
                for record in rows.filter(pk=pk):
                    deleted.update(record.delete(using=self.db)[1])
        return deleted.total(), dict(deleted)

    delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]


class Rendered(models.Model):
    """A row that carries its own JSON text and a version."""

    version = models.PositiveBigIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(editable=False)
    modified_at = models.DateTimeField(editable=False)
    fragment = models.TextField(editable=False, blank=True, default="")
    """The record's JSON text; addresses are left open (``documents.Marker``)."""
    search_text = models.TextField(editable=False, blank=True, default="")
    """What ``search`` looks in: folded for case and accents, without markup."""
    sort_text = models.CharField(max_length=200, editable=False, blank=True, default="")
    """The folded title or name, by which lists are sorted."""

    rendered_fields: ClassVar[list[str]] = ["fragment", "search_text", "sort_text"]
    """The columns that are made of the others; histories leave them out."""
    write_instead = "Call save() or delete() of each record."
    _saving: _Save | None = None

    class Meta:
        abstract = True

    def save(  # noqa: PLR0913 -- Django's parameters and two of ours
        self,
        *,
        now: datetime | None = None,
        links: Any = None,
        force_insert: Any = False,
        force_update: bool = False,
        using: str | None = None,
        update_fields: Iterable[str] | None = None,
    ) -> None:
        """Save the row and everything that follows from it, in one transaction.

        ``now`` is the moment of the write. ``links`` (``store.links.Links``) is what an
        event is to be linked to; left out, links stay. The row is stored whole, whatever
        ``update_fields`` names, because its document is made of the whole.

        Raises ``VersionConflict`` when somebody else wrote the record since it was read, or
        what it is to be linked to is gone, and ``IntegrityError`` when a constraint is
        violated, among them that of a slug that another row has.
        """
        if update_fields is not None and not frozenset(update_fields):
            return
        is_new = self._state.adding
        read = self.version, self.created_at, self.modified_at, self.pk
        using = using or router.db_for_write(type(self), instance=self)
        # A receiver of ``post_save`` may save again.
        outer, saving = self._saving, _Save(now or timezone.now(), links, self.version)
        self._saving = saving
        try:
            with transaction.atomic(using=using, savepoint=False):
                super().save(
                    force_insert=force_insert or (is_new and not force_update),
                    force_update=force_update,
                    using=using,
                )
                _writers[0].finish(self, saving.plan)
                _writers[0].log(self, created=is_new)
                announce(self, using=using, created=is_new)
        except BaseException:  # or the next attempt would pass for the newest
            self.version, self.created_at, self.modified_at, self.pk = read
            self._state.adding = is_new
            raise
        finally:
            self._saving = outer

    def delete(
        self,
        using: str | None = None,
        keep_parents: bool = False,  # noqa: FBT001, FBT002 -- Django's signature
    ) -> tuple[int, dict[str, int]]:
        """Delete for good; links go with it, children lose their parent.

        Raises ``VersionConflict`` when the stored version is not the one that was read.
        """
        using = using or router.db_for_write(type(self), instance=self)
        with transaction.atomic(using=using, savepoint=False):
            _writers[0].before_delete(self)
            # A conditional UPDATE, because SQLite has no ``SELECT … FOR UPDATE``.
            rows = type(self)._base_manager.using(using)
            stored = rows.filter(pk=self.pk, version=self.version)
            with store_writes():
                if not stored.update(version=F("version") + 1):
                    raise self.conflict(self.version)
            self.version += 1
            _writers[0].log(self, deleted=True)
            announce(self, using=using, deleted=True)
            for child in children(using, [self]):
                child.save(using=using)
            with store_writes():
                return super().delete(using=using, keep_parents=keep_parents)

    @property
    def display_name(self) -> str:
        """The title or name, as plain text."""
        name: str = self.name  # type: ignore[attr-defined]
        return name

    def searched_texts(self) -> list[str]:
        """Return the texts that ``search`` looks in, without markup."""
        return [self.display_name]

    def conflict(self, version: int) -> VersionConflict:
        return VersionConflict(f"{self} is no longer at version {version}.")

    def _save_table(  # noqa: PLR0913, PLR0917 -- Django's seam after ``pre_save``
        self,
        raw: bool = False,  # noqa: FBT001, FBT002
        cls: Any = None,
        force_insert: Any = False,  # noqa: FBT002
        force_update: Any = False,  # noqa: FBT002
        using: str | None = None,
        update_fields: Any = None,
    ) -> bool:
        """Set the columns that follow from others, once ``pre_save`` has been sent.

        A fixture (``raw``) is stored as it is given.
        """
        if not raw:
            saving = self._saving
            if saving is None:  # not by ``save``
                raise WrittenPastTheStore(type(self))
            self.stamp(saving.now)
            saving.plan = _writers[0].prepare(self, now=saving.now, links=saving.links)
            update_fields = None
        return super()._save_table(  # type: ignore[misc]
            raw, cls, force_insert, force_update, using, update_fields
        )

    def stamp(self, now: datetime) -> None:
        """Count the write, and move the modification date on by a second at least."""
        now = now.replace(microsecond=0)
        if self._state.adding:
            self.version = 1
            self.created_at = self.modified_at = now
        else:
            self.version += 1
            self.modified_at = max(now, self.modified_at + timedelta(seconds=1))

    def _do_update(self, base_qs: Any, *args: Any) -> Any:
        """Update the row if it is at the version that was read. Raises ``VersionConflict``.

        One conditional UPDATE, because SQLite has no ``SELECT … FOR UPDATE``.
        """
        if self._saving is None:  # a fixture
            return super()._do_update(base_qs, *args)
        version = self._saving.version
        updated = super()._do_update(base_qs.filter(version=version), *args)
        if not updated:
            raise self.conflict(version)
        return updated
