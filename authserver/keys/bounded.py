"""Writes that are given up rather than waited for."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

LOCK_MILLISECONDS = 100
STATEMENT_MILLISECONDS = 1000

# Nobody misses the last of these writes after a crash, so none waits for the disk.
_LIMITS = f"""
SELECT set_config('lock_timeout', '{LOCK_MILLISECONDS}ms', true),
    set_config('statement_timeout', '{STATEMENT_MILLISECONDS}ms', true),
    set_config('synchronous_commit', 'off', true)
"""


@contextmanager
def bounded_write(alias: str) -> Iterator[None]:
    """Run a small transaction that waits for no lock longer than a tenth of a second.

    Raises ``django.db.Error`` when that is not enough; then nothing was written.
    """
    connection = connections[alias]
    if connection.vendor != "sqlite":
        with transaction.atomic(using=alias):
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(_LIMITS)
            yield
        return
    before = _busy_timeout(connection)
    _set_busy_timeout(connection, LOCK_MILLISECONDS)
    try:
        with transaction.atomic(using=alias):
            yield
    finally:
        _set_busy_timeout(connection, before)


def _busy_timeout(connection: BaseDatabaseWrapper) -> int:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        return int(cursor.fetchone()[0])


def _set_busy_timeout(connection: BaseDatabaseWrapper, milliseconds: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")
