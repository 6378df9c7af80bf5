"""The backend that ``ENGINE`` names: connections that give up on a silent server."""

from __future__ import annotations

from time import monotonic
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import psycopg
from django.db.backends.postgresql import base

from platform_errors.postgresql.liveness import Server, server_at

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

PATIENCE_SECONDS = 1.5
"""How long an answer may take before the server is asked whether it lives."""
DEFAULT_PORT = 5432


class Connection(psycopg.Connection[Any]):
    """A connection that looks after its server while it waits.

    psycopg lets every wait go through ``wait``: statements, COPY, cursors on the server,
    commits. A slow statement is waited for as long as the server lives, unless
    ``longest_wait`` (seconds) is set: storage that hangs stops the server's own limits too.
    """

    servers: tuple[Server, ...] = ()
    longest_wait: float | None = None

    def wait(self, gen: Any, *args: Any, **options: Any) -> Any:
        """Wait for an answer. Raises ``OperationalError`` when a server is silent."""
        if not self.servers:  # while it is being made
            return super().wait(gen, *args, **options)
        for server in self.servers:
            if server.is_silent:
                server.require_answer()
        return super().wait(self._watched(gen), *args, **options)

    def _watched(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Pass a wait on; look at the clock only when an interval passed in silence."""
        silent_since = look_at = 0.0
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready:
                    look_at = 0.0
                elif not look_at:
                    silent_since = monotonic()
                    look_at = silent_since + PATIENCE_SECONDS
                elif (now := monotonic()) >= look_at:
                    self._require_life(now - silent_since)
                    look_at = now + PATIENCE_SECONDS
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value

    def _require_life(self, waited: float) -> None:
        """Close the connection and raise when there is nothing to wait for any more."""
        try:
            for server in self.servers:
                server.require_answer()
        except psycopg.OperationalError:
            self.close()
            raise
        if self.longest_wait is not None and waited > self.longest_wait:
            self.close()
            raise psycopg.OperationalError("the statement was not answered in time")


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper, which makes connections of our class.

    In the database's settings ``LONGEST_WAIT_SECONDS`` is their ``longest_wait``, and
    ``BEHIND_POOL`` the ``host`` and the ``port`` of the server behind PgBouncer, which
    itself goes on answering when that one does not.
    """

    # Django takes ``connect`` and the classes of errors from this module.
    Database = SimpleNamespace(  # type: ignore[assignment]  # a module in the stubs
        **vars(psycopg) | {"connect": Connection.connect}
    )

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect. Raises at once when the server fell silent a moment ago."""
        # A login may be tried at several addresses, each with a time limit of its own.
        for server in _servers_at(conn_params):
            server.require_answer()
        # Where only the pool may reach it, nothing can be said about it.
        behind = _servers_at(self.settings_dict.get("BEHIND_POOL", {}))
        watched = [server for server in behind if server.is_within_reach()]
        connection = super().get_new_connection(conn_params)
        # By its name, which may lead to another machine after a failover.
        reached = server_at(connection.info.host, connection.info.port)
        connection.servers = (reached, *watched)
        connection.longest_wait = self.settings_dict.get("LONGEST_WAIT_SECONDS")
        return connection


def _servers_at(parameters: Mapping[str, Any]) -> tuple[Server, ...]:
    """Return the server of a connection's parameters, or none when libpq is to choose."""
    host = parameters.get("host") or ""
    if not host or "," in host:
        return ()
    return (server_at(host, int(parameters.get("port") or DEFAULT_PORT)),)
