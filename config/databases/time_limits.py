"""How long databases and cache may take: options of connections (docs/operations.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import ImproperlyConfigured

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

    def of_session(self) -> dict[str, str]:
        """Return those that PostgreSQL keeps, as values of its settings."""
        return {
            "statement_timeout": f"{self.statement}s",
            "lock_timeout": f"{self.lock}s",
            "idle_in_transaction_session_timeout": f"{self.idle_in_transaction}s",
        }


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


def pool_entry(database: dict[str, Any]) -> dict[str, Any]:
    """Return an entry that leads to PgBouncer, when its time limits have a place.

    That is the role. Raises ``ImproperlyConfigured`` without one, or for another database.
    """
    if not database["ENGINE"].endswith("postgresql") or not database["USER"]:
        raise ImproperlyConfigured(
            "DATABASE_POOL_URL must be a postgres:// address with a user."
        )
    return database


def configure_pooled(
    database: dict[str, Any], behind: dict[str, Any], *, prepares: bool
) -> None:
    """Complete an entry that leads to PgBouncer in transaction mode, after ``configure``.

    ``behind`` is the entry of the same database without it.

    Each transaction may run on another connection, so nothing may be kept on one: no
    cursor, no setting, and no prepared statement unless PgBouncer knows them (``prepares``:
    from version 1.21 on, with ``max_prepared_statements``). PgBouncer refuses ``options``;
    the time limits are defaults of the role instead (``manage.py serve`` sets them).
    """
    database["DISABLE_SERVER_SIDE_CURSORS"] = True
    # A socket's directory is an option of the address.
    given = behind.get("OPTIONS", {})
    database["BEHIND_POOL"] = {
        name: given.get(name) or behind[name.upper()] for name in ("host", "port")
    }
    options = database["OPTIONS"]
    del options["options"]
    if not prepares:
        options["prepare_threshold"] = None


def configure_cache(cache: dict[str, Any], seconds: float) -> None:
    """Complete one entry of ``CACHES``. What its address says itself wins."""
    if cache["BACKEND"].endswith("RedisCache"):
        limits = {"socket_connect_timeout": seconds, "socket_timeout": seconds}
        cache["OPTIONS"] = limits | cache.get("OPTIONS", {})


def _configure_postgres(database: dict[str, Any], limits: Limits) -> None:
    if database["ENGINE"] == "django.db.backends.postgresql":
        database["ENGINE"] = ENGINE
    database["CONN_HEALTH_CHECKS"] = True
    if is_command:
        limits = replace(limits, statement=0, idle_in_transaction=0)
    if limits.statement:
        database["LONGEST_WAIT_SECONDS"] = limits.statement + MARGIN_SECONDS
    given = database.get("OPTIONS", {})
    ours = " ".join(f"-c {name}={value}" for name, value in limits.of_session().items())
    database["OPTIONS"] = {
        # Statements that ask to be prepared on the server may be; Django forbids it unless
        # told otherwise, and psycopg then ignores ``prepare=True`` without a word.
        "prepare_threshold": 5,
        "connect_timeout": limits.connect,
        **given,
        "options": f"{ours} {given.get('options', '')}".rstrip(),  # the last one holds
    }
