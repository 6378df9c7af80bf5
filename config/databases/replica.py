"""Anonymous reads of the calendar from a replica (``DATABASE_REPLICA_URL``).

Callers with credentials read the primary, so that a client always finds what it has just
written; a nonce could not be claimed on a replica anyway. A replica that fails is left
alone for some seconds, and the primary answers in its place.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.db import Error, connections
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from platform_errors.errors import handler
from platform_errors.logging.circuit_breaker import CircuitBreaker

PRIMARY, REPLICA = "default", "replica"
STATEMENT_CANCELED = "57014"
_reads_replica: ContextVar[bool] = ContextVar("reads_replica", default=False)


outage = CircuitBreaker("The replica failed, the primary is read instead")


class ReplicaMiddleware:
    """Mark the requests that may be answered from the replica.

    Stands last, so that a request that the replica failed is answered again by its view
    alone.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        """Keep the rest of the chain."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve under the mark."""
        token = _reads_replica.set(may_read_replica(request) and not outage.is_open())
        try:
            return self.get_response(request)
        finally:
            _reads_replica.reset(token)

    def process_exception(
        self, request: HttpRequest, error: Exception
    ) -> HttpResponseBase | None:
        """Answer from the primary what the replica could not."""
        if not is_of_replica(error):
            return None
        outage.trip(error)
        connections[REPLICA].close()
        _reads_replica.set(False)
        return self.get_response(request)


def handle(exc: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """Leave what the replica failed to the middleware (DRF's ``EXCEPTION_HANDLER``)."""
    return None if is_of_replica(exc) else handler.handle(exc, context)


def is_of_replica(error: Exception) -> bool:
    """Return whether the primary may know better: the replica is away, or behind.

    A replica that is behind may have yet to learn of a table, or stop a read that is in
    the way of what it learns. A statement that took too long would do so again.
    """
    return (
        _reads_replica.get()
        and isinstance(error, Error)
        and handler.sqlstate(error) != STATEMENT_CANCELED
    )


def may_read_replica(request: HttpRequest) -> bool:
    """Return whether this is an anonymous read of the events interface."""
    return (
        request.method in {"GET", "HEAD"}
        and request.path.startswith(f"{settings.CALENDAR_EVENTS['ROOT_PATH']}/")
        and "HTTP_AUTHORIZATION" not in request.META
    )


class ReplicaRouter:
    """Send marked reads of the calendar to the replica, all else to the primary."""

    def db_for_read(self, model: type[Model], **_hints: Any) -> str:
        """Return the connection to read a model from."""
        is_calendar = model._meta.app_label == "calendar_events"
        return REPLICA if is_calendar and _reads_replica.get() else PRIMARY

    def db_for_write(self, _model: type[Model], **_hints: Any) -> str:
        """Return the connection to write a model to."""
        return PRIMARY

    def allow_relation(self, _one: Model, _other: Model, **_hints: Any) -> bool:
        """Return whether two rows may be related: both databases hold the same rows."""
        return True

    def allow_migrate(self, db: str, _app_label: str, **_hints: Any) -> bool:
        """Return whether to migrate a database; replication does the replica's."""
        return db == PRIMARY
