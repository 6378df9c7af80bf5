"""Run the hand-written statements of the calendar, alike on PostgreSQL and SQLite.

The lists answer a million events from a few statements; the ORM's share of such a request
would be larger than the database's. Statements are written in what both databases know. On
PostgreSQL psycopg prepares what is executed often. ``prepare=False`` is for statements
whose plan depends on the values, such as a pattern that a trigram index looks for.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from typing import Any, Final

from django.db import connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model

from calendar_events.models import Event
from calendar_events.models.visibility import Alternative, Condition, Rule


def connection() -> BaseDatabaseWrapper:
    """Return the connection that reads go to (a replica, if the router says so)."""
    return connections[router.db_for_read(Event)]


def close_old_connection() -> None:
    """Close a connection that broke or is too old.

    Django does so when a request begins; a stream may be sent by a thread that never
    begins one.
    """
    database = connection()
    if not database.in_atomic_block:
        database.close_if_unusable_or_obsolete()


def is_postgres() -> bool:
    return connection().vendor == "postgresql"


def rows(
    statement: str,
    params: Sequence[Any] = (),
    *,
    prepare: bool = True,
    moments: Sequence[int] = (),
) -> list[Any]:
    """Return the rows of one statement with ``%s`` placeholders.

    ``moments`` are the places of columns that are instants, see ``as_moment``.
    """
    database = connection()
    with database.cursor() as cursor:
        with nullcontext() if prepare else _unprepared(database):
            cursor.execute(statement, params)
        fetched = cursor.fetchall()
    if not moments or database.vendor == "postgresql":
        return fetched
    in_time = [list(row) for row in fetched]
    for row in in_time:
        for place in moments:
            row[place] = as_moment(row[place])
    return in_time


@contextmanager
def _unprepared(database: Any) -> Iterator[None]:
    """Let psycopg prepare nothing, so that each plan is made for its values."""
    if database.vendor != "postgresql":
        yield
        return
    threshold = database.connection.prepare_threshold
    database.connection.prepare_threshold = None
    try:
        yield
    finally:
        database.connection.prepare_threshold = threshold


def write(statement: str, params: Sequence[Any] = ()) -> list[Any]:
    """Run one statement of a write, in the transaction that is open; return its rows."""
    with _primary().cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.fetchall() if cursor.description else []


def next_identifier(model: type[Model]) -> int:
    """Return the identifier of the row of ``model`` that is inserted next."""
    return next_identifiers(model, 1)[0]


def next_identifiers(model: type[Model], number: int) -> list[int]:
    """Return the identifiers of the rows of ``model`` that are inserted next.

    A fragment names its own, so it is needed before the row is there. On PostgreSQL it
    comes from the column's sequence; on SQLite, where nobody else writes until our
    transaction ends, it is one more than the largest there ever was (``AUTOINCREMENT``).
    """
    table = model._meta.db_table
    if is_postgres():
        sequence = (
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
        )
        return [int(pk) for (pk,) in write(sequence, [table, number])]
    known = write("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
    last = int(known[0][0]) if known else 0
    return list(range(last + 1, last + 1 + number))


def _primary() -> BaseDatabaseWrapper:
    return connections[router.db_for_write(Event)]


def moment(instant: datetime) -> Any:
    """Return an instant as the database compares it; psycopg takes it as it is."""
    return instant if is_postgres() else connection().ops.adapt_datetimefield_value(instant)


def as_moment(value: Any) -> Any:
    """Return what the database gives for an instant; SQLite gives it without a zone.

    PostgreSQL's text, as a cast gives it, has one.
    """
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


class Conditions:
    """The conditions of one statement, joined by AND, with their parameters in step."""

    __slots__ = ("params", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.params: list[Any] = []

    def add(self, text: str, *params: Any) -> None:
        self.texts.append(text)
        self.params.extend(params)

    def any_of(self, column: str, values: Iterable[int] | Iterable[str]) -> None:
        """Add ``column IN (…)`` with as few distinct statements as the database allows."""
        several: list[int | str] = list(values)
        if not several:
            self.texts.append("1 = 0")
        elif is_postgres():
            # Of numbers psycopg would look at each, to find their common type.
            are_numbers = isinstance(several[0], int)
            array = f"{{{','.join(map(str, several))}}}" if are_numbers else several
            self.add(f"{column} = ANY(%s)", array)
        else:
            marks = ",".join(["%s"] * len(several))
            self.add(f"{column} IN ({marks})", *several)

    def __str__(self) -> str:
        return " AND ".join(self.texts) or "1 = 1"

    def extend(self, other: Conditions) -> None:
        """Add all conditions of another."""
        self.texts += other.texts
        self.params += other.params


def text_of(alternative: Alternative, alias: str) -> str:
    """Return conditions without values of their own (statuses, flags) as SQL.

    Written out, not bound, because a partial index must see them in a prepared plan.
    """
    parts = [_part(one, alias) for one in alternative]
    if any(params for _, params in parts):
        raise ValueError("a condition with a value that is not constant")
    return " AND ".join(text for text, _ in parts)


def conditions_of(rule: Rule, alias: str) -> Conditions:
    """Return a rule about the rows of ``alias``, with its values."""
    texts: list[str] = []
    params: list[Any] = []
    for alternative in rule:
        parts = [_part(one, alias) for one in alternative]
        texts.append(" AND ".join(text for text, _ in parts))
        params += [value for _, values in parts for value in values]
    conditions = Conditions()
    if len(texts) > 1:
        texts = [f"({' OR '.join(f'({text})' for text in texts)})"]
    conditions.add(texts[0] if texts else "1 = 0", *params)
    return conditions


def _part(condition: Condition, alias: str) -> tuple[str, list[Any]]:
    column, operator, value = condition
    if isinstance(value, bool):
        return (f"{alias}.{column}" if value else f"NOT {alias}.{column}"), []
    if column == "status":
        # The condition of the index over what is not published is written like this.
        return (
            (f"NOT ({alias}.status = '{value}')", [])
            if operator == "<>"
            else (f"{alias}.status {operator} '{value}'", [])
        )
    bound = moment(value) if isinstance(value, datetime) else value
    return f"{alias}.{column} {operator} %s", [bound]


SPACE: Final = 0x7E24
"""The first key of our advisory locks, so that other users of them are not met."""


def advisory_lock(*key: str) -> None:
    """Wait for the advisory lock of these words; it lasts to the transaction's end.

    SQLite has one writer anyway. Keys that share a checksum share a lock, which costs a
    wait and nothing else. Of two who wait for each other PostgreSQL ends one, whose write
    is tried again (``api.writing``).
    """
    if is_postgres():
        checksum = zlib.crc32("\0".join(key).encode()) - 2**31
        write("SELECT pg_advisory_xact_lock(%s, %s)", [SPACE, checksum])
