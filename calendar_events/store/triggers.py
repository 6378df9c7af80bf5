"""The triggers that keep counters and count writes; made by migrations and after them.

On PostgreSQL they keep the totals of lists, too (``counters.postgresql.sql``); SQLite
counts those each time.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.db.backends.base.base import BaseDatabaseWrapper

FILE: Final = Path(__file__).parents[1] / "migrations" / "sql" / "counters.postgresql.sql"
_TRIGGER: Final = re.compile(r"^CREATE TRIGGER (\w+)", re.MULTILINE)
_THERE: Final = {
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
}
_DROP_ON_POSTGRESQL: Final = """DO $$ DECLARE f text; BEGIN
    FOR f IN SELECT oid::regprocedure FROM pg_proc
        WHERE proname LIKE 'calendar\\_events\\_count%'
    LOOP EXECUTE 'DROP FUNCTION ' || f || ' CASCADE'; END LOOP;
END $$;
"""
_ON_SQLITE: Final = """CREATE TRIGGER calendar_events_count_write_{table}_{event}
AFTER {event} ON calendar_events_{table} BEGIN
    INSERT INTO calendar_events_daycount (scope, day, number)
    SELECT 'writes', '0001-01-01', 0 WHERE NOT EXISTS (
        SELECT 1 FROM calendar_events_daycount WHERE scope = 'writes');
    UPDATE calendar_events_daycount SET number = number + 1 WHERE scope = 'writes';
END"""
PREFIX: Final = "calendar_events_count"


def install(connection: BaseDatabaseWrapper) -> None:
    """Make all triggers anew."""
    for statement in _statements(connection):
        with connection.cursor() as cursor:
            cursor.execute(statement)


def remove(connection: BaseDatabaseWrapper) -> None:
    """Drop all triggers; on SQLite they go with their tables."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_DROP_ON_POSTGRESQL)


def missing(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the names of triggers that a migrated database lacks."""
    if connection.vendor not in _THERE:
        return []
    with connection.cursor() as cursor:
        if "calendar_events_daycount" not in connection.introspection.table_names(cursor):
            return []
    texts = "\n".join(_statements(connection))
    return sorted(set(_TRIGGER.findall(texts)) - _existing(connection))


def _existing(connection: BaseDatabaseWrapper) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(_THERE[connection.vendor])
        return {name for (name,) in cursor.fetchall()}


def _statements(connection: BaseDatabaseWrapper) -> Iterator[str]:
    """Yield what drops and makes them."""
    if connection.vendor == "postgresql":
        yield _DROP_ON_POSTGRESQL + FILE.read_text("utf-8")
    elif connection.vendor == "sqlite":
        for name in sorted(_existing(connection)):
            if name.startswith(PREFIX):
                yield f"DROP TRIGGER {name}"
        for table in ("event", "venue", "organizer", "term"):
            for event in ("insert", "update", "delete"):
                yield _ON_SQLITE.format(table=table, event=event)
