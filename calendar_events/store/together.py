"""Write many events at once: what ``save()`` and ``delete()`` do of each, together.

A statement takes a batch of them. Signals are sent as of one: those before a write come
before the rows of all are written, those after it afterwards.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from django.db import router, transaction
from django.db.models.deletion import Collector
from django.db.models.signals import post_save, pre_save

from calendar_events.models import Event
from calendar_events.models.guard import VersionConflict, store_writes
from calendar_events.models.record import states_together
from calendar_events.models.rendered import children
from calendar_events.signals import announce
from calendar_events.store import links as link_rows
from calendar_events.store import saving, sql
from calendar_events.store.changes import log_events
from calendar_events.store.links import Links

BATCH: Final = 500
_COLUMNS = [field.name for field in Event._meta.concrete_fields if not field.primary_key]


def save_all(events: Sequence[Event], *, links: Iterable[Links], now: datetime) -> None:
    """Save events that are all new, or all stored; ``links`` are those of each.

    Raises what ``save`` raises.
    """
    if not events:
        return
    using = router.db_for_write(Event)
    is_new = events[0]._state.adding  # noqa: SLF001 -- Django's word
    with transaction.atomic(using=using, savepoint=False):
        for event in events:
            pre_save.send(Event, instance=event, raw=False, using=using, update_fields=None)
        if is_new:
            for event, pk in zip(
                events, sql.next_identifiers(Event, len(events)), strict=True
            ):
                event.pk = pk
        else:
            _require_versions(events, using)
        for event in events:
            event.stamp(now)
            saving.settle(event, now=now)
        plans = link_rows.plan_all(events, links)
        with store_writes():
            rows = Event._base_manager.using(using)
            if is_new:
                rows.bulk_create(events, batch_size=BATCH)
            else:  # each is there, so that none is inserted
                rows.bulk_create(
                    events,
                    batch_size=BATCH,
                    update_conflicts=True,
                    unique_fields=["id"],
                    update_fields=_COLUMNS,
                )
        with states_together(using, BATCH):
            for event in events:
                post_save.send(
                    Event,
                    instance=event,
                    created=is_new,
                    raw=False,
                    using=using,
                    update_fields=None,
                )
        if not link_rows.write_all(list(zip(events, plans, strict=True))):
            raise VersionConflict("What the events name is no longer there to link.")
        log_events(events, created=is_new, batch_size=BATCH)
        announce(*events, using=using, created=is_new)


def delete_all(events: Sequence[Event]) -> None:
    """Delete events for good. Raises what ``delete`` raises."""
    if not events:
        return
    using = router.db_for_write(Event)
    with transaction.atomic(using=using, savepoint=False):
        _require_versions(events, using)
        linked = link_rows.stored_of(events)
        for event in events:
            event.linked = linked[event.pk]
            event.version += 1
        log_events(events, deleted=True, batch_size=BATCH)
        announce(*events, using=using, deleted=True)
        for child in children(using, events):
            child.save(using=using)
        # Of these very rows, which say who deletes them; ``QuerySet.delete`` reads others.
        collector = Collector(using=using)
        collector.collect(events)
        with store_writes(), states_together(using, BATCH):
            collector.delete()


def _require_versions(events: Sequence[Event], using: str) -> None:
    """Lock the rows, and require that each is at the version that was read."""
    rows = Event._base_manager.using(using).select_for_update(of=("self",))
    found = rows.filter(pk__in=[event.pk for event in events])
    stored = dict(found.order_by("pk").values_list("pk", "version"))
    for event in events:
        if stored.get(event.pk) != event.version:
            raise event.conflict(event.version)
