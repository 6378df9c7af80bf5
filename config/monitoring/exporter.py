"""``/metrics``, on a port of its own (``METRICS_PORT``).

Every worker process listens there, on a thread beside the requests, and the kernel
chooses one (``SO_REUSEPORT``): each of them answers with the sums of all. So a scrape
waits for no request, needs no further process, and goes on when a worker dies.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import CollectorRegistry, Metric, make_wsgi_app
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from config.monitoring import files, metrics
from config.monitoring.figures import FiguresCollector

CLIENT_SECONDS = 10.0
"""Seconds that a client has to send its request and to read the answer."""


class ProcessesCollector(Collector):
    """What all worker processes have counted, those that died included."""

    def __init__(self, directory: str) -> None:
        """Read the files of a directory at each scrape."""
        self._directory = Path(directory)
        self._collector = MultiProcessCollector(None, directory)

    def collect(self) -> Iterator[Metric]:
        """Return the sums."""
        with files.settled(self._directory):
            yield from self._collector.collect()


def registry() -> CollectorRegistry:
    """Return what a scrape collects.

    Outside of ``manage.py serve`` there are no files: a process tells of itself alone.
    """
    found = CollectorRegistry()
    directory = os.environ.get(files.VARIABLE)
    found.register(ProcessesCollector(directory) if directory else metrics.REGISTRY)
    found.register(FiguresCollector())
    return found


class _Handler(WSGIRequestHandler):
    timeout = CLIENT_SECONDS

    def log_message(self, *_arguments: Any) -> None:
        """Log nothing: a scrape comes every few seconds."""


class _Server(WSGIServer):
    """Answers one request at a time; only the monitoring calls it."""

    allow_reuse_port = True

    def server_bind(self) -> None:
        """Bind without asking for the name of the address, which may take seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "metrics", self.server_address[1]
        self.setup_environ()

    def handle_error(self, *_arguments: Any) -> None:
        """Say nothing of a client that left."""


class _Server6(_Server):
    address_family = socket.AF_INET6


def start(host: str, port: int) -> WSGIServer:
    """Serve in a thread. Raises ``OSError`` when the address cannot be listened on."""
    kind = _Server6 if ":" in host else _Server
    server = kind((host.strip("[]"), port), _Handler)
    server.set_app(make_wsgi_app(registry()))
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    return server
