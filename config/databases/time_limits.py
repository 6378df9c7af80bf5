"""How long databases and cache may take: options of connections (docs/operations.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ENGINE = "platform_errors.postgresql"
MARGIN_SECONDS = 5
"""How much longer than the statement limit an answer is waited for."""
FOR_EVER_SECONDS = 24 * 3600

is_command = False
"""Whether this process is a management command, whose statements take what they need.

``manage.py`` says so before the settings are read; the processes that serve never do.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """In seconds; 0 means none."""

    statement: int
    lock: int
    idle_in_transaction: int
    connect: int


def configure(database: dict[str, Any], limits: Limits) -> None:
    """Complete one entry of ``DATABASES``. What its address says itself wins."""
    # Nonces and audit rows must outlive a refused request: no view runs in one transaction.
    database["ATOMIC_REQUESTS"] = False
    database["CONN_MAX_AGE"] = None  # one connection per thread, kept
    if database["ENGINE"].endswith("sqlite3"):
        database["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",  # read, then write: never a deadlock
            "timeout": limits.lock or FOR_EVER_SECONDS,  # SQLite would not wait at all
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;PRAGMA foreign_keys=ON;"
            ),
        }
    else:
        _configure_postgres(database, limits)


def configure_cache(cache: dict[str, Any], seconds: float) -> None:
    """Complete one entry of ``CACHES``. What its address says itself wins."""
    if cache["BACKEND"].endswith("RedisCache"):
        limits = {"socket_connect_timeout": seconds, "socket_timeout": seconds}
        cache["OPTIONS"] = limits | cache.get("OPTIONS", {})


def _configure_postgres(database: dict[str, Any], limits: Limits) -> None:
    if database["ENGINE"] == "django.db.backends.postgresql":
        database["ENGINE"] = ENGINE
    database["CONN_HEALTH_CHECKS"] = True
    statement = 0 if is_command else limits.statement
    idle = 0 if is_command else limits.idle_in_transaction
    if statement:
        database["LONGEST_WAIT_SECONDS"] = statement + MARGIN_SECONDS
    given = database.get("OPTIONS", {})
    session = {
        "statement_timeout": statement,
        "lock_timeout": limits.lock,
        "idle_in_transaction_session_timeout": idle,
    }
    ours = " ".join(f"-c {name}={seconds}s" for name, seconds in session.items())
    database["OPTIONS"] = {
        # Statements that ask to be prepared on the server may be; Django forbids it unless
        # told otherwise, and psycopg then ignores ``prepare=True`` without a word.
        "prepare_threshold": 5,
        "connect_timeout": limits.connect,
        **given,
        "options": f"{ours} {given.get('options', '')}".rstrip(),  # the last one holds
    }
