"""Refuse a signed request the second time it is seen.

The claim is one ``INSERT`` under a unique constraint, in autocommit: of any number of
parallel repeats, in any number of processes, the database lets exactly one through. It must
not run in a transaction that may roll back, which would give the nonce out again
(``checks.py`` says so).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import DEFAULT_DB_ALIAS, connections, router

from platform_errors import prepared
from platform_errors.models import Nonce

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

SWEEP_LIMIT = 1000
"""Rows that one sweep deletes: more than a process claims between two of its sweeps."""

# ruff: noqa: S608 -- the only things formatted into the statements are our own
_TABLE = Nonce._meta.db_table
_CLAIM = f"""
INSERT INTO {_TABLE} (client_id, timestamp, nonce) VALUES (%s, %s, %s)
ON CONFLICT DO NOTHING RETURNING id
"""
# The same, answered before it is on the disk; the setting ends with the statement.
_CLAIM_AT_ONCE = f"""
INSERT INTO {_TABLE} (client_id, timestamp, nonce)
SELECT %s, %s, %s WHERE set_config('synchronous_commit', 'off', true) = 'off'
ON CONFLICT DO NOTHING RETURNING id
"""
# Old rows go with the round trip of a claim. Locked rows are another process's to delete.
_SWEEP_WITH = f"""
WITH swept AS (
    DELETE FROM {_TABLE} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM {_TABLE} WHERE timestamp < %s
        ORDER BY timestamp LIMIT {SWEEP_LIMIT} FOR UPDATE SKIP LOCKED
    ))
)
"""
_SWEEP_AND_CLAIM = _SWEEP_WITH + _CLAIM
_SWEEP_AND_CLAIM_AT_ONCE = _SWEEP_WITH + _CLAIM_AT_ONCE
_SWEEP = f"""
DELETE FROM {_TABLE} WHERE id IN (
    SELECT id FROM {_TABLE} WHERE timestamp < %s ORDER BY timestamp LIMIT {SWEEP_LIMIT}
)
"""

_swept: dict[str, int] = {}
"""Database alias → before which timestamp this process last looked for old rows."""


def claim_nonce(
    *, client_id: str, timestamp: int, nonce: str, oldest: int, is_read: bool = False
) -> bool:
    """Return whether this is the first request with this key, timestamp and nonce.

    Rows with a timestamp before ``oldest`` can no longer be repeated, since the clock
    refuses them; they are deleted along the way, so that no scheduled job is needed.

    The claim is on the disk when this returns, unless ``is_read`` says that the request
    changes nothing. Then it is written within a second: every process sees it at once and
    it outlives a restart, but when the database server itself crashes, the last moments
    are forgotten and such a request could be answered again. SQLite in WAL mode, where only
    the machine itself can lose them, makes no difference.

    Raises ``OperationalError`` when the database cannot be written in time.
    """
    connection = connections[router.db_for_write(Nonce) or DEFAULT_DB_ALIAS]
    values = (client_id, timestamp, nonce)
    if connection.vendor == "postgresql":
        return _claim_on_postgresql(connection, values, oldest, is_read=is_read)
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, values)
        row = cursor.fetchone()
        if row is not None and row[0] % SWEEP_LIMIT == 0:
            cursor.execute(_SWEEP, (oldest,))
        return row is not None


def _claim_on_postgresql(
    connection: BaseDatabaseWrapper,
    values: tuple[str, int, str],
    oldest: int,
    *,
    is_read: bool,
) -> bool:
    """Claim, and sweep as well once for each ``oldest``, which is once a second."""
    if _swept.get(connection.alias) == oldest:
        claim = _CLAIM_AT_ONCE if is_read else _CLAIM
        return bool(prepared.fetch_rows(connection, claim, values))
    _swept[connection.alias] = oldest
    claim = _SWEEP_AND_CLAIM_AT_ONCE if is_read else _SWEEP_AND_CLAIM
    return bool(prepared.fetch_rows(connection, claim, (oldest, *values)))
