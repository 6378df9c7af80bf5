"""Let one writer at a time do what no constraint of the database can see the whole of.

Two equal slugs, two terms of one name, two events that bring the same new venue: each
writer looks, finds nothing, and is right alone. Who holds the words first looks first.
"""

import zlib
from typing import Final

from calendar_events.store import sql

SPACE: Final = 0x7E24
"""The first key of our advisory locks, so that other users of them are not met."""


def advisory_lock(*key: str) -> None:
    """Wait for the advisory lock of these words; it lasts to the transaction's end.

    SQLite has one writer anyway. Keys that share a checksum share a lock, which costs a
    wait and nothing else. Of two who wait for each other PostgreSQL ends one, whose write
    is tried again (``api.writing``).
    """
    if sql.is_postgres():
        checksum = zlib.crc32("\0".join(key).encode()) - 2**31
        sql.write("SELECT pg_advisory_xact_lock(%s, %s)", [SPACE, checksum])
