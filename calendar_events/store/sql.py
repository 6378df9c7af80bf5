"""Run the hand-written statements of the calendar, alike on PostgreSQL and SQLite.

The lists answer a million events from a few statements; the ORM's share of such a request
would be larger than the database's. Statements are written in what both databases know. On
PostgreSQL they are prepared on the server, unless a plan must know its values (``prepare=
False``): a pattern, or a constant that a partial index wants to see.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.db import OperationalError, connections, router

from calendar_events.models import Event
from platform_errors.postgresql import prepared

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models import Model

_TRIGRAM = re.compile(r"[^\W_]{3}")


def connection() -> BaseDatabaseWrapper:
    """Return the connection that reads go to (a replica, if the router says so)."""
    return connections[router.db_for_read(Event)]


def settle() -> None:
    """Let go of a connection that broke or is too old.

    Django does so when a request begins; what is sent later may be made by threads that
    never begin one.
    """
    database = connection()
    if not database.in_atomic_block:
        database.close_if_unusable_or_obsolete()


def is_postgres() -> bool:
    """Return whether reads go to PostgreSQL."""
    return connection().vendor == "postgresql"


def rows(statement: str, params: Sequence[Any] = (), *, prepare: bool = True) -> list[Any]:
    """Return the rows of one statement with ``%s`` placeholders."""
    database = connection()
    if database.vendor == "postgresql" and prepare and not database.queries_logged:
        try:
            return _prepared_rows(database, statement, params)
        except OperationalError:
            # The server was restarted since: a read can simply be asked again. Cheaper
            # than Django's health check, which asks before every request.
            if database.in_atomic_block or not prepared.is_lost(database):
                raise
            database.close()
            return _prepared_rows(database, statement, params)
    with database.cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.fetchall()


def rows_by_index(statement: str, params: Sequence[Any]) -> list[Any]:
    """Return the rows of a statement that looks at few of a table, planned for its values.

    PostgreSQL thinks by default that what is looked up comes from a slow disk, and that
    reading a table of some ten thousand rows whole costs less; batch after batch would.
    """
    settings = "SET LOCAL random_page_cost = 1; " if is_postgres() else ""
    with connection().cursor() as cursor:
        cursor.execute(settings + statement, params)
        while cursor.description is None and cursor.nextset():
            pass
        return cursor.fetchall()


def _prepared_rows(
    database: BaseDatabaseWrapper, statement: str, params: Sequence[Any]
) -> list[Any]:
    """Bind on the server, which lets PostgreSQL keep the plan.

    Django's own cursors put the values into the text. This one goes around them, inside
    the same connection, transaction and error translation. Rows come in binary: Django's
    reader of moments as text is slow, and a row can have many.
    """
    from psycopg import Cursor  # noqa: PLC0415 -- not installed with every database

    database.ensure_connection()
    with database.wrap_database_errors, Cursor(database.connection) as cursor:
        cursor.execute(statement, params, prepare=True, binary=True)
        # The connection has just answered: Django need not ask it whether it is well.
        database.health_check_done = True  # type: ignore[attr-defined]  # not in the stubs
        # No description of the columns is made to learn that there are rows.
        return cursor.fetchall() if cursor.rownumber is not None else []


def writes_to_postgres() -> bool:
    """Return whether writes go to PostgreSQL."""
    return _primary().vendor == "postgresql"


def write(statement: str, params: Sequence[Any] = ()) -> list[Any]:
    """Run one statement of a write, in the transaction that is open; return its rows."""
    database = _primary()
    if database.vendor == "postgresql" and not database.queries_logged:
        return _prepared_rows(database, statement, params)
    with database.cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.fetchall() if cursor.description else []


def next_identifier(model: type[Model]) -> int:
    """Return the identifier of the row of ``model`` that is inserted next.

    A fragment names it, so it is needed before the row is there. On PostgreSQL it comes
    from the column's sequence; on SQLite, where nobody else writes until our transaction
    ends, it is one more than the largest there ever was (``AUTOINCREMENT``).
    """
    table = model._meta.db_table
    if writes_to_postgres():
        sequence = "SELECT nextval(pg_get_serial_sequence(%s, 'id'))"
        return int(write(sequence, [table])[0][0])
    known = write("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
    return int(known[0][0]) + 1 if known else 1


def _primary() -> BaseDatabaseWrapper:
    """Return the connection that writes go to."""
    return connections[router.db_for_write(Event)]


def moment(instant: datetime) -> Any:
    """Return an instant as the database compares it."""
    return connection().ops.adapt_datetimefield_value(instant)


def as_moment(value: Any) -> Any:
    """Return what a database gives for an instant; SQLite gives it without a zone.

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
        """No condition: everything."""
        self.texts: list[str] = []
        self.params: list[Any] = []

    def add(self, text: str, *params: Any) -> None:
        """Add one condition."""
        self.texts.append(text)
        self.params.extend(params)

    def any_of(
        self, column: str, values: Iterable[int] | Iterable[str], *, negated: bool = False
    ) -> None:
        """Add ``column IN (…)`` with as few distinct statements as the database allows."""
        found: list[int | str] = list(values)
        if not found:
            self.texts.append("1 = 1" if negated else "1 = 0")
        elif connection().vendor == "postgresql":
            self.add(f"{column} <> ALL(%s)" if negated else f"{column} = ANY(%s)", found)
        else:
            marks = ",".join(["%s"] * len(found))
            self.add(f"{column} {'NOT ' if negated else ''}IN ({marks})", *found)

    def contains(self, column: str, folded: str, *, negated: bool = False) -> None:
        """Add a substring match on a folded column."""
        if connection().vendor == "postgresql" and not _TRIGRAM.search(folded):
            # A trigram index would be read from end to end. It has another collation.
            column = f'{column} COLLATE "C"'
        pattern = folded.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
        operator = "NOT LIKE" if negated else "LIKE"
        self.add(rf"{column} {operator} %s ESCAPE '\'", f"%{pattern}%")

    def __str__(self) -> str:
        """Return the text after WHERE."""
        return " AND ".join(self.texts) or "1 = 1"

    def extend(self, other: Conditions) -> None:
        """Add all conditions of another."""
        self.texts += other.texts
        self.params += other.params
