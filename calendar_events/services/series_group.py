"""A series that is locked for writing: its occurrences in a scope, and those before."""

from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from calendar_events.conf import conf
from calendar_events.models import Event, Series, Status
from calendar_events.permissions import Actor, require_on
from calendar_events.services import occurrences, recurrence, writing
from calendar_events.services.changesets import ALL, InTrash
from calendar_events.services.writing import Write
from calendar_events.store import together
from calendar_events.store.links import NO_CHANGE
from calendar_events.store.saving import VersionConflict


@dataclass(slots=True, kw_only=True)
class Group:
    """A series that is locked for writing, with what a write of it is about."""

    series: Series
    event: Event
    """The occurrence that was named."""
    rows: list[Event]
    """What is written, in the order of the dates."""
    earlier: list[Event] = field(default_factory=list)


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
    return group_of(locked, found, pk=pk, scope=scope)


def group_of(series: Series, rows: list[Event], *, pk: int, scope: str) -> Group:
    """Return the occurrences of a series, with those of a scope apart from the others.

    Raises ``Event.DoesNotExist`` when the one that is named is not among them.
    """
    event = next((row for row in rows if row.pk == pk), None)
    if event is None:
        raise Event.DoesNotExist(f"Event {pk} is gone.")
    first = occurrences.original(event)
    is_in = [scope == ALL or occurrences.original(row) >= first for row in rows]
    return Group(
        series=series,
        event=event,
        rows=[row for row, is_one in zip(rows, is_in, strict=True) if is_one],
        earlier=[row for row, is_one in zip(rows, is_in, strict=True) if not is_one],
    )


def split_off(group: Group, *, actor: Actor, now: datetime) -> None:
    """Make a series of its own of the rows that are written, if there are earlier ones.

    The earlier ones end before. Identifiers stay; positions are counted anew. As their
    rule is another then, they are written, too. Raises ``NotAllowed``.
    """
    old = group.series
    if not group.earlier:
        return
    _require_split(group, actor)
    at = occurrences.original(group.event)
    walls = recurrence.walls_of(old)
    before = walls.index(at)
    first, second = old.pattern.split(at)
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
    # What comes back from the trash is rendered then.
    shown = [row for row in group.earlier if row.status != Status.TRASH]
    for row in shown:
        writing.set_history_actor(row, actor)
    together.save_all(shown, links=[NO_CHANGE] * len(shown), now=now)
    for row in group.rows:
        position = (row.position or before + 1) - before
        occurrences.put(row, new, wall=occurrences.original(row), position=position)
    group.series = new


def trash(row: Event, actor: Actor) -> None:
    """Set the status of what goes to the trash. Raises ``NotAllowed``."""
    require_on(actor, "delete", row)
    row.previous_status, row.status = row.status, Status.TRASH


def _require_split(group: Group, actor: Actor) -> None:
    for row in group.earlier:
        require_on(actor, "change", row)


def require_removal(group: Group, actor: Actor) -> None:
    """Require the right to delete occurrences. Raises ``NotAllowed``.

    Those before them are changed: their rule ends sooner.
    """
    for row in group.rows:
        require_on(actor, "delete", row)
    _require_split(group, actor)


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
    require_removal(group, actor)
    if not for_good and group.event.status == Status.TRASH:
        raise InTrash(f"{group.event} is in the trash.")
    split_off(group, actor=actor, now=now)
    group.series.touch(now)
    group.series.save()
    for row in group.rows:
        writing.set_history_actor(row, actor)
    if for_good:
        together.delete_all(group.rows)
        group.series.delete()
    else:
        going = [row for row in group.rows if row.status != Status.TRASH]
        for row in going:
            trash(row, actor)
        writing.save_all([Write(row, stored_slug=row.slug) for row in going], now=now)
    return group.event
