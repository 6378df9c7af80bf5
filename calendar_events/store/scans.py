"""Statements that read very many rows: few at once, so that they do not starve the others.

Lists answer a million events from indexes and kept counters, in about a millisecond. What
indexes cannot answer (an order by title, several categories, a common word, a wide radius)
costs the database up to a second. Such statements take turns: so many of them run in a
database at once, and so many of a process's threads wait for their turn.
"""

import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError

from calendar_events.conf import conf
from calendar_events.store import sql
from platform_errors.errors.catalogue import Unavailable

MOST_OF_A_PROCESS = 4
"""Threads of a process that may be busy with such statements; the others stay free."""
PATIENCE_SECONDS = 1.0
"""How long another one waits for a place among them."""
_LOCK_CLASS = 0x5CA4
"""The first half of the advisory locks' keys, so that they meet no other lock."""
_STATEMENT_CANCELED = "57014"

_places = threading.BoundedSemaphore(MOST_OF_A_PROCESS)


class ScanTooLong(Exception):
    """The database gave up a statement that reads very many rows: it took too long."""


def turn() -> tuple[str, list[Any]]:
    """Return a condition that waits for a turn, and its parameters.

    It is looked at once, before any row, and holds until the transaction ends.
    """
    if sql.connection().vendor != "postgresql":
        return "", []
    lane = random.randrange(conf.scans_at_once)  # noqa: S311 -- any will do
    condition = " WHERE (SELECT pg_advisory_xact_lock(%s, %s)) IS NOT NULL"
    return condition, [_LOCK_CLASS, lane]


def rows(statement: str, params: Sequence[Any]) -> list[Any]:
    """Return the rows of a statement that reads very many, planned for its values.

    Raises ``ScanTooLong`` beyond the statement limit, ``Unavailable`` when too many of this
    process wait, ``OperationalError`` when ``turn`` does not come within the lock limit.
    """
    with _place():
        try:
            return sql.rows(statement, params, prepare=False)
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) == _STATEMENT_CANCELED:
                raise ScanTooLong from error
            raise


@contextmanager
def _place() -> Iterator[None]:
    if not _places.acquire(timeout=PATIENCE_SECONDS):
        raise Unavailable("many searches are running", headers={"Retry-After": "2"})
    try:
        yield
    finally:
        _places.release()
