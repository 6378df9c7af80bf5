"""``/health/live`` and ``/health/ready``, for whatever starts and watches the processes."""

import logging
from collections.abc import Callable

from django.core.cache import cache
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from config.http.headers import ALWAYS, NOTHING

logger = logging.getLogger(__name__)
LIVE, READY = "/health/live", "/health/ready"


class HealthMiddleware:
    """Answer the two addresses before anything else does.

    Probes send the address of a container as ``Host``, come over plain http and often, and
    have no cookies: what stands behind would refuse, redirect or count them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        """Keep the rest of the chain."""
        self.get_response = get_response
        self._is_migrated = False

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer 200 or 503, or pass on what is for somebody else."""
        if request.path_info not in {LIVE, READY}:
            return self.get_response(request)
        if request.method not in {"GET", "HEAD"}:
            return _answer(405, "method not allowed", Allow="GET, HEAD")
        if request.path_info == READY and not self._is_ready():
            return _answer(503, "unavailable", **{"Retry-After": "2"})
        return _answer(200, "ok")

    def _is_ready(self) -> bool:
        """Return whether the database, its tables and the cache can be used."""
        try:
            self._require_database()
            cache.get("health")
        except Exception as error:  # noqa: BLE001 -- whatever a database or a cache raises
            logger.warning("Not ready: %s", error)
            return False
        return True

    def _require_database(self) -> None:
        """Raise unless the database answers and every migration was applied to it.

        Applied migrations stay applied, so they are looked for until they are there.
        """
        connection = connections[DEFAULT_DB_ALIAS]
        if self._is_migrated:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            return
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise RuntimeError("migrations are missing")
        self._is_migrated = True


def _answer(status: int, text: str, **headers: str) -> HttpResponse:
    return HttpResponse(
        f"{text}\n",
        status=status,
        content_type="text/plain; charset=utf-8",
        headers={
            "Cache-Control": "no-store",
            "Content-Security-Policy": NOTHING,
            **ALWAYS,
            **headers,
        },
    )
