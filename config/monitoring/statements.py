"""Statements: how long each took, and which the database did not carry out.

By Django's own means, a wrapper of the connection.
"""

import threading
from collections.abc import Callable, Mapping
from functools import cache
from time import perf_counter
from typing import Any
from weakref import WeakSet

from django.conf import settings
from django.db import Error
from django.db.backends.base.base import BaseDatabaseWrapper

from config.monitoring import metrics
from platform_errors.errors.handler import is_lock_timeout, is_unavailable, sqlstate

_QUERY_CANCELED = "57014"
"""PostgreSQL's code."""
_watched: WeakSet[BaseDatabaseWrapper] = WeakSet()
_lock = threading.Lock()


def watch(connection: BaseDatabaseWrapper, **_kwargs: Any) -> None:
    """Time the statements of a connection that was made (``connection_created``)."""
    metrics.connections_made.labels(connection.alias).inc()
    with _lock:
        _watched.add(connection)
    if timed not in connection.execute_wrappers:
        # First, for Django takes the last away when a block with a wrapper ends.
        connection.execute_wrappers.insert(0, timed)


def timed(
    execute: Callable[..., Any],
    statement: Any,
    parameters: Any,
    many: bool,  # noqa: FBT001 -- Django's signature
    context: Mapping[str, Any],
) -> Any:
    """Execute a statement. Raises what that raises."""
    started = perf_counter()
    try:
        return execute(statement, parameters, many, context)
    except Error as error:
        if kind := _kind(error):
            metrics.statement_failures.labels(kind).inc()
        raise
    finally:
        seconds = perf_counter() - started
        _observe(context["connection"].alias)(seconds)


@cache
def _observe(alias: str) -> Callable[[float], None]:
    # Finding the child by its label costs as much as counting.
    return metrics.statement_seconds.labels(alias).observe


def open_connections() -> dict[str, int]:
    """Return how many connections of this process are open, by database."""
    found = dict.fromkeys(settings.DATABASES, 0)
    with _lock:
        for connection in _watched:
            is_open = connection.connection is not None
            found[connection.alias] = found.get(connection.alias, 0) + is_open
    return found


def _kind(error: Error) -> str:
    """Return the label of a failure; empty for what is the statement's own fault."""
    if sqlstate(error) == _QUERY_CANCELED:
        return "statement_timeout"
    if is_lock_timeout(error):
        return "lock_timeout"
    return "unavailable" if is_unavailable(error) else ""
