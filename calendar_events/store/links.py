"""The rows that link an event to venues, organizers and terms, and their copies of it.

Part of writing a record: only ``store.saving`` calls this, inside its transaction.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Value

from calendar_events.models import EventOrganizer, EventTerm, EventVenue
from calendar_events.models.visibility import LISTED, holds
from calendar_events.store import sql

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calendar_events.models import Event

KINDS: tuple[tuple[str, str, Any], ...] = (
    ("venues", "venue_id", EventVenue),
    ("organizers", "organizer_id", EventOrganizer),
    ("terms", "term_id", EventTerm),
)

# Only rows of the event's institution, as of this moment: one that is being moved is waited
# for, and none of those that are linked is moved before the transaction ends.
_INSERT = """INSERT INTO {table} (event_id, {column}, position, start_utc, listed)
SELECT %s, given.pk, given.place, %s, %s FROM {given}
JOIN {named} AS named ON named.id = given.pk WHERE named.institution = %s{locked}
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


def resulting(event: Event, links: Links) -> dict[str, list[int]]:
    """Return what the event will be linked to, for its history; one statement at most."""
    known = {name: getattr(links, name) for name, _, _ in KINDS}
    found = {name: list(dict.fromkeys(ids or ())) for name, ids in known.items()}
    if event._state.adding or None not in known.values():  # noqa: SLF001 -- Django's
        return found
    kept = [
        model.objects.filter(event=event).values_list(Value(name), "position", column)
        for name, column, model in KINDS
        if known[name] is None
    ]
    for name, _position, pk in sorted(kept[0].union(*kept[1:], all=True)):
        found[name].append(pk)
    return found


def insert(event: Event) -> bool:
    """Write the rows of a new event, which are those of ``event.linked``.

    Return whether all that is linked is of the event's institution; others are left out.
    """
    return _insert(event, {name: event.linked[name] for name, _, _ in KINDS})


def replace(event: Event, links: Links) -> bool:
    """Write the rows that changed, and the copies in those that did not.

    Return whether all that is new is of the event's institution; others are left out.
    """
    start_utc, listed = copies(event)
    changed = {}
    for name, _, model in KINDS:
        rows = model.objects.filter(event=event)
        if getattr(links, name) is None:
            stale = rows.exclude(start_utc=start_utc, listed=listed)
            stale.update(start_utc=start_utc, listed=listed)
        else:
            rows.delete()
            changed[name] = event.linked[name]
    return _insert(event, changed)


def copies(event: Event) -> tuple[Any, bool]:
    """Return what each row repeats of the event: its start, and whether lists show it."""
    return event.start_utc, holds((LISTED,), event) and not event.password


def _insert(event: Event, wanted: dict[str, list[int]]) -> bool:
    """Insert all rows: in one statement on PostgreSQL, in one of each kind on SQLite."""
    start_utc, listed = copies(event)
    is_postgres = sql.is_postgres()
    given = _POSTGRES_GIVEN if is_postgres else _SQLITE_GIVEN
    locked = " FOR KEY SHARE OF named" if is_postgres else ""
    inserts: list[str] = []
    params: list[list[Any]] = []
    for name, column, model in KINDS:
        if ids := wanted.get(name):
            table = model._meta.db_table
            named = model._meta.get_field(column).related_model._meta.db_table
            inserts.append(
                _INSERT.format(
                    table=table, column=column, given=given, named=named, locked=locked
                )
            )
            numbers = ids if is_postgres else json.dumps(ids)
            moment = sql.moment(start_utc)
            params.append([event.pk, moment, listed, numbers, event.institution])
    if not inserts:
        return True
    asked = sum(map(len, wanted.values()))
    if is_postgres:
        parts = [f"part{number}" for number in range(len(inserts))]
        ctes = [f"{part} AS ({one})" for part, one in zip(parts, inserts, strict=True)]
        counted = " UNION ALL ".join(f"SELECT 1 FROM {part}" for part in parts)
        whole = f"WITH {', '.join(ctes)} {counted}"
        return (
            len(sql.write(whole, [each for values in params for each in values])) == asked
        )
    written = [
        len(sql.write(statement, values))
        for statement, values in zip(inserts, params, strict=True)
    ]
    return sum(written) == asked
