"""The rows that link an event to venues, organizers and terms, and their copies of it.

Part of writing a record: only ``store.saving`` calls this, inside its transaction.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from calendar_events.models import EventOrganizer, EventTerm, EventVenue
from calendar_events.models.visibility import LISTED, holds
from calendar_events.store import sql
from platform_errors.postgresql import prepared

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calendar_events.models import Event


class _Kind(NamedTuple):
    """A table of links."""

    name: str
    table: str
    column: str
    """What names the linked row."""
    linked: str
    """The table of that row."""


def _kind(name: str, model: Any, column: str) -> _Kind:
    linked = model._meta.get_field(column).related_model
    return _Kind(name, model._meta.db_table, column, linked._meta.db_table)


KINDS = (
    _kind("venues", EventVenue, "venue_id"),
    _kind("organizers", EventOrganizer, "organizer_id"),
    _kind("terms", EventTerm, "term_id"),
)
_STORED = " UNION ALL ".join(
    f"SELECT '{kind.name}', position, {kind.column}, start_utc, listed "
    f"FROM {kind.table} WHERE event_id = %s"
    for kind in KINDS
)
# Only rows of the event's institution, as of this moment: one that is being moved is waited
# for, and none of those that are linked is moved before the transaction ends.
_INSERT = """INSERT INTO {kind.table} (event_id, {kind.column}, position, start_utc, listed)
SELECT %s, given.pk, given.place, %s, %s FROM {given}
JOIN {kind.linked} AS named ON named.id = given.pk WHERE named.institution = %s{locked}
RETURNING 1"""
# Identifiers with their places, from one parameter, so that one text fits any number.
_POSTGRES_GIVEN = """(SELECT pk, place - 1 AS place
FROM unnest(%s::bigint[]) WITH ORDINALITY AS listed(pk, place)) AS given"""
_SQLITE_GIVEN = "(SELECT value AS pk, key AS place FROM json_each(%s)) AS given"


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """What an event is linked to, in order; ``None`` leaves the links as they are."""

    venues: Iterable[int] | None = None
    organizers: Iterable[int] | None = None
    terms: Iterable[int] | None = None


NO_CHANGE = Links()


@dataclass(slots=True)
class _Stored:
    """The links of one kind that an event has."""

    ids: list[int] = field(default_factory=list)
    """In order."""
    copies: set[tuple[Any, bool]] = field(default_factory=set)
    """What its rows repeat of the event."""


def stored(event: Event) -> dict[str, list[int]]:
    """Return what the event is linked to, by kind and in order, in one statement."""
    return {name: found.ids for name, found in _stored(event).items()}


def write(event: Event, wanted: Links, *, is_new: bool) -> bool:
    """Write the links that change and the copies that do, and set ``event.linked``.

    Return whether all that is new is of the event's institution; others are left out.
    """
    before = {kind.name: _Stored() for kind in KINDS} if is_new else _stored(event)
    copies = _copies(event)
    event.linked = {}
    added = []
    for kind in KINDS:
        had, given = before[kind.name], getattr(wanted, kind.name)
        ids = had.ids if given is None else list(dict.fromkeys(given))
        event.linked[kind.name] = ids
        if ids != had.ids:
            if had.ids:
                sql.write(f"DELETE FROM {kind.table} WHERE event_id = %s", [event.pk])
            if ids:
                added.append(kind)
        elif had.copies - {copies}:  # some are stale
            start_utc, listed = copies
            sql.write(
                f"UPDATE {kind.table} SET start_utc = %s, listed = %s WHERE event_id = %s",
                [sql.moment(start_utc), listed, event.pk],
            )
    return _insert(event, added)


def _stored(event: Event) -> dict[str, _Stored]:
    found = {kind.name: _Stored() for kind in KINDS}
    for name, _, pk, start_utc, listed in sorted(sql.write(_STORED, [event.pk] * 3)):
        found[name].ids.append(pk)
        found[name].copies.add((prepared.as_moment(start_utc), bool(listed)))
    return found


def _copies(event: Event) -> tuple[Any, bool]:
    """Return what each row repeats of the event: its start, and whether lists show it."""
    return event.start_utc, holds((LISTED,), event) and not event.password


def _insert(event: Event, kinds: list[_Kind]) -> bool:
    """Insert rows of these kinds, all in one statement on PostgreSQL.

    Return whether all could be inserted.
    """
    start_utc, listed = _copies(event)
    is_postgres = sql.is_postgres()
    given = _POSTGRES_GIVEN if is_postgres else _SQLITE_GIVEN
    locked = " FOR KEY SHARE OF named" if is_postgres else ""
    inserts = [_INSERT.format(kind=kind, given=given, locked=locked) for kind in kinds]
    params: list[list[Any]] = []
    for kind in kinds:
        ids = event.linked[kind.name]
        numbers = ids if is_postgres else json.dumps(ids)
        params.append([event.pk, sql.moment(start_utc), listed, numbers, event.institution])
    if is_postgres and len(kinds) > 1:
        parts = ", ".join(f"part{n} AS ({one})" for n, one in enumerate(inserts))
        counted = " UNION ALL ".join(f"SELECT 1 FROM part{n}" for n in range(len(kinds)))
        inserts, params = [f"WITH {parts} {counted}"], [list(chain.from_iterable(params))]
    written = sum(len(sql.write(*each)) for each in zip(inserts, params, strict=True))
    return written == sum(len(event.linked[kind.name]) for kind in kinds)
