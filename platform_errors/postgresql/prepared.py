"""Statements that are asked again and again, prepared on the server.

A statement that joins many tables takes PostgreSQL longer to plan than to run. Django's own
cursors put the values into the text, so that it is planned each time; these go around them,
inside the same connection, transaction and error translation.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from django.db import OperationalError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.backends.base.base import BaseDatabaseWrapper


class _Cursors:
    """The cursors of one connection to PostgreSQL, one for each statement.

    Making a cursor, and finding out how each column is read, takes as long as the rest of a
    small statement. A cursor keeps its last answer too, so this is for a fixed few
    statements with answers of a few rows. Those come in binary: Django's reader of moments
    as text is slow.
    """

    def __init__(self, connection: Any) -> None:
        """Start with none."""
        self.connection = connection
        self._cursors: dict[str, Any] = {}

    def for_statement(self, statement: str) -> Any:
        """Return the statement's own cursor."""
        cursor = self._cursors.get(statement)
        if cursor is None:
            cursor = self._cursors[statement] = _cursor_class()(self.connection)
        return cursor


@cache
def _cursor_class() -> Any:
    """Return psycopg's, which is not installed with every database."""
    import psycopg  # noqa: PLC0415 -- see above

    return psycopg.Cursor


_kept: WeakKeyDictionary[BaseDatabaseWrapper, _Cursors] = WeakKeyDictionary()


def fetch_rows(
    database: BaseDatabaseWrapper,
    statement: str,
    parameters: Sequence[Any],
    *,
    keeps_cursor: bool = True,
) -> list[Any]:
    """Return the rows of one statement with ``%s`` placeholders, none if it has no rows.

    ``keeps_cursor`` is for a fixed few statements with answers of few rows (``_Cursors``).
    Databases other than PostgreSQL, and connections whose queries are being logged, run it
    as any other. Wrappers of the connection (``execute_wrappers``) see it either way.
    Raises ``OperationalError`` when the database does not answer.
    """
    if database.vendor != "postgresql" or database.queries_logged:
        with database.cursor() as plain:
            plain.execute(statement, parameters)
            return plain.fetchall() if plain.description else []

    database.ensure_connection()
    if keeps_cursor:
        cursor = _kept_cursor(database, statement)
    else:
        cursor = _cursor_class()(database.connection)
    if not database.execute_wrappers:
        return _fetch(database, cursor, statement, parameters)
    execute: Any = partial(_fetch_wrapped, database, cursor)
    for wrapper in reversed(database.execute_wrappers):
        execute = partial(wrapper, execute)
    rows: list[Any] = execute(
        statement, parameters, False, {"connection": database, "cursor": cursor}
    )
    return rows


def _kept_cursor(database: BaseDatabaseWrapper, statement: str) -> Any:
    kept = _kept.get(database)
    if kept is None or kept.connection is not database.connection:
        kept = _kept[database] = _Cursors(database.connection)
    return kept.for_statement(statement)


def _fetch(
    database: BaseDatabaseWrapper, cursor: Any, statement: str, parameters: Sequence[Any]
) -> list[Any]:
    with database.wrap_database_errors:
        cursor.execute(statement, parameters, prepare=True, binary=True)
        # The connection has just answered: Django need not ask it whether it is well.
        database.health_check_done = True  # type: ignore[attr-defined]  # not in the stubs
        # No description of the columns is made to learn that there are rows.
        rows: list[Any] = cursor.fetchall() if cursor.rownumber is not None else []
        return rows


def _fetch_wrapped(
    database: BaseDatabaseWrapper,
    cursor: Any,
    statement: str,
    parameters: Sequence[Any],
    _many: object,
    _context: object,
) -> list[Any]:
    """Run as the innermost of the wrappers, which pass on what Django's cursors take."""
    return _fetch(database, cursor, statement, parameters)


def read_rows(
    database: BaseDatabaseWrapper,
    statement: str,
    parameters: Sequence[Any],
    *,
    keeps_cursor: bool = True,
) -> list[Any]:
    """Return the rows of a statement that changes nothing, asked again where that helps.

    The server may have been restarted since the last request. Finding out only then is
    cheaper than Django's health check, which asks before every request. Raises like
    ``fetch_rows``.
    """
    try:
        return fetch_rows(database, statement, parameters, keeps_cursor=keeps_cursor)
    except OperationalError:
        if database.in_atomic_block or not is_lost(database):
            raise
    database.close()
    return fetch_rows(database, statement, parameters, keeps_cursor=keeps_cursor)


def as_moment(value: Any) -> Any:
    """Return what a database gives for an instant; SQLite gives it without a zone.

    PostgreSQL's text, as a cast gives it, has one.
    """
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


def is_lost(database: BaseDatabaseWrapper) -> bool:
    """Return whether a connection was made and the server has closed it since.

    SQLite has none that could be; one that could not even be made is not lost, and to try
    again at once would not help.
    """
    connection: Any = database.connection
    return database.vendor == "postgresql" and connection is not None and connection.closed
