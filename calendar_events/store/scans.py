"""Statements that read very many rows: few at once, so that they do not starve the others.

Lists answer a million events from indexes and kept counters, in about a millisecond. What
indexes cannot answer (an order by title, several categories, a common word, a wide radius)
costs the database up to a second. Such statements take turns: so many of them run in a
database at once, and so many of a process's threads wait for their turn.
"""

from __future__ import annotations

import random
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.db import OperationalError

from calendar_events.conf import conf
from calendar_events.store import sql
from platform_errors.errors.catalogue import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_OF_A_PROCESS = 4
"""Threads of a process that may be busy with such statements; the others stay free."""
PATIENCE_SECONDS = 1.0
"""How long another one waits for a place among them."""
_LOCK_CLASS = 0x5CA4
"""The first half of the advisory locks' keys, so that they meet no other lock."""
_STATEMENT_CANCELED = "57014"

# PostgreSQL thinks that several processes are not worth it when what they wait for is
# cached, that compiling is, and that a bitmap of a large table may be inexact; all three
# cost such a statement more than the rest of it.
AT_FULL_SPEED = """SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0;
SET LOCAL jit = off; SET LOCAL work_mem = '32MB'; """
# Disable sequential scans: recomputing the indexed expression for every row is expensive.
BY_INDEX = "SET LOCAL enable_seqscan = off; SET LOCAL work_mem = '256MB'; "

_places = threading.BoundedSemaphore(MOST_OF_A_PROCESS)


class ScanTooLong(Exception):
    """The database gave up a statement that reads very many rows: it took too long."""


def rows(statement: str, params: Sequence[Any], *, settings: str = "") -> list[Any]:
    """Return the rows of a statement that reads very many, planned for its values.

    ``settings`` (``SET LOCAL``, PostgreSQL) travel with the statement, in one message and
    hence one transaction, and so does the lock that makes such statements take turns.
    Raises ``ScanTooLong`` beyond the statement limit, ``Unavailable`` when too many of this
    process wait, ``OperationalError`` when the turn does not come within the lock limit.
    """
    database = sql.connection()
    if database.vendor == "postgresql":
        turn = random.randrange(conf.scans_at_once)  # noqa: S311 -- any will do
        settings += f"SELECT pg_advisory_xact_lock({_LOCK_CLASS}, {turn}); "
    else:
        settings = ""
    with _place(), database.cursor() as cursor:
        try:
            cursor.execute(settings + statement, params)
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) == _STATEMENT_CANCELED:
                raise ScanTooLong from error
            raise
        while settings and cursor.nextset():
            pass
        return cursor.fetchall()


@contextmanager
def _place() -> Iterator[None]:
    if not _places.acquire(timeout=PATIENCE_SECONDS):
        raise Unavailable("many searches are running", headers={"Retry-After": "2"})
    try:
        yield
    finally:
        _places.release()
