"""When a key was last used, and why requests with it were refused of late.

Kept cheaply: a process writes the use of a key once a minute at most and no more than a few
refusals, waits for no lock, and leaves the answer alone whatever happens here. Nothing says
from where: the audit record does, for what it records.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.db import Error, connections, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Q
from django.dispatch import receiver
from django.utils import timezone

from authserver.conf import conf
from authserver.crypto import opaque
from authserver.keys.store import is_storable
from authserver.models import KeyRefusal, ServiceKey
from platform_errors.errors import signals
from platform_errors.errors.catalogue import KeyInvalid
from platform_errors.http.request_id import stored_request_id
from platform_errors.logging.circuit_breaker import CircuitBreaker

WINDOW_SECONDS = 60
REFUSALS_PER_WINDOW = 10
"""Rows that one process writes of one key within the window."""
MOST_KEYS = 10_000
"""Keys that a process remembers."""
ABOUT_THE_KEY = frozenset({400, 401, 403, 429})
"""Statuses, besides redirects and pages, of refusals that say something about the key; what
was not found or had changed meanwhile does not."""

LOCK_MILLISECONDS = 100
STATEMENT_MILLISECONDS = 1000

# Nobody misses the last of these writes after a crash, so none waits for the disk.
_LIMITS = f"""
SELECT set_config('lock_timeout', '{LOCK_MILLISECONDS}ms', true),
    set_config('statement_timeout', '{STATEMENT_MILLISECONDS}ms', true),
    set_config('synchronous_commit', 'off', true)
"""


outage = CircuitBreaker("The use of keys was not recorded")
written = LocMemCache("keys.activity", {"max_entries": MOST_KEYS})
"""What this process has written of late, by Django's cache within the process."""


@receiver(signals.key_used)
def record_use(client_id: str, **_kwargs: Any) -> None:
    """Note that a key was used now, unless that was written a moment ago."""
    every = conf.key_use_seconds
    if not every or not written.add(f"use-{opaque.digest(client_id)}", 1, every):
        return
    moment = timezone.now()
    # Another process may have written it meanwhile.
    is_old = Q(last_used_at__lte=moment - timedelta(seconds=every))
    key = ServiceKey.objects.filter(Q(last_used_at=None) | is_old, client_id=client_id)
    _try(lambda: key.update(last_used_at=moment))


@receiver(signals.request_refused)
def record_refusal(
    *,
    client_id: str,
    reason: str,
    status_code: int,
    method: str,
    path: str,
    **_kwargs: Any,
) -> None:
    """Keep why a request was refused, if the key exists; the oldest make place."""
    is_about_key = status_code < 400 or status_code in ABOUT_THE_KEY
    if not conf.key_refusals or not is_about_key or reason == KeyInvalid.default_code:
        return
    if not is_storable(client_id) or not _is_within_rate(client_id):
        return
    refusal = KeyRefusal(
        reason=reason[:64],
        status_code=status_code,
        method=method[:16],
        path=path[:200],
        request_id=stored_request_id(),
    )
    _try(lambda: _keep(client_id, refusal))


def _keep(client_id: str, refusal: KeyRefusal) -> None:
    key = ServiceKey.objects.filter(client_id=client_id).only("pk").first()
    if key is None:
        return
    refusal.key = key
    refusal.save(force_insert=True)
    newest = KeyRefusal.objects.filter(key=key).order_by("-pk")
    too_many = newest.values("pk")[conf.key_refusals :]
    KeyRefusal.objects.filter(pk__in=too_many).delete()


def _is_within_rate(client_id: str) -> bool:
    name = f"refusals-{opaque.digest(client_id)}"
    if written.add(name, 1, WINDOW_SECONDS):
        return True
    try:
        return written.incr(name) <= REFUSALS_PER_WINDOW
    except ValueError:  # the window ended this moment
        return True


def _try(write: Callable[[], object]) -> None:
    """Write, unless the database is away, busy or read-only."""
    if outage.is_open():
        return
    try:
        with _bounded_write(router.db_for_write(ServiceKey)):
            write()
    except Error as error:
        outage.trip(error)


@contextmanager
def _bounded_write(alias: str) -> Iterator[None]:
    """Run a small transaction that waits for no lock longer than a tenth of a second.

    Raises ``django.db.Error`` when that is not enough; then nothing was written.
    """
    connection = connections[alias]
    if connection.vendor != "sqlite":
        with transaction.atomic(using=alias):
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(_LIMITS)
            yield
        return
    before = _busy_timeout(connection)
    _set_busy_timeout(connection, LOCK_MILLISECONDS)
    try:
        with transaction.atomic(using=alias):
            yield
    finally:
        _set_busy_timeout(connection, before)


def _busy_timeout(connection: BaseDatabaseWrapper) -> int:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        return int(cursor.fetchone()[0])


def _set_busy_timeout(connection: BaseDatabaseWrapper, milliseconds: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")
