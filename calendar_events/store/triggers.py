"""The triggers that keep totals and searches: which there must be, which there are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

FILES: Final = Path(__file__).parents[1] / "migrations" / "sql"
_TRIGGER: Final = re.compile(r"^CREATE TRIGGER (\w+)", re.MULTILINE)
_THERE: Final = {
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
}


def missing(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the names of triggers that a migrated database lacks."""
    if connection.vendor not in _THERE:
        return []
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        if "calendar_events_daycount" not in tables:
            return []
        cursor.execute(_THERE[connection.vendor])
        there = {name for (name,) in cursor.fetchall()}
    return sorted(_expected(connection.vendor) - there)


def _expected(vendor: str) -> set[str]:
    """Return what the migrations make on this kind of database."""
    files = FILES.glob(f"*.{vendor}.sql")
    return {name for file in files for name in _TRIGGER.findall(file.read_text("utf-8"))}
