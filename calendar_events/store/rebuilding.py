"""Make again what is made of the rows: rendered texts, search texts, link copies, counters.

Nothing of it is lost or stale in normal running. It must be made again after a change of
the documents, of ``TIME_ZONE`` or of ``CURRENCY``, which fragments have taken in, and
after rows were loaded past ``store.saving`` (``pg_restore --disable-triggers``, ``COPY``).
Versions and modification dates stay: the records have not changed.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date
from typing import Any

from django.db import connection, models, transaction
from django.db.models import Count, F, Q
from django.db.models.functions import TruncDate

from calendar_events.models import (
    DayCount,
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    Organizer,
    Term,
    Venue,
)
from calendar_events.models.guard import store_writes
from calendar_events.models.venue import RECORD_FIELDS, RENDERED_FIELDS
from calendar_events.models.visibility import LISTED, as_q
from calendar_events.store import saving

BATCH = 500
WHOLE = date(1, 1, 1)
"""The day under which the whole of a scope is counted."""
COLUMNS: dict[Any, list[str]] = {
    Venue: RECORD_FIELDS,
    Organizer: RECORD_FIELDS,
    Term: RENDERED_FIELDS,
    Event: [*RECORD_FIELDS, "protected_fragment", "protected_feed_text"],
}
"""What is made of the other columns."""


def rebuild_records() -> int:
    """Render every record again, a batch at a time; return how many there are."""
    done = 0
    for model, columns in COLUMNS.items():
        rows: models.QuerySet[Any] = model.objects.order_by("pk")
        if model is not Term:
            rows = rows.select_related("image")
        last: int | None = 0
        while last is not None:
            last, number = _rebuild_batch(rows.filter(pk__gt=last), columns)
            done += number
    return done


@transaction.atomic
def _rebuild_batch(
    rows: models.QuerySet[Any], columns: list[str]
) -> tuple[int | None, int]:
    """Render the first of these again; return the last one and their number.

    They are locked, so that nothing is lost that somebody writes meanwhile.
    """
    batch = list(rows.select_for_update(of=("self",))[:BATCH])
    for record in batch:
        saving.render(record)
    with store_writes():
        rows.bulk_update(batch, columns)
    return (batch[-1].pk if batch else None), len(batch)


@store_writes()
def rebuild_links() -> None:
    """Copy into every link what lists filter and sort by."""
    kinds: list[Any] = [EventVenue, EventOrganizer, EventTerm]
    listed = as_q((LISTED,), "event__") & Q(event__password="")
    for kind in kinds:
        links = kind.objects
        for is_listed, found in (
            (True, links.filter(listed)),
            (False, links.exclude(listed)),
        ):
            links.filter(pk__in=found.values("pk")).exclude(listed=is_listed).update(
                listed=is_listed
            )
        event = Event.objects.filter(pk=models.OuterRef("event"))
        moved = links.exclude(start_utc=F("event__start_utc"))
        links.filter(pk__in=moved.values("pk")).update(
            start_utc=models.Subquery(event.values("start_utc")[:1])
        )


@transaction.atomic
def rebuild_counters() -> None:
    """Count everything anew; writers wait until it is done."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            tables = ", ".join(
                model._meta.db_table for model in (DayCount, Event, EventTerm)
            )
            cursor.execute(f"LOCK TABLE {tables} IN SHARE ROW EXCLUSIVE MODE")
    DayCount.objects.exclude(scope="writes").delete()
    listed = Event.objects.filter(as_q((LISTED,)))
    _count(listed, "all", "status")  # the same for all of them
    _count(listed, "institution:{}", "institution")
    _count(EventTerm.objects.filter(listed=True), "term:{}", "term_id")


def rebuild_searches() -> None:
    """Copy again what searches look at, where triggers keep it."""
    if connection.vendor != "postgresql":
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {Event._meta.db_table} IN SHARE ROW EXCLUSIVE MODE")
        cursor.execute("SELECT calendar_events_copy_searches()")


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
    found = [
        DayCount(scope=name, day=day, number=number) for (name, day), number in sums.items()
    ]
    DayCount.objects.bulk_create(found, batch_size=BATCH)


def rebuild() -> int:
    """Make everything again; return how many records there are."""
    done = rebuild_records()
    rebuild_links()
    rebuild_counters()
    rebuild_searches()
    return done
