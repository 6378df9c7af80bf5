"""What a change of a series would do, for the desk that asks before it is done."""

from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple, cast

from django.db import transaction
from django.db.models import Q

from calendar_events.conf import conf
from calendar_events.models import Event, Series, Status
from calendar_events.permissions import Actor, NotAllowed
from calendar_events.services.changesets import ALL, FOLLOWING, THIS, EventChanges
from calendar_events.services.schedule import Schedule, plan
from calendar_events.services.series import begin_series
from calendar_events.services.series_edits import SCHEDULE, update_series
from calendar_events.services.series_group import group_of, open_group, require_removal
from calendar_events.store import links as link_rows

REMOVED = (
    *("start_local", "original_start_local", "series", "status", "previous_status"),
    *("institution", "author"),
)
"""What is read of an occurrence before it is deleted."""


class DateChange(NamedTuple):
    """What a change makes of one occurrence: the wall clocks, ``None`` for no such date."""

    before: datetime | None
    after: datetime | None


def preview_series(
    *, actor: Actor, pk: int, scope: str, changes: EventChanges, now: datetime
) -> list[DateChange]:
    """Return which dates ``update_series`` changes. It is done, and undone again.

    Raises what ``update_series`` raises.
    """
    with transaction.atomic():
        group = open_group(pk, scope, None, None)
        before = {row.pk: _shown_at(row) for row in group.rows}
        written = update_series(actor=actor, pk=pk, scope=scope, changes=changes, now=now)
        rows = Event.objects.filter(Q(pk__in=before) | Q(series=written.series_id))
        after = {row.pk: _shown_at(row) for row in rows}
        transaction.set_rollback(True)
    left_out = {row.pk for row in group.earlier}
    found = [
        DateChange(before.get(key), after.get(key))
        for key in dict.fromkeys((*before, *after))
        if key not in left_out
    ]
    found = [one for one in found if one != (None, None)]
    return sorted(found, key=lambda one: one.before or one.after or datetime.min)  # noqa: DTZ901


def preview_beginning(
    *, actor: Actor, pk: int, changes: EventChanges, now: datetime
) -> list[DateChange]:
    """Return which dates ``begin_series`` makes. It is done, and undone again.

    Raises what ``begin_series`` raises.
    """
    with transaction.atomic():
        before = {pk: _shown_at(Event.objects.get(pk=pk))}
        event = begin_series(actor=actor, pk=pk, changes=changes, now=now)
        rows = Event.objects.filter(series=event.series_id).order_by("start_utc", "pk")
        found = [DateChange(before.get(row.pk), _shown_at(row)) for row in rows]
        transaction.set_rollback(True)
    return [one for one in found if one != (None, None)]


def removable(series: Series, *, actor: Actor, pk: int) -> dict[str, list[Event]]:
    """Return the occurrences that go with one that may be deleted, by scope.

    A scope in which the actor may not delete is left out. Raises ``Event.DoesNotExist``.
    """
    rows = Event.objects.filter(series=series).only(*REMOVED)
    found = list(rows.order_by("original_start_local", "pk"))
    going = {THIS: [row for row in found if row.pk == pk]}
    for scope in (FOLLOWING, ALL):
        group = group_of(series, found, pk=pk, scope=scope)
        with suppress(NotAllowed):
            require_removal(group, actor)
            going[scope] = group.rows
    return going


def _shown_at(row: Event) -> datetime | None:
    return None if row.status == Status.TRASH else row.start_local


def differing(event: Event, changes: EventChanges, *, now: datetime) -> EventChanges:
    """Return those of the changes that change an occurrence.

    A form sends all that it shows; what it only showed is no change of the others.
    """
    linked = link_rows.stored(event)
    known: dict[str, Any] = {"venue": linked["venues"], "organizer": linked["organizers"]}
    known |= {"author": event.author_id, "post_parent": event.post_parent_id}
    sent: dict[str, Any] = {**changes}
    if plan(changes, current=Schedule.of(event), now=now, site_zone=conf.site_zone.key) == (
        Schedule.of(event)
    ):
        sent = {name: value for name, value in sent.items() if name not in SCHEDULE}
    terms = [*sent.get("categories", ()), *sent.get("tags", ())]
    if terms == linked["terms"]:
        sent = {n: value for n, value in sent.items() if n not in {"categories", "tags"}}
    kept = {
        name: value
        for name, value in sent.items()
        if name in {*SCHEDULE, "recurrence", "categories", "tags"}
        or value != (known[name] if name in known else getattr(event, name))
    }
    return cast("EventChanges", kept)
