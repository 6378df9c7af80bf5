"""The backend that ``ENGINE`` names: connections that give up on a silent server."""

from __future__ import annotations

from time import monotonic
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import psycopg
from django.db.backends.postgresql import base

from platform_errors.postgresql.liveness import Server, server_at

if TYPE_CHECKING:
    from collections.abc import Generator

PATIENCE_SECONDS = 1.5
"""How long an answer may take before the server is asked whether it lives."""
DEFAULT_PORT = 5432


class Connection(psycopg.Connection[Any]):
    """A connection that looks after its server while it waits.

    psycopg lets every wait go through ``wait``: statements, COPY, cursors on the server,
    commits. A slow statement is waited for as long as the server lives, unless
    ``longest_wait`` (seconds) is set: storage that hangs stops the server's own limits too.
    """

    server: Server | None = None
    longest_wait: float | None = None

    def wait(self, gen: Any, *args: Any, **options: Any) -> Any:
        """Wait for an answer. Raises ``OperationalError`` when the server is silent."""
        if self.server is None:  # while it is being made
            return super().wait(gen, *args, **options)
        if self.server.is_silent:
            self.server.require_answer()
        return super().wait(self._watched(gen, self.server), *args, **options)

    def _watched(
        self, gen: Generator[Any, Any, Any], server: Server
    ) -> Generator[Any, Any, Any]:
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
                    self._require_life(server, now - silent_since)
                    look_at = now + PATIENCE_SECONDS
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value

    def _require_life(self, server: Server, waited: float) -> None:
        """Close the connection and raise when there is nothing to wait for any more."""
        try:
            server.require_answer()
        except psycopg.OperationalError:
            self.close()
            raise
        if self.longest_wait is not None and waited > self.longest_wait:
            self.close()
            raise psycopg.OperationalError("the statement was not answered in time")


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper, which makes connections of our class.

    ``LONGEST_WAIT_SECONDS`` in the database's settings is their ``longest_wait``.
    """

    # Django takes ``connect`` and the classes of errors from this module.
    Database = SimpleNamespace(  # type: ignore[assignment]  # a module in the stubs
        **vars(psycopg) | {"connect": Connection.connect}
    )

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect. Raises at once when the server fell silent a moment ago."""
        host, port = conn_params.get("host", ""), conn_params.get("port", DEFAULT_PORT)
        if host and "," not in host:
            # A login may be tried at several addresses, each with a time limit of its own.
            server_at(host, int(port)).require_answer()
        connection = super().get_new_connection(conn_params)
        # By its name, which may lead to another machine after a failover.
        connection.server = server_at(connection.info.host, connection.info.port)
        connection.longest_wait = self.settings_dict.get("LONGEST_WAIT_SECONDS")
        return connection
