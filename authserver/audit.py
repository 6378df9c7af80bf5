"""The append-only record of what happened: how it is written, and pruned."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any

from django.db import connections, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from authserver.models import AuditEvent, User
from platform_errors.errors.base import printable
from platform_errors.http.client_address import current_client_address
from platform_errors.http.request_id import STORED_CHARACTERS, current_request_id

guard_open: ContextVar[bool] = ContextVar("audit_guard_open", default=False)


def record(  # noqa: PLR0913 -- who, to whom, with what, why
    action: AuditEvent.Action,
    *,
    actor: str = "",
    subject: str = "",
    client_id: str = "",
    registry_id: str = "",
    reason: str = "",
    at: datetime | None = None,
    address: str | None = None,
    request_id: str | None = None,
    **details: str | int | bool | list[str] | None,
) -> None:
    """Write one event, in the caller's transaction if there is one.

    ``actor`` is who did it (a login, the key of a client, ``manage.py``), ``subject`` the
    login of the account that it concerns. Address and request identifier are those of the
    request being served, unless given; outside of one they are empty. ``details`` never
    holds a secret, a token or a code. Text that callers sent is cut, and rid of what a
    database cannot store: recording a failed login must not fail itself.
    """
    AuditEvent.objects.create(
        at=at or timezone.now(),
        action=action,
        actor=_storable(actor, 255),
        subject=_storable(subject, 200),
        client_id=_storable(client_id, 255),
        registry_id=_storable(registry_id, 32),
        reason=_storable(reason, 64),
        address=_storable(_or(address, current_client_address), 45),
        request_id=_storable(_or(request_id, current_request_id), STORED_CHARACTERS),
        details={
            name: _storable(value, 500) if isinstance(value, str) else value
            for name, value in details.items()
        },
    )


def record_account(
    action: AuditEvent.Action, user: User, *, actor: str | None = None, **more: Any
) -> None:
    """Write one event of an account, by its owner unless an actor is given.

    ``more`` is what ``record`` takes besides.
    """
    record(
        action,
        actor=user.login if actor is None else actor,
        subject=user.login,
        registry_id=user.institution.registry_id if user.institution else "",
        **more,
    )


def _or(given: str | None, current: Callable[[], str]) -> str:
    return current() if given is None else given


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
