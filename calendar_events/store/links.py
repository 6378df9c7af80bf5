"""The rows that link an event to venues, organizers and terms, and their copies of it.

Part of writing a record: only ``store.saving`` calls this, inside its transaction.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from django.db.models.signals import m2m_changed

from calendar_events.models import Event
from calendar_events.models.visibility import LISTED, is_met_by
from calendar_events.store import sql


class _Kind(NamedTuple):
    """A table of links."""

    name: str
    table: str
    column: str
    """The column that names the linked row."""
    linked: str
    """The table of that row."""


def _kind(relation: Any) -> _Kind:
    table, linked = relation.remote_field.through, relation.related_model
    column = f"{relation.m2m_reverse_field_name()}_id"
    return _Kind(relation.name, table._meta.db_table, column, linked._meta.db_table)


KINDS = tuple(_kind(relation) for relation in Event._meta.many_to_many)
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
    """The links of an event, in order; ``None`` leaves those of a kind as they are."""

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
    """The columns of the event that link rows copy."""


class Plan(NamedTuple):
    """The links that an event has and is to have, by kind."""

    before: dict[str, _Stored]
    after: dict[str, list[int]]

    def changes(self, kind: _Kind) -> bool:
        return self.after[kind.name] != self.before[kind.name].ids


def stored(event: Event) -> dict[str, list[int]]:
    """Return what the event is linked to, by kind and in order, in one statement."""
    return {name: stored_links.ids for name, stored_links in _stored(event).items()}


def plan(event: Event, requested: Links) -> Plan:
    """Return what to ``write`` once the row is written; set ``event.linked``.

    Nobody changes the links between: they belong to the version that is being replaced.
    """
    before = {kind.name: _Stored() for kind in KINDS}
    if not event._state.adding:  # noqa: SLF001 -- Django's word for it
        before = _stored(event)
    after = {}
    for kind in KINDS:
        given = getattr(requested, kind.name)
        had = before[kind.name].ids
        after[kind.name] = had if given is None else list(dict.fromkeys(given))
    event.linked = after
    return Plan(before, after)


def write(event: Event, plan: Plan) -> bool:
    """Write the links that change and the copies that do; send ``m2m_changed``.

    Return whether all that is new is of the event's institution; others are left out.
    """
    copies = _copies(event)
    changed = [kind for kind in KINDS if plan.changes(kind)]
    for kind in KINDS:
        if kind not in changed and plan.before[kind.name].copies - {copies}:  # stale
            start_utc, listed = copies
            sql.write(
                f"UPDATE {kind.table} SET start_utc = %s, listed = %s WHERE event_id = %s",
                [sql.moment(start_utc), listed, event.pk],
            )
    _send(event, plan, "pre")
    for kind in changed:
        if plan.before[kind.name].ids:
            sql.write(f"DELETE FROM {kind.table} WHERE event_id = %s", [event.pk])
    added = [kind for kind in changed if plan.after[kind.name]]
    is_whole = _insert(event, plan, added, copies)
    _send(event, plan, "post")
    return is_whole


def _send(event: Event, plan: Plan, when: str) -> None:
    """Send ``m2m_changed`` for what is removed and for what is added, as Django does."""
    for kind in KINDS:
        had, has = set(plan.before[kind.name].ids), set(plan.after[kind.name])
        for action, pks in (("remove", had - has), ("add", has - had)):
            if pks:
                relation = getattr(Event, kind.name)
                m2m_changed.send(
                    relation.through,
                    instance=event,
                    action=f"{when}_{action}",
                    reverse=False,
                    model=relation.rel.model,
                    pk_set=pks,
                    using=event._state.db,  # noqa: SLF001
                )


def _stored(event: Event) -> dict[str, _Stored]:
    stored_links = {kind.name: _Stored() for kind in KINDS}
    for name, _, pk, start_utc, listed in sorted(
        sql.write(_STORED, [event.pk] * len(KINDS))
    ):
        stored_links[name].ids.append(pk)
        stored_links[name].copies.add((sql.as_moment(start_utc), bool(listed)))
    return stored_links


def _copies(event: Event) -> tuple[Any, bool]:
    """Return what each row repeats of the event: its start, and whether lists show it."""
    return event.start_utc, is_met_by((LISTED,), event) and not event.password


def _insert(event: Event, plan: Plan, kinds: list[_Kind], copies: tuple[Any, bool]) -> bool:
    """Insert rows of these kinds, all in one statement on PostgreSQL.

    Return whether all could be inserted.
    """
    if not kinds:
        return True
    start_utc, listed = sql.moment(copies[0]), copies[1]
    is_postgres = sql.is_postgres()
    given = _POSTGRES_GIVEN if is_postgres else _SQLITE_GIVEN
    locked = " FOR KEY SHARE OF named" if is_postgres else ""
    inserts = [_INSERT.format(kind=kind, given=given, locked=locked) for kind in kinds]
    params: list[list[Any]] = []
    for kind in kinds:
        ids = plan.after[kind.name]
        numbers = ids if is_postgres else json.dumps(ids)
        params.append([event.pk, start_utc, listed, numbers, event.institution])
    if is_postgres and len(kinds) > 1:
        parts = ", ".join(f"part{n} AS ({one})" for n, one in enumerate(inserts))
        counted = " UNION ALL ".join(f"SELECT 1 FROM part{n}" for n in range(len(kinds)))
        inserts, params = [f"WITH {parts} {counted}"], [list(chain.from_iterable(params))]
    wanted = sum(len(plan.after[kind.name]) for kind in kinds)
    for statement, values in zip(inserts, params, strict=True):
        wanted -= len(sql.write(statement, values))
    return not wanted
