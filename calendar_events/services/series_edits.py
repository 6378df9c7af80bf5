"""Change a whole series, or an occurrence and all that follow it.

Rows keep their identifiers for as long as their dates stay in the series: a date is matched
by where it moves to, and then by its day. What was changed singly stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, cast

from django.db import transaction
from django.db.models import Q

from calendar_events.conf import conf
from calendar_events.models import Event, Series, Status, Taxonomy
from calendar_events.parsing import zones
from calendar_events.parsing.recurrence import RuleError
from calendar_events.parsing.recurrence_dates import Pattern
from calendar_events.permissions import Actor, require_on
from calendar_events.services import events, occurrences, recurrence, series, writing
from calendar_events.services.changesets import (
    ALL,
    EventChanges,
    InTrash,
    InvalidFields,
)
from calendar_events.services.schedule import Schedule, plan
from calendar_events.services.terms import ensure_terms
from calendar_events.store import links as link_rows
from calendar_events.store import naming
from calendar_events.store.links import Links
from calendar_events.store.saving import VersionConflict

SCHEDULE: Final = frozenset({"start_date", "end_date", "timezone", "all_day"})


@dataclass(slots=True, kw_only=True)
class Group:
    """A series that is locked for writing, with what a write of it is about."""

    series: Series
    event: Event
    """The occurrence that was named."""
    rows: list[Event]
    """What is written, in the order of the dates."""
    earlier: list[Event] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Matched:
    """The dates of a changed pattern, and the rows that stand for them."""

    walls: list[datetime]
    kept: dict[datetime, Event]
    dropped: list[Event]


@transaction.atomic
def update_series(  # noqa: PLR0913 -- who writes what, where, and what was seen
    *,
    actor: Actor,
    pk: int,
    scope: str,
    changes: EventChanges,
    now: datetime,
    expected_version: int | None = None,
    expected_sequence: int | None = None,
) -> Event:
    """Change the occurrences from one on, or all; return the one that was named.

    ``expected_sequence`` is that of the series. Raises what ``update_event`` raises.
    """
    group = open_group(pk, scope, expected_version, expected_sequence)
    event = group.event
    for row in group.rows:
        require_on(actor, "change", row)
    writing.require_reachable(event, changes)
    current = Schedule.of(event)
    planned = plan(changes, current=current, now=now, site_zone=conf.site_zone.key)
    is_moved = planned != current
    sent = changes.get("recurrence")
    split_off(group, actor=actor, now=now)
    shift = planned.start_local - current.start_local
    pattern = group.series.pattern
    if is_moved or sent:
        pattern = _pattern(group.series, changes, shift, planned, now)
    excluded = group.series.pattern.exdates
    if event.status == Status.TRASH:  # and it is to come back
        pattern = replace(
            pattern, exdates=pattern.exdates - {occurrences.original(event) + shift}
        )
    _settle(group.series, pattern, planned if is_moved else None, now=now)
    matched = _match(group, shift)
    writer = _Writer(actor=actor, changes=changes, now=now, event=event)
    writer.drop(matched.dropped)
    for position, wall in enumerate(matched.walls, 1):
        if wall not in matched.kept:
            continue
        row = matched.kept[wall]
        was_excluded = occurrences.original(row) in excluded
        occurrences.put(row, group.series, wall=wall, position=position)
        is_placed = is_moved and row is event
        if is_placed or not row.overrides & SCHEDULE:
            recurrence.schedule_at(group.series, wall).write_to(row)
        if is_placed:
            row.overrides = row.overrides - SCHEDULE
        is_excluded = wall in pattern.exdates
        writer.write(row, is_excluded=is_excluded, was_excluded=was_excluded)
    _add_missing(group, matched, pattern, actor=actor, now=now)
    return event if event.series_id else next(iter(matched.kept.values()), event)


def open_group(
    pk: int, scope: str, expected_version: int | None, expected_sequence: int | None
) -> Group:
    """Lock a series, and find the occurrences of a scope.

    Raises ``VersionConflict`` and ``Event.DoesNotExist``.
    """
    series_id = Event.objects.values_list("series_id", flat=True).get(pk=pk)
    if series_id is None:
        raise VersionConflict(f"Event {pk} left its series.")
    rows = Event.objects.select_for_update(of=("self",)).filter(series=series_id)
    # As a write of one date does: rows before the series. Always in the same order, two
    # writes wait for each other's end and not for each other.
    list(rows.order_by("pk").values_list("pk"))
    named = writing.lock(Event, pk, expected_version=expected_version)
    if named.series_id != series_id:
        raise VersionConflict(f"{named} left its series.")
    locked = occurrences.lock(series_id)
    if expected_sequence is not None and locked.sequence != expected_sequence:
        raise VersionConflict(f"{locked} is no longer as it was seen.")
    found = list(rows.select_related("image").order_by("original_start_local", "pk"))
    for row in found:
        row.series = locked
    event = next(row for row in found if row.pk == pk)
    first = occurrences.original(event)
    is_in = [scope == ALL or occurrences.original(row) >= first for row in found]
    return Group(
        series=locked,
        event=event,
        rows=[row for row, is_one in zip(found, is_in, strict=True) if is_one],
        earlier=[row for row, is_one in zip(found, is_in, strict=True) if not is_one],
    )


def split_off(group: Group, *, actor: Actor, now: datetime) -> None:
    """Make a series of its own of the rows that are written, if there are earlier ones.

    The earlier ones end before. Identifiers stay; positions are counted anew. As their
    rule is another then, they are written, too. Raises ``NotAllowed``.
    """
    old = group.series
    if not group.earlier:
        return
    for row in group.earlier:
        require_on(actor, "change", row)
    at = occurrences.original(group.event)
    walls = recurrence.walls_of(old)
    before = walls.index(at)
    first, second = old.pattern.split(at, before=before)
    most = conf.series_max_occurrences
    new = Series(
        institution=old.institution,
        timezone=old.timezone,
        all_day=old.all_day,
        start_local=second.start,
        end_local=second.start + (old.end_local - old.start_local),
        horizon=old.horizon,
        dates=len(walls) - before,
        created_at=now,
        modified_at=now,
    )
    new.pattern, new.total = second, second.total(most=most)
    new.save()
    old.pattern, old.total, old.dates = first, first.total(most=most), before
    old.touch(now)
    old.save()
    for row in group.earlier:
        if row.status != Status.TRASH:  # what comes back is rendered then
            writing.set_history_actor(row, actor)
            row.save(now=now)
    for row in group.rows:
        position = (row.position or before + 1) - before
        occurrences.put(row, new, wall=occurrences.original(row), position=position)
    group.series = new


def _pattern(
    changed: Series,
    changes: EventChanges,
    shift: timedelta,
    planned: Schedule,
    now: datetime,
) -> Pattern:
    """Return when a series is after a change. Raises ``InvalidFields``."""
    sent, current = changes.get("recurrence"), changed.pattern
    base = replace(current, rule=None) if sent and sent.rrule else current
    try:
        moved = base.moved(shift)
    except RuleError as error:
        raise InvalidFields({"start_date": str(error)}) from error
    except OverflowError as error:
        raise InvalidFields({"start_date": "moves the series too far."}) from error
    if sent is None:
        recurrence.require_usable(moved)
        return moved
    zone = zones.zone(planned.timezone)
    return recurrence.pattern_of(sent, start=moved.start, zone=zone, now=now, current=moved)


def _settle(
    changed: Series, pattern: Pattern, planned: Schedule | None, *, now: datetime
) -> None:
    """Store when a series is."""
    length = changed.end_local - changed.start_local
    if planned is not None:
        length = planned.end_local - planned.start_local
        changed.timezone, changed.all_day = planned.timezone, planned.all_day
    changed.start_local, changed.end_local = pattern.start, pattern.start + length
    changed.pattern = pattern
    changed.total = pattern.total(most=conf.series_max_occurrences)
    start = recurrence.schedule_at(changed, pattern.start).start_utc
    changed.horizon = max(changed.horizon, recurrence.horizon_of(start, now=now))
    changed.dates = len(recurrence.walls_of(changed))
    changed.touch(now)
    changed.save()


def _match(group: Group, shift: timedelta) -> _Matched:
    """Find the row of each date: the one that moved there, else one of the same day."""
    walls = recurrence.walls_of(group.series)
    moved = {occurrences.original(row) + shift: row for row in group.rows}
    kept = {wall: moved.pop(wall) for wall in walls if wall in moved}
    of_day = {wall.date(): wall for wall in reversed(moved)}
    for wall in walls:
        if wall not in kept and wall.date() in of_day:
            kept[wall] = moved.pop(of_day.pop(wall.date()))
    return _Matched(walls=walls, kept=kept, dropped=list(moved.values()))


@dataclass(slots=True, kw_only=True)
class _Writer:
    """Writes the occurrences of a series one after the other."""

    actor: Actor
    changes: EventChanges
    now: datetime
    event: Event
    shared: EventChanges | None = None
    """The changes once what they bring with them is there."""

    def write(self, row: Event, *, is_excluded: bool, was_excluded: bool) -> None:
        """Change one occurrence in what it does not say for itself."""
        stored_slug, names = row.slug, self._names(row)
        fields = cast("EventChanges", {name: self._changes()[name] for name in names})  # type: ignore[literal-required]
        is_out = row.status == Status.TRASH and is_excluded
        if row is self.event or not is_out:
            self._status(row, fields, is_excluded=is_excluded, was_excluded=was_excluded)
            events.fill_columns(row, fields, actor=self.actor, now=self.now)
        links = events.links_of(row, fields, actor=self.actor, now=self.now)
        if row is self.event:
            row.overrides = row.overrides - names
        if not row.slug and naming.needs_slug(row) and "slug" not in fields:
            day = occurrences.original(row)
            fields["slug"] = f"{naming.made_slug(row)}-{day:%Y-%m-%d}"
        writing.set_history_actor(row, self.actor)
        writing.save(row, fields, stored_slug=stored_slug, now=self.now, links=links)

    def drop(self, rows: Iterable[Event]) -> None:
        """Move what is no date of the series any more to the trash, by itself."""
        for row in rows:
            if row.status != Status.TRASH:
                trash(row, self.actor)
            occurrences.leave(row)
            writing.set_history_actor(row, self.actor)
            writing.save(row, {}, stored_slug=row.slug, now=self.now)

    def _status(
        self, row: Event, fields: EventChanges, *, is_excluded: bool, was_excluded: bool
    ) -> None:
        is_in_trash = row.status == Status.TRASH
        if is_in_trash and was_excluded and not is_excluded and "status" not in fields:
            fields = {**fields, "status": Status(row.previous_status or Status.DRAFT)}
        writing.amend(row, fields, actor=self.actor, now=self.now)
        if is_excluded and row.status != Status.TRASH:
            trash(row, self.actor)

    def _names(self, row: Event) -> frozenset[str]:
        """Return the fields that are to be set in an occurrence."""
        names = frozenset(self.changes) - SCHEDULE - {"recurrence"}
        return names if row is self.event else names - row.overrides - {"slug"}

    def _changes(self) -> EventChanges:
        """Return the changes, with what they bring along made only once."""
        if self.shared is None:
            shared: dict[str, Any] = {**self.changes}
            links = events.links_of(
                self.event, self.changes, actor=self.actor, now=self.now
            )
            shared |= {"venue": links.venues} if "venue" in shared else {}
            shared |= {"organizer": links.organizers} if "organizer" in shared else {}
            for name, taxonomy in (
                ("categories", Taxonomy.CATEGORY),
                ("tags", Taxonomy.TAG),
            ):
                if name in shared:
                    shared[name] = ensure_terms(
                        actor=self.actor,
                        taxonomy=taxonomy,
                        tokens=shared[name],
                        now=self.now,
                    )
            if "image" in shared:
                column = cast("EventChanges", {"image": shared["image"]})
                writing.fill(self.event, column, actor=self.actor, now=self.now)
                shared["image"] = self.event.image
            self.shared = cast("EventChanges", shared)
        return self.shared


def trash(row: Event, actor: Actor) -> None:
    """Set the status of what goes to the trash. Raises ``NotAllowed``."""
    require_on(actor, "delete", row)
    row.previous_status, row.status = row.status, Status.TRASH


def _add_missing(
    group: Group, matched: _Matched, pattern: Pattern, *, actor: Actor, now: datetime
) -> None:
    """Write occurrences for the dates that no row stands for."""
    dated = [
        (position, wall)
        for position, wall in enumerate(matched.walls, 1)
        if wall not in matched.kept and wall not in pattern.exdates
    ]
    if not dated:
        return
    plain = [
        row
        for row in matched.kept.values()
        if row.status != Status.TRASH and not row.overrides
    ]
    template = next(iter(plain), group.event)
    base = naming.made_slug(template) if naming.needs_slug(template) else ""
    if template.slug:
        day = template.original_start_local or template.start_local
        base = naming.undated(naming.restored(template.slug), day)
    links = Links(**link_rows.stored(template))
    series.write_dates(
        group.series, template, dated, links=links, base=base, actor=actor, now=now
    )


@transaction.atomic
def remove_series(  # noqa: PLR0913 -- who, which, how, and what was seen
    *,
    actor: Actor,
    pk: int,
    scope: str,
    now: datetime,
    for_good: bool = False,
    expected_version: int | None = None,
    expected_sequence: int | None = None,
) -> Event:
    """Trash the occurrences from one on, or all, or delete them for good.

    Raises what ``trash_record`` and ``delete_record`` raise.
    """
    group = open_group(pk, scope, expected_version, expected_sequence)
    for row in group.rows:
        require_on(actor, "delete", row)
    if not for_good and group.event.status == Status.TRASH:
        raise InTrash(f"{group.event} is in the trash.")
    split_off(group, actor=actor, now=now)
    group.series.touch(now)
    group.series.save()
    for row in group.rows:
        writing.set_history_actor(row, actor)
        if for_good:
            row.delete()
        elif row.status != Status.TRASH:
            trash(row, actor)
            writing.save(row, {}, stored_slug=row.slug, now=now)
    if for_good:
        group.series.delete()
    return group.event


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
