"""Give up on a PostgreSQL server that does not enforce its time limits.

One that is frozen, or whose storage hangs, ends no statement, and its kernel goes on
acknowledging what is sent, so that neither libpq's limits nor TCP's notice.
"""

from collections.abc import Generator
from time import monotonic
from typing import Any

import psycopg
from django.db.backends.base.base import BaseDatabaseWrapper


def limit_waits(connection: BaseDatabaseWrapper, **_kwargs: Any) -> None:
    """Bound each wait of a connection that was made (``connection_created``).

    By ``ANSWER_SECONDS`` of its entry in ``DATABASES``. psycopg lets every wait go through
    ``wait``: statements, COPY, cursors on the server, commits.
    """
    seconds = connection.settings_dict.get("ANSWER_SECONDS")
    if connection.vendor != "postgresql" or not seconds:
        return
    raw: Any = connection.connection
    wait = raw.wait

    def bounded(gen: Any, *args: Any, **options: Any) -> Any:
        return wait(_until(gen, raw, seconds), *args, **options)

    raw.wait = bounded


def _until(gen: Generator[Any, Any, Any], raw: Any, seconds: float) -> Any:
    """Pass a wait on until nothing came for so long.

    Raises ``OperationalError`` then, and closes the connection.
    """
    silent_since = 0.0
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if ready:
                silent_since = 0.0
            elif not silent_since:
                silent_since = monotonic()
            elif monotonic() - silent_since > seconds:
                raw.close()
                raise psycopg.OperationalError("the database server does not answer")
            wanted = gen.send(ready)
    except StopIteration as end:
        return end.value
