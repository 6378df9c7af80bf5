"""Change a whole series, or an occurrence and all that follow it.

Rows keep their identifiers for as long as their dates stay in the series: a date is matched
by where it moves to, and then by its day. What was changed singly stays as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, cast

from django.db import transaction

from calendar_events.conf import conf
from calendar_events.models import Event, EventTerm, Series, Status, Taxonomy
from calendar_events.parsing import zones
from calendar_events.parsing.recurrence import RuleError
from calendar_events.parsing.recurrence_dates import Pattern
from calendar_events.permissions import Actor, require_on
from calendar_events.services import events, occurrences, recurrence, series, writing
from calendar_events.services.changesets import (
    EventChanges,
    InvalidFields,
)
from calendar_events.services.schedule import Schedule, plan
from calendar_events.services.series_group import Group, open_group, split_off, trash
from calendar_events.services.terms import ensure_terms
from calendar_events.services.writing import Write
from calendar_events.store import links as link_rows
from calendar_events.store import naming
from calendar_events.store.links import Links

SCHEDULE: Final = frozenset({"start_date", "end_date", "timezone", "all_day"})
_TAXONOMIES: Final = {"categories": Taxonomy.CATEGORY, "tags": Taxonomy.TAG}


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
    is_over = sent is not None and not pattern.repeats
    excluded = group.series.pattern.exdates
    if event.status == Status.TRASH:  # and it is to come back
        pattern = replace(
            pattern, exdates=pattern.exdates - {occurrences.original(event) + shift}
        )
    _settle(group.series, pattern, planned if is_moved else None, now=now)
    matched = _match(group, shift)
    writer = _Writer(actor=actor, changes=changes, now=now, event=event, rows=group.rows)
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
        if is_over:
            occurrences.leave(row)
        writer.add(row, is_excluded=is_excluded, was_excluded=was_excluded)
    writing.save_all(writer.writes, now=now)
    _add_missing(group, matched, pattern, actor=actor, now=now)
    if is_over:
        group.series.delete()
    return event if event.series_id else next(iter(matched.kept.values()), event)


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
    """Changes the occurrences of a series, which are saved together."""

    actor: Actor
    changes: EventChanges
    now: datetime
    event: Event
    rows: list[Event]
    shared: EventChanges | None = None
    """The changes once what they bring with them is there."""
    kept: dict[int, list[tuple[str, int]]] | None = None
    """The terms of each row, where some of them are to stay."""
    writes: list[Write] = field(default_factory=list)

    def add(self, row: Event, *, is_excluded: bool, was_excluded: bool) -> None:
        """Change one occurrence in what it does not say for itself."""
        stored_slug, names = row.slug, self._names(row)
        fields = cast("EventChanges", {name: self._changes()[name] for name in names})  # type: ignore[literal-required]
        is_out = row.status == Status.TRASH and is_excluded
        if row is self.event or not is_out:
            self._status(row, fields, is_excluded=is_excluded, was_excluded=was_excluded)
            events.fill_columns(row, fields, actor=self.actor, now=self.now)
        links = self._links(row, fields)
        if row is self.event:
            row.overrides = row.overrides - names
        if not row.slug and naming.needs_slug(row) and "slug" not in fields:
            day = occurrences.original(row)
            fields["slug"] = f"{naming.made_slug(row)}-{day:%Y-%m-%d}"
        writing.set_history_actor(row, self.actor)
        self.writes.append(Write(row, fields, stored_slug, links))

    def drop(self, rows: Iterable[Event]) -> None:
        """Move what is no date of the series any more to the trash, by itself."""
        dropped = [Write(row, stored_slug=row.slug) for row in rows]
        for row, *_ in dropped:
            if row.status != Status.TRASH:
                trash(row, self.actor)
            occurrences.leave(row)
            writing.set_history_actor(row, self.actor)
        writing.save_all(dropped, now=self.now)

    def _links(self, row: Event, fields: EventChanges) -> Links:
        """Return what a row is to be linked to; all of ``shared`` is there by now."""
        venues = cast("list[int] | None", fields.get("venue"))
        organizers = cast("list[int] | None", fields.get("organizer"))
        return Links(venues=venues, organizers=organizers, terms=self._terms(row, fields))

    def _terms(self, row: Event, fields: Mapping[str, Any]) -> list[int] | None:
        if not fields.keys() & _TAXONOMIES.keys():
            return None
        if self.kept is None:
            self.kept = defaultdict(list)
            linked = EventTerm.objects.filter(event__in=self.rows).order_by("position")
            for event, taxonomy, term in linked.values_list(
                "event_id", "term__taxonomy", "term_id"
            ):
                self.kept[event].append((taxonomy, term))
        ids: list[int] = []
        for name, taxonomy in _TAXONOMIES.items():
            stored = [term for kind, term in self.kept.get(row.pk, ()) if kind == taxonomy]
            ids += fields.get(name, stored)
        return ids

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
            for name, taxonomy in _TAXONOMIES.items():
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
