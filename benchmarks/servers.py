"""Start and stop the measured servers: ours by waitress, yardsticks by granian."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from benchmarks import processes

WORKERS: Final = 2
START_SECONDS: Final = 60
STOP_SECONDS: Final = 15
OURS: Final = "config.serving"
"""The server object of the product."""
DJANGO: Final = "config.wsgi:application"
"""Django's own, for yardsticks with settings of their own."""
PUBLIC_URL: Final = "http://calendar.example"
"""Where the measured servers believe to be; the addresses in their answers."""

# Throwaway values: the databases live as long as the run.
ENVIRONMENT: Final = {
    "READ_DOT_ENV": "0",
    "DEMO": "0",
    "DEBUG": "0",
    "SECRET_KEY": "benchmark-only-" + "0123456789abcdef" * 3,
    "ENCRYPTION_KEYS": "YmVuY2htYXJrLW9ubHktMzItYnl0ZXMtbG9uZy1rZXk=",
    "PUBLIC_URL": PUBLIC_URL,
    "ALLOWED_HOSTS": "127.0.0.1,calendar.example",
    "LOG_LEVEL": "ERROR",
    "ACCESS_LOG": "0",  # as behind the shipped nginx
    "MALLOC_ARENA_MAX": "2",  # as `serve` sets it
    "PYTHONWARNINGS": "ignore",  # no static files are served here
}
LIMITS: Final = (
    "STATEMENT_TIMEOUT_SECONDS",
    "LOCK_TIMEOUT_SECONDS",
    "IDLE_IN_TRANSACTION_TIMEOUT_SECONDS",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running server: its port and the process whose tree it is."""

    name: str
    port: int
    pid: int

    def worker_mebibytes(self) -> list[float]:
        """Return the resident memory of each worker."""
        return [
            processes.resident_mebibytes(pid)
            for pid in sorted(processes.tree(self.pid))
            if processes.parent(pid) == self.pid
        ]


def environment(
    database_url: str, settings: str = "config.settings", **variables: str
) -> dict[str, str]:
    """Return the environment of a measured process."""
    inherited = ("PATH", "HOME", "LANG")
    return {
        **{name: os.environ[name] for name in inherited if name in os.environ},
        **ENVIRONMENT,
        "DATABASE_URL": database_url,
        "DJANGO_SETTINGS_MODULE": settings,
        **variables,
    }


def patient(database_url: str, settings: str = "config.settings") -> dict[str, str]:
    """Return the environment of what may take longer than any request."""
    return environment(database_url, settings, **dict.fromkeys(LIMITS, "0"))


@contextlib.contextmanager
def serving(
    name: str, port: int, variables: Mapping[str, str], application: str
) -> Iterator[Server]:
    """Serve ``application`` with two workers, and stop it after.

    Yardsticks are WSGI applications with one blocking thread for each worker. Raises
    ``RuntimeError`` when nothing listens in time.
    """
    of_yardsticks = (
        *("granian", application, "--interface", "wsgi", "--blocking-threads", "1"),
        *("--no-ws", "--log-level", "warning", "--host", "127.0.0.1"),
        *("--port", str(port), "--workers", str(WORKERS)),
    )
    module = (OURS,) if application == OURS else of_yardsticks
    process = subprocess.Popen(  # noqa: S603 -- our own server
        [sys.executable, "-m", *module],
        env={**variables, "PORT": str(port), "WORKERS": str(WORKERS)},
        start_new_session=True,
    )
    try:
        _await(port, process)
        yield Server(name=name, port=port, pid=process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server on port {port} ended with {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    raise RuntimeError(f"nothing listens on port {port} after {START_SECONDS} s")
