"""Statements that are asked with every request, prepared on the server.

A statement that joins many tables takes PostgreSQL longer to plan than to run. Django's own
cursors put the values into the text, so that it is planned each time; this one goes around
them, inside the same connection, transaction and error translation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.backends.base.base import BaseDatabaseWrapper


def fetch_rows(
    database: BaseDatabaseWrapper, statement: str, parameters: Sequence[Any]
) -> list[Any]:
    """Return the rows of one statement with ``%s`` placeholders.

    Databases other than PostgreSQL, and connections whose queries are being logged, run it
    as any other.
    """
    if database.vendor != "postgresql" or database.queries_logged:
        with database.cursor() as cursor:
            cursor.execute(statement, parameters)
            return cursor.fetchall()

    from psycopg import Cursor  # noqa: PLC0415 -- not installed with every database

    database.ensure_connection()
    with database.wrap_database_errors, Cursor(database.connection) as raw:
        raw.execute(statement, parameters, prepare=True)
        return raw.fetchall()
