"""What has changed since: the log, and what time has published without a write.

A reader goes on behind what it has seen of both. Documents are read afterwards, so that
none is older than the place from which the reader goes on.
"""

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from calendar_events.conf import conf
from calendar_events.models import Event, Record
from calendar_events.models.change import End, Horizon, Position
from calendar_events.models.kinds import KINDS, kind_for
from calendar_events.models.visibility import EVENT, LISTED, Status
from calendar_events.store import links, sql
from calendar_events.store.sql import text_of

SCANNED = 1_000
"""How many rows of the log are looked at for a reader of some types only."""
TICK = timedelta(microseconds=1)
_NEWEST = """SELECT 0 AS number, COALESCE(MAX(seq), 0) AS id
FROM sqlite_sequence WHERE name = 'calendar_events_change'"""
_HORIZON = "SELECT {} AS number, 0 AS id"
# A replica may have yet to learn of a transaction that the primary has told about.
_END = """SELECT CASE WHEN pg_is_in_recovery() THEN 9223372036854775807 ELSE {} END
  AS number, 0 AS id"""
_LOG = """SELECT now.number, now.id, ends.number, ends.id,
  c."transaction", c.id, c.kind, c.record, c.at
FROM ({now}) now CROSS JOIN ({end}) ends LEFT JOIN (
  SELECT * FROM calendar_events_change
  WHERE "transaction" >= %s AND ("transaction" > %s OR id > %s)
    AND "transaction" < {horizon}
  ORDER BY "transaction", id LIMIT %s) c ON 1 = 1
ORDER BY c."transaction", c.id"""
_DUE = """SELECT at, kind, id FROM ({arms}) due WHERE (at, kind, id) > (%s, %s, %s)
ORDER BY at, kind, id LIMIT %s"""
_ONLINE = """SELECT r.online_from AS at, 'event' AS kind, r.id AS id
FROM calendar_events_event r WHERE r.online_from >= %s AND r.online_from <= %s
  AND r.password = ''"""
# What is created as published was never due; the log has it.
_ARM = """SELECT r.published_at AS at, '{kind}' AS kind, {id} AS id FROM {table} r{join}
WHERE {published} AND r.published_at >= %s AND r.published_at <= %s
  AND r.published_at > r.created_at"""
_PUBLISHED = f"r.status = '{Status.PUBLISH.value}'"


class LogForgotten(Exception):
    """Not everything is kept that changed since; a copy has to be made anew."""


class Due(NamedTuple):
    """The first moment of publication that is still to be told about.

    Of several records with that moment those that sort behind ``kind`` and ``id`` are.
    """

    at: datetime
    kind: str = ""
    id: int = 0


class Seen(NamedTuple):
    """How far a reader has come."""

    position: Position
    """In the log."""
    at: datetime
    """Since when the log must be kept for the reader to go on."""
    due: Due


class Batch(NamedTuple):
    """What has changed, and from where to go on."""

    changed: list[tuple[str, int]]
    """Kinds and identifiers, each once, in the order of their last changes."""
    seen: Seen
    more: bool


class _Row(NamedTuple):
    transaction: int
    id: int
    kind: str
    record: int
    at: Any


def beginning(now: datetime) -> Seen:
    """Return where a reader begins that is going to read every record once."""
    return Seen(Position(*sql.rows(_now(sql.is_postgres()))[0]), now, Due(now + TICK))


def read(seen: Seen, *, kinds: Collection[str], limit: int, now: datetime) -> Batch:
    """Return at most ``limit`` records of these kinds that changed since.

    Two statements. Raises ``LogForgotten``.
    """
    if seen.at < now - timedelta(days=conf.changes_days):
        raise LogForgotten
    scanned = limit + 1 if len(kinds) == len(KINDS) else max(SCANNED, limit + 1)
    place, at = seen.position, seen.at
    params = [place.transaction, place.transaction, place.id, scanned]
    rows = sql.rows(_log(sql.is_postgres()), params)
    if place > Position(*rows[0][2:4]):  # of the cluster that this one was loaded from
        raise LogForgotten
    changed: dict[tuple[str, int], None] = {}
    logged = [_Row(*row[4:]) for row in rows if row[4] is not None]
    for row in logged:
        key = row.kind, row.record
        if not row.kind:
            raise LogForgotten
        if row.kind in kinds:
            if len(changed) == limit and key not in changed:
                break
            changed.pop(key, None)
            changed[key] = None
        place, at = Position(row.transaction, row.id), sql.as_moment(row.at)
    else:
        if len(logged) < scanned:
            return _with_due(
                changed,
                seen._replace(position=Position(*rows[0][:2]), at=now),
                kinds,
                limit,
            )
    return Batch(list(changed), seen._replace(position=place, at=at), more=True)


def _with_due(
    changed: dict[tuple[str, int], None], seen: Seen, kinds: Collection[str], limit: int
) -> Batch:
    """Add what time has published up to ``seen.at``, as far as there is room."""
    arms = list(_arms(tuple(sorted(kinds))))
    room = limit - len(changed)
    moments = [sql.moment(seen.due.at), sql.moment(seen.at)]
    after = [moments[0], seen.due.kind, seen.due.id]
    statement = _DUE.format(arms=" UNION ALL ".join(arms))
    rows = sql.rows(statement, [*moments * len(arms), *after, room + 1]) if arms else []
    due = [Due(sql.as_moment(at), kind, pk) for at, kind, pk in rows]
    more = len(due) > room
    del due[room:]
    for one in due:
        changed.setdefault((one.kind, one.id))
    reached = (due[-1] if due else seen.due) if more else Due(seen.at + TICK)
    return Batch(list(changed), seen._replace(due=reached), more)


@cache
def _arms(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return a query for each way in which time changes what these kinds show."""
    return tuple(_each_arm(kinds))


def _each_arm(kinds: tuple[str, ...]) -> Iterator[str]:
    for name in kinds:
        model = kind_for(name).model
        if issubclass(model, Record):
            published = text_of(LISTED, "r") if model is Event else _PUBLISHED
            table = model._meta.db_table
            yield _ARM.format(
                kind=name, id="r.id", table=table, join="", published=published
            )
    if EVENT not in kinds:
        return
    yield _ONLINE
    for link in links.KINDS:
        if link.linked != "calendar_events_term":
            join = f""" JOIN {link.table} l ON l.{link.column} = r.id
JOIN calendar_events_event e ON e.id = l.event_id AND e.password = ''"""
            yield _ARM.format(
                kind=EVENT,
                id="l.event_id",
                table=link.linked,
                join=join,
                published=_PUBLISHED,
            )


@cache
def _log(is_postgres: bool) -> str:  # noqa: FBT001 -- the only thing that it depends on
    horizon, end = str(2**63 - 1), _NEWEST
    if is_postgres:
        horizon, _ = Horizon().as_postgresql()
        end = _END.format(End().as_postgresql()[0])
    return _LOG.format(now=_now(is_postgres), end=end, horizon=horizon)


def _now(is_postgres: bool) -> str:  # noqa: FBT001 -- the same
    """Return the place that everything comes behind which is not settled yet."""
    return _HORIZON.format(Horizon().as_postgresql()[0]) if is_postgres else _NEWEST
