"""Make again what is made of the rows: rendered texts, search texts, link copies, counters.

Nothing of it is lost or stale in normal running. It must be made again after a change of
the documents, of ``TIME_ZONE`` or of ``CURRENCY``, which fragments have taken in, and
after rows were loaded past ``save()`` (``pg_restore --disable-triggers``, ``COPY``).
Versions and modification dates stay: the records have not changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, date
from typing import Any, NamedTuple

from django.db import connection, connections, models, router, transaction
from django.db.models import Count
from django.db.models.functions import TruncDate

from calendar_events.models import (
    DayCount,
    Event,
    EventTerm,
    Term,
)
from calendar_events.models.guard import store_writes
from calendar_events.models.kinds import KINDS
from calendar_events.models.visibility import LISTED, as_q
from calendar_events.store import changes, links, saving, triggers

BATCH = 500
WHOLE = date(1, 1, 1)
"""The day under which the whole of a scope is counted."""


def rendered_models() -> list[Any]:
    """Return the models of all types in the order of rendering: events last."""
    return list(dict.fromkeys(kind.model for kind in reversed(KINDS)))


class Place(NamedTuple):
    """A record up to which all have been rendered, written ``event:1500``."""

    model: Any
    pk: int

    def __str__(self) -> str:
        """Return what ``Place.parse`` reads."""
        return f"{self.model._meta.model_name}:{self.pk}"

    @classmethod
    def parse(cls, text: str) -> Place:
        """Raise ``ValueError`` for what names no record."""
        name, _, number = text.partition(":")
        known = {str(model._meta.model_name): model for model in rendered_models()}
        if name not in known or not (number.isascii() and number.isdigit()):
            raise ValueError(f"{text!r} is not like event:1500 ({', '.join(known)}).")
        return cls(known[name], int(number))


Advance = Callable[[int, Place], None]


def _say_nothing(_number: int, _place: Place) -> None:
    """Report no progress."""


def rebuild(*, after: Place | None = None, advance: Advance = _say_nothing) -> None:
    """Make everything again, a batch of records at a time, and then the counters.

    A batch is a transaction; ``advance`` is called after it, and what it raises ends the
    work there. ``after`` is where an earlier run was ended.
    """
    for model, first in _left(after):
        last: int | None = first
        while last is not None:
            last, number = _rebuild_batch(model, last)
            if last is not None:
                advance(number, Place(model, last))
    rebuild_counters()
    changes.begin_anew()


def number_of_records(*, after: Place | None = None) -> int:
    """Return how many records ``rebuild`` is going to render."""
    return sum(model.objects.filter(pk__gt=last).count() for model, last in _left(after))


def _left(after: Place | None) -> list[tuple[Any, int]]:
    """Return the kinds still to be rendered, each with the record to begin behind."""
    kinds = rendered_models()
    if after is None:
        return [(model, 0) for model in kinds]
    later = kinds[kinds.index(after.model) + 1 :]
    return [(after.model, after.pk), *((model, 0) for model in later)]


@transaction.atomic
def _rebuild_batch(model: Any, last: int) -> tuple[int | None, int]:
    """Render the records after ``last`` again; return the last of them and their number.

    They are locked, so that nothing is lost that somebody writes meanwhile.
    """
    rows: models.QuerySet[Any] = model.objects.order_by("pk").filter(pk__gt=last)
    if model is not Term:
        rows = rows.select_related("image")
    batch = list(rows.select_for_update(of=("self",))[:BATCH])
    for record in batch:
        saving.render(record)
    with store_writes():
        rows.bulk_update(batch, model.rendered_fields)
    if model is Event:
        for event in batch:
            links.write(event, links.plan(event, links.NO_CHANGE))
    return (batch[-1].pk if batch else None), len(batch)


@transaction.atomic
def restore_triggers(using: str) -> None:
    """Make triggers again if any is missing; what was written without them counts, too."""
    if triggers.missing(connections[using]):
        triggers.install(connections[using])
        DayCount.objects.using(using).create(scope="writes", day=WHOLE, number=1)
        if using == router.db_for_write(DayCount):
            rebuild_counters()


@transaction.atomic
def rebuild_counters() -> None:
    """Count everything anew where counters are kept; writers wait until it is done."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        tables = ", ".join(model._meta.db_table for model in (DayCount, Event, EventTerm))
        cursor.execute(f"LOCK TABLE {tables} IN SHARE ROW EXCLUSIVE MODE")
    DayCount.objects.exclude(scope="writes").delete()
    listed = Event.objects.filter(as_q((LISTED,)))
    _count(listed, "all", "status")  # the same for all of them
    _count(listed, "institution:{}", "institution")
    _count(EventTerm.objects.filter(listed=True), "term:{}", "term_id")


def _count(rows: models.QuerySet[Any], scope: str, column: str) -> None:
    """Count rows by the day they start on, and in all, for each value of a column.

    Events are counted by the month as well.
    """
    grouped = rows.order_by().values_list(column, TruncDate("start_utc", tzinfo=UTC))
    sums: Counter[tuple[str, date]] = Counter()
    for value, day, number in grouped.annotate(number=Count("pk")):
        name = scope.format(value)
        sums[name, day] += number
        sums[name, WHOLE] += number
        if rows.model is Event:
            sums[f"month:{name}", day.replace(day=1)] += number
    counts = [
        DayCount(scope=name, day=day, number=number) for (name, day), number in sums.items()
    ]
    DayCount.objects.bulk_create(counts, batch_size=BATCH)
