"""Whether a PostgreSQL server still answers, known to all threads of the process."""

from __future__ import annotations

import socket
import struct
from contextlib import closing
from threading import Lock
from time import monotonic

import psycopg

FRESH_SECONDS = 1.0
"""How long what was learnt about a server counts."""
PROBE_SECONDS = 1.0
_SSL_REQUEST = struct.pack("!ii", 8, 80877103)


class Server:
    """One server: asked at most once a second, by one thread for all.

    The question is the first message of the protocol (SSLRequest), which a server answers
    with one byte before anybody logs in.
    """

    def __init__(self, host: str, port: int) -> None:
        """Take it for alive. ``host`` is a name, an address or a socket's directory."""
        self.host, self.port = host, port
        self.is_silent = False
        self.has_answered = False
        self._asked_at = -FRESH_SECONDS
        self._lock = Lock()

    def require_answer(self) -> None:
        """Raise ``psycopg.OperationalError`` unless the server answers.

        While it is silent, whoever comes when another thread is asking already does not
        wait for the outcome.
        """
        if self._lock.acquire(blocking=not self.is_silent):
            try:
                if monotonic() - self._asked_at >= FRESH_SECONDS:
                    self.is_silent = not self._answers()
                    self.has_answered |= not self.is_silent
                    self._asked_at = monotonic()
            finally:
                self._lock.release()
        if self.is_silent:
            raise psycopg.OperationalError("the database server does not answer")

    def is_within_reach(self) -> bool:
        """Return whether it has ever answered. Raises when it has, and does not now."""
        try:
            self.require_answer()
        except psycopg.OperationalError:
            if self.has_answered:
                raise
        return self.has_answered

    def _answers(self) -> bool:
        try:
            with closing(self._connect()) as probe:
                probe.sendall(_SSL_REQUEST)
                return bool(probe.recv(1))
        except OSError:
            return False

    def _connect(self) -> socket.socket:
        if not self.host.startswith("/"):
            return socket.create_connection((self.host, self.port), PROBE_SECONDS)
        probe = socket.socket(socket.AF_UNIX)
        try:
            probe.settimeout(PROBE_SECONDS)
            probe.connect(f"{self.host}/.s.PGSQL.{self.port}")
        except OSError:
            probe.close()
            raise
        return probe


_servers: dict[tuple[str, int], Server] = {}


def server_at(host: str, port: int) -> Server:
    """Return the one object that stands for a server in this process."""
    return _servers.setdefault((host, port), Server(host, port))
