"""The rows that link an event to venues, organizers and terms, and their copies of it.

Part of writing a record: only ``store.saving`` calls this, inside its transaction.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
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
    f"SELECT '{kind.name}', event_id, position, {kind.column}, start_utc, listed "
    f"FROM {kind.table} WHERE {{events}}"
    for kind in KINDS
)
# Only rows of the event's institution, as of this moment: one that is being moved is waited
# for, and none of those that are linked is moved before the transaction ends.
_INSERT = """INSERT INTO {kind.table} (event_id, {kind.column}, position, start_utc, listed)
SELECT given.event, given.pk, given.place, given.start_utc, given.listed FROM {given}
JOIN {kind.linked} AS named ON named.id = given.pk
  AND named.institution = given.institution{locked}
RETURNING 1"""
_GIVEN = ("event", "institution", "start_utc", "listed", "pk", "place")
# From as many parameters, so that one text fits any number.
_POSTGRES_GIVEN = f"""unnest(%s::bigint[], %s::text[], %s::timestamptz[], %s::boolean[],
  %s::bigint[], %s::smallint[]) AS given({", ".join(_GIVEN)})"""
_FROM_JSON = ", ".join(
    f"json_extract(value, '$[{n}]') AS {x}" for n, x in enumerate(_GIVEN)
)
_SQLITE_GIVEN = f"(SELECT {_FROM_JSON} FROM json_each(%s)) AS given"
_UPDATE = """UPDATE {kind.table} SET listed = %s, start_utc = (
  SELECT e.start_utc FROM calendar_events_event e WHERE e.id = event_id) WHERE {events}"""


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
    return stored_of([event])[event.pk]


def stored_of(events: Sequence[Event]) -> dict[int, dict[str, list[int]]]:
    """Return the same of each, by identifier, in one statement, too."""
    return {
        pk: {name: links.ids for name, links in by_kind.items()}
        for pk, by_kind in _stored([event.pk for event in events]).items()
    }


def plan(event: Event, requested: Links) -> Plan:
    """Return what to ``write`` once the row is written; set ``event.linked``.

    Nobody changes the links between: they belong to the version that is being replaced.
    """
    return plan_all([event], [requested])[0]


def plan_all(events: Sequence[Event], requested: Iterable[Links]) -> list[Plan]:
    """Return the same for each of several, in one statement at most."""
    known = _stored([event.pk for event in events if not event._state.adding])  # noqa: SLF001
    plans = []
    for event, wanted in zip(events, requested, strict=True):
        before = known.get(event.pk) or {kind.name: _Stored() for kind in KINDS}
        after = {}
        for kind in KINDS:
            given = getattr(wanted, kind.name)
            had = before[kind.name].ids
            after[kind.name] = had if given is None else list(dict.fromkeys(given))
        event.linked = after
        plans.append(Plan(before, after))
    return plans


def write(event: Event, plan: Plan) -> bool:
    """Write the links that change and the copies that do; send ``m2m_changed``.

    Return whether all that is new is of the event's institution; others are left out.
    """
    return write_all([(event, plan)])


def write_all(planned: Sequence[tuple[Event, Plan]]) -> bool:
    """Write the links of several events, in as few statements."""
    for kind in KINDS:
        for listed in (True, False):
            stale = [e.pk for e, plan in planned if _is_stale(e, plan, kind, listed)]
            _update(kind, stale, listed=listed)
    for event, plan in planned:
        _send(event, plan, "pre")
    for kind in KINDS:
        less = [
            event.pk
            for event, plan in planned
            if plan.changes(kind) and plan.before[kind.name].ids
        ]
        if less:
            events = _among(less)
            sql.write(f"DELETE FROM {kind.table} WHERE {events}", events.params)
    is_whole = _insert(planned)
    for event, plan in planned:
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


def _among(pks: Iterable[int]) -> sql.Conditions:
    events = sql.Conditions()
    events.any_of("event_id", pks)
    return events


def _stored(pks: Sequence[int]) -> dict[int, dict[str, _Stored]]:
    links = {pk: {kind.name: _Stored() for kind in KINDS} for pk in pks}
    if not pks:
        return links
    events = _among(pks)
    statement = _STORED.format(events=events)
    for name, event, _, pk, start_utc, listed in sorted(
        sql.write(statement, events.params * len(KINDS))
    ):
        links[event][name].ids.append(pk)
        links[event][name].copies.add((sql.as_moment(start_utc), bool(listed)))
    return links


def _copies(event: Event) -> tuple[Any, bool]:
    """Return what each row repeats of the event: its start, and whether lists show it."""
    return event.start_utc, is_met_by((LISTED,), event) and not event.password


def _is_stale(event: Event, plan: Plan, kind: _Kind, listed: bool) -> bool:  # noqa: FBT001
    """Return whether links stay whose copies are to say ``listed`` and do not."""
    copies = _copies(event)
    if copies[1] != listed or plan.changes(kind):
        return False
    return bool(plan.before[kind.name].copies - {copies})


def _update(kind: _Kind, pks: Sequence[int], *, listed: bool) -> None:
    if pks:
        events = _among(pks)
        statement = _UPDATE.format(kind=kind, events=events)
        sql.write(statement, [listed, *events.params])


def _insert(planned: Sequence[tuple[Event, Plan]]) -> bool:
    """Insert the rows that are new, all in one statement on PostgreSQL.

    Return whether all could be inserted.
    """
    is_postgres = sql.is_postgres()
    given = _POSTGRES_GIVEN if is_postgres else _SQLITE_GIVEN
    locked = " FOR KEY SHARE OF named" if is_postgres else ""
    inserts: list[str] = []
    params: list[list[Any]] = []
    wanted = 0
    for kind in KINDS:
        rows = [row for event, plan in planned for row in _added(event, plan, kind)]
        if rows:
            inserts.append(_INSERT.format(kind=kind, given=given, locked=locked))
            columns = list(map(list, zip(*rows, strict=True)))
            params.append(columns if is_postgres else [json.dumps(rows)])
            wanted += len(rows)
    if is_postgres and len(inserts) > 1:
        parts = ", ".join(f"part{n} AS ({one})" for n, one in enumerate(inserts))
        counted = " UNION ALL ".join(f"SELECT 1 FROM part{n}" for n in range(len(inserts)))
        inserts, params = [f"WITH {parts} {counted}"], [list(chain.from_iterable(params))]
    for statement, values in zip(inserts, params, strict=True):
        wanted -= len(sql.write(statement, values))
    return not wanted


def _added(event: Event, plan: Plan, kind: _Kind) -> Iterator[tuple[Any, ...]]:
    """Yield the values of ``_GIVEN`` of each link that is to be written."""
    if plan.changes(kind):
        start_utc, listed = _copies(event)
        copied = event.pk, event.institution, sql.moment(start_utc), listed
        for place, pk in enumerate(plan.after[kind.name]):
            yield (*copied, pk, place)
