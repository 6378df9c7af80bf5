"""The log of changes: a row for each write of a record, in an order that misses none.

``save()`` and ``delete()`` write it in their transaction (``store.changes``). The feed of
changes and webhooks read it by the words of ``ChangeQuerySet``::

    Change.objects.after(position).settled().in_order()[:100]

On PostgreSQL an identifier is taken before the commit, so a row may appear behind one that
was read already. A row is *settled* when no transaction that began before its own is still
running. Nothing appears before it any more, and a reader that goes on behind the last
settled row misses none. SQLite has one writer at a time, and every row is settled.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from django.db import models
from django.db.models import BigIntegerField, Func, Q


class Position(NamedTuple):
    """A place in the log: behind the row of this transaction and identifier."""

    transaction: int
    id: int


BEGINNING = Position(0, 0)


class CurrentTransaction(Func):
    """The number of the transaction that is writing; 0 where there is one at a time."""

    output_field = BigIntegerField()

    def as_sql(self, *_args: Any, **_options: Any) -> Any:
        """Return the expression for databases with one writer."""
        return "0", []

    def as_postgresql(self, *_args: Any, **_options: Any) -> Any:
        """Return the expression for PostgreSQL: a savepoint has no number of its own."""
        return "(pg_current_xact_id()::text)::bigint", []


class Horizon(Func):
    """The number of the oldest transaction that is still running, in any database.

    ``pg_stat_activity`` tells those of this database, but is no part of the statement's
    snapshot: a transaction that commits between the two would be missed for ever.
    """

    output_field = BigIntegerField()

    def as_sql(self, *_args: Any, **_options: Any) -> Any:
        """Return a number above all others."""
        return str(2**63 - 1), []

    def as_postgresql(self, *_args: Any, **_options: Any) -> Any:
        """Return the expression for PostgreSQL, as the statement's snapshot has it."""
        return "(pg_snapshot_xmin(pg_current_snapshot())::text)::bigint", []


class End(Func):
    """One more than the newest transaction that has ended; all that is seen is below."""

    output_field = BigIntegerField()
    as_sql = Horizon.as_sql

    def as_postgresql(self, *_args: Any, **_options: Any) -> Any:
        """Return the expression for PostgreSQL, as the statement's snapshot has it."""
        return "(pg_snapshot_xmax(pg_current_snapshot())::text)::bigint", []


class ChangeQuerySet(models.QuerySet["Change"]):
    """The words in which the log is read."""

    def after(self, position: Position) -> Self:
        """Keep what comes behind a position."""
        later = Q(transaction__gt=position.transaction) | Q(id__gt=position.id)
        # The first condition is implied by the second; the index begins at it.
        return self.filter(later, transaction__gte=position.transaction)

    def settled(self) -> Self:
        """Keep what nothing can come before any more."""
        return self.filter(transaction__lt=Horizon())

    def foreign(self) -> Self:
        """Keep what was written in another cluster, from which the database was loaded."""
        return self.filter(transaction__gte=End())

    def in_order(self) -> Self:
        """Sort as the transactions began, and within each as it wrote."""
        return self.order_by("transaction", "id")


class Change(models.Model):
    """One write of one record."""

    id = models.BigAutoField(primary_key=True)
    transaction = models.BigIntegerField(db_default=CurrentTransaction(), editable=False)
    """Which transaction wrote it (PostgreSQL)."""
    at = models.DateTimeField()
    """By the clock of the server that wrote it."""
    kind = models.CharField(max_length=100)
    """The singular of ``models.kinds``; empty where the log begins anew."""
    record = models.BigIntegerField()
    """The identifier of the record, which may be gone."""
    institution = models.CharField(max_length=64, blank=True, default="")
    version = models.BigIntegerField()
    created = models.BooleanField(default=False)
    deleted = models.BooleanField(default=False)
    """Deleted for good; what goes to the trash is only written."""
    embedded = models.BooleanField(default=False)
    """Not written itself: a venue, an organizer or a term that its document shows was."""

    objects = ChangeQuerySet.as_manager()

    class Meta:
        default_permissions = ()  # nobody writes it by hand
        indexes = [models.Index(fields=["transaction", "id"], name="change_in_order")]

    def __str__(self) -> str:
        return f"{self.kind} {self.record} at version {self.version} ({self.pk})"

    @property
    def position(self) -> Position:
        """The place behind this row."""
        return Position(self.transaction, self.id)
