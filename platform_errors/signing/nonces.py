"""Refuse a signed request the second time it is seen.

The claim is one ``INSERT`` under a unique constraint, in autocommit: of any number of
parallel repeats, in any number of processes, the database lets exactly one through. It must
not run in a transaction that may roll back, which would give the nonce out again
(``checks.py`` says so).
"""

from django.db import DEFAULT_DB_ALIAS, connections, router
from django.dispatch import Signal

from platform_errors.models import Nonce

nonce_claimed = Signal(use_caching=True)
"""Sent with ``is_first`` when the database has said whether a nonce was new."""

SWEEP_LIMIT = 1000
"""Rows that one sweep deletes: more than a process claims between two of its sweeps."""
KEEP_SECONDS = 3 * 3600
"""How long a nonce is kept: the greatest difference that may be accepted (an hour, check
E008), and two hours by which a server's clock may be wrong without giving it out again.
"""

# ruff: noqa: S608 -- the only thing formatted into the statements is the table's name
_TABLE = Nonce._meta.db_table
_CLAIM = f"""
INSERT INTO {_TABLE} (client_id, timestamp, nonce) VALUES (%s, %s, %s)
ON CONFLICT DO NOTHING RETURNING id
"""
# Old rows go with the round trip of a claim. Locked rows are another process's to delete.
_SWEEP_AND_CLAIM = f"""
WITH swept AS (
    DELETE FROM {_TABLE} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM {_TABLE}
        WHERE timestamp < LEAST(%s, EXTRACT(EPOCH FROM now())::bigint - {KEEP_SECONDS})
        ORDER BY timestamp LIMIT {SWEEP_LIMIT} FOR UPDATE SKIP LOCKED
    ))
)
{_CLAIM}
"""
_SWEEP = f"""
DELETE FROM {_TABLE} WHERE id IN (
    SELECT id FROM {_TABLE}
    WHERE timestamp < MIN(%s, CAST(strftime('%%s', 'now') AS integer) - {KEEP_SECONDS})
    ORDER BY timestamp LIMIT {SWEEP_LIMIT}
)
"""

_swept: dict[str, int] = {}
"""Database alias → before which timestamp this process last looked for old rows."""


def is_claimed(*, client_id: str, timestamp: int, nonce: str) -> bool:
    """Return whether the nonce was used, and leave it as it is."""
    used = Nonce.objects.using(router.db_for_write(Nonce) or DEFAULT_DB_ALIAS)
    whose = {"client_id": client_id, "timestamp": timestamp, "nonce": nonce}
    return used.filter(**whose).exists()


def claim_nonce(*, client_id: str, timestamp: int, nonce: str, oldest: int) -> bool:
    """Return whether this is the first request with this key, timestamp and nonce.

    Rows with a timestamp before ``oldest`` can no longer be repeated, since the clock
    refuses them; they are deleted along the way, so that no scheduled job is needed. The
    database's clock has to agree: a server whose own is fast would delete what the others
    still accept.
    Raises ``OperationalError`` when the database cannot be written in time.
    """
    is_first = _claim((client_id, timestamp, nonce), oldest)
    nonce_claimed.send_robust(sender=Nonce, is_first=is_first)
    return is_first


def _claim(values: tuple[str, int, str], oldest: int) -> bool:
    connection = connections[router.db_for_write(Nonce) or DEFAULT_DB_ALIAS]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql" and _swept.get(connection.alias) != oldest:
            # Once for each ``oldest``, that is, once a second; a claim alone is cheaper.
            _swept[connection.alias] = oldest
            cursor.execute(_SWEEP_AND_CLAIM, (oldest, *values))
            return cursor.fetchone() is not None
        cursor.execute(_CLAIM, values)
        if connection.vendor == "postgresql":
            return cursor.fetchone() is not None
        row = cursor.fetchone()
        if row is not None and row[0] % SWEEP_LIMIT == 0:
            cursor.execute(_SWEEP, (oldest,))
        return row is not None
