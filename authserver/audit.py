"""The append-only record of what happened: how it is written, and pruned."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from django.db import connections, router, transaction
from django.utils import timezone

from authserver.models import AuditEvent
from platform_errors.exceptions import printable
from platform_errors.request_id import current_request_id

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from django.db.backends.base.base import BaseDatabaseWrapper

    from authserver.models import User

guard_open: ContextVar[bool] = ContextVar("audit_guard_open", default=False)


def record(  # noqa: PLR0913 -- who, with what, for whom, from where
    action: AuditEvent.Action,
    *,
    login: str = "",
    client_id: str = "",
    registry_id: str = "",
    address: str = "",
    at: datetime | None = None,
    **details: str | int | bool | list[str] | None,
) -> None:
    """Write one event, in the caller's transaction if there is one.

    ``details`` never holds a secret, a token or a code. Text that callers sent is cut, and
    rid of what a database cannot store: recording a failed login must not fail itself.
    """
    AuditEvent.objects.create(
        at=at or timezone.now(),
        action=action,
        login=_storable(login, 200),
        client_id=_storable(client_id, 255),
        registry_id=_storable(registry_id, 32),
        address=_storable(address, 45),
        request_id=_storable(current_request_id(), 64),
        details={
            name: _storable(value, 500) if isinstance(value, str) else value
            for name, value in details.items()
        },
    )


def record_account(
    action: AuditEvent.Action, user: User, *, address: str | None, **more: Any
) -> None:
    """Write one event of an account; ``more`` is what ``record`` takes besides."""
    record(
        action,
        login=user.login,
        registry_id=user.institution.registry_id if user.institution else "",
        address=address or "",
        **more,
    )


def _storable(text: str, length: int) -> str:
    return printable(text[:length]).replace("\x00", "\ufffd")


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
