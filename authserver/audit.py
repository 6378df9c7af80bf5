"""The append-only record of what happened: one function writes it, one prunes it."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from django.db import connections, router, transaction

from authserver.models import AuditEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.backends.base.base import BaseDatabaseWrapper

guard_open: ContextVar[bool] = ContextVar("audit_guard_open", default=False)


@contextmanager
def pruning() -> Iterator[None]:
    """Open the database's guard: this connection may delete audit events, in a transaction.

    Only ``clear_expired`` uses it.
    """
    alias = router.db_for_write(AuditEvent)
    token = guard_open.set(True)
    try:
        with transaction.atomic(using=alias):
            connection = connections[alias]
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute("SET LOCAL authserver.audit_pruning = 'on'")
            yield
    finally:
        guard_open.reset(token)


def install_sqlite_guard(connection: BaseDatabaseWrapper, **_kwargs: Any) -> None:
    """Give SQLite the function that the guard on deletes asks (``connection_created``)."""
    if connection.vendor == "sqlite":
        connection.connection.create_function(
            "authserver_audit_pruning", 0, lambda: int(guard_open.get())
        )
