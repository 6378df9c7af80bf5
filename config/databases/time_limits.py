"""How long databases and cache may take: options of connections (docs/operations.md)."""

from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import ImproperlyConfigured

MARGIN_SECONDS = 5
"""How much longer than the statement limit an answer is waited for."""
FOR_EVER_SECONDS = 24 * 3600
UNREACHABLE_SECONDS = 5
"""Without a sign of the server's kernel."""


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


def of_commands(limits: Limits) -> Limits:
    """Return the limits of management commands, whose statements take what they need."""
    return replace(limits, statement=0, idle_in_transaction=0)


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


def configure_pooled(database: dict[str, Any], *, prepares: bool) -> None:
    """Complete an entry that leads to PgBouncer in transaction mode, after ``configure``.

    Each transaction may run on another connection, so nothing may be kept on one: no
    cursor, no setting, and no prepared statement unless PgBouncer knows them (``prepares``:
    from version 1.21 on, with ``max_prepared_statements``). PgBouncer refuses ``options``;
    the time limits are defaults of the role instead (``manage.py serve`` sets them).
    """
    database["DISABLE_SERVER_SIDE_CURSORS"] = True
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
    database["CONN_HEALTH_CHECKS"] = True
    if limits.statement:
        database["ANSWER_SECONDS"] = limits.statement + MARGIN_SECONDS
    given = database.get("OPTIONS", {})
    ours = " ".join(f"-c {name}={value}" for name, value in limits.of_session().items())
    database["OPTIONS"] = {
        # Lists take half the time (review of performance, client binding +88 %).
        "server_side_binding": True,
        "prepare_threshold": 5,
        "connect_timeout": limits.connect,
        # A server that is gone or cut off: libpq's own way to notice.
        "tcp_user_timeout": UNREACHABLE_SECONDS * 1000,
        "keepalives_idle": UNREACHABLE_SECONDS,
        "keepalives_interval": 1,
        **given,
        "options": f"{ours} {given.get('options', '')}".rstrip(),  # the last one holds
    }
