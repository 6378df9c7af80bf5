"""``/metrics`` on a separate port (``METRICS_PORT``), served by prometheus-client.

The first worker process serves it, on a thread beside the requests. Worker processes count
in files, so that it can tell the sums of all, of those that died, too.
"""

import os
import tempfile
from typing import Final
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, start_wsgi_server
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from config.monitoring import metrics

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The library's; set for the worker processes before they import it."""
CLIENT_SECONDS: Final = 10.0
"""Seconds that a client has for each part of its request and of the answer."""


def make_directory() -> dict[str, str]:
    """Make a directory for the files; return the variables that lead to it.

    The server removes it when it ends.
    """
    return {VARIABLE: tempfile.mkdtemp(prefix="platform-metrics-")}


def forget_gauges_of(pid: int) -> None:
    """Take a process that died out of the gauges; what it counted stays."""
    if VARIABLE in os.environ:
        mark_process_dead(pid)


def registry() -> CollectorRegistry:
    """Return what a scrape collects.

    Outside of ``manage.py serve`` there are no files: each process reports itself only.
    """
    if VARIABLE not in os.environ:
        return metrics.REGISTRY
    sums = CollectorRegistry()
    MultiProcessCollector(sums)
    return sums


def start(host: str, port: int) -> WSGIServer:
    """Serve in a thread. Raises ``OSError`` when the address cannot be listened on."""
    server, _thread = start_wsgi_server(port, addr=host.strip("[]"), registry=registry())
    # Each connection has a thread beside those of the requests, and none would ever end.
    setattr(server.RequestHandlerClass, "timeout", CLIENT_SECONDS)  # noqa: B010 -- of socketserver
    return server
