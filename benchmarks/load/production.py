"""The production set-up on the loopback: server, worker, PostgreSQL, Redis."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psycopg

from benchmarks import processes, servers
from benchmarks.bench import free_port
from benchmarks.client import ask
from benchmarks.messages import get

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.databases import Cluster

READY: Final = "/health/ready"
START_SECONDS: Final = 120
STOP_SECONDS: Final = 30
ROOT: Final = Path(__file__).resolve().parent.parent.parent


@dataclass(slots=True)
class Production:
    """What runs, and how to stop and start each part of it."""

    cluster: Cluster
    url: str
    """Of the database."""
    directory: Path
    port: int
    redis_port: int
    parts: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def variables(self) -> dict[str, str]:
        """The environment of server and worker."""
        return servers.environment(
            self.url,
            PORT=str(self.port),
            WORKERS=str(servers.WORKERS),
            CACHE_URL=f"redis://127.0.0.1:{self.redis_port}/0",
            # Out of reach, so that every request is counted and none is refused.
            RATE_LIMIT_ADDRESS="1000000/minute",
            RATE_LIMIT_KEY="1000000/minute",
            EMBEDDED_WORKER="0",
            MEDIA_ROOT=str(self.directory / "media"),
            STATIC_ROOT=str(self.directory / "static"),
            LOG_LEVEL="WARNING",
        )

    def start(self, name: str) -> None:
        """Start ``server``, ``worker`` or ``redis``."""
        manage = [sys.executable, "manage.py"]
        commands = {
            "server": [*manage, "serve"],
            "worker": [*manage, "db_worker"],
            "redis": [
                *(shutil.which("redis-server") or "redis-server", "--bind", "127.0.0.1"),
                *("--port", str(self.redis_port), "--save", "", "--appendonly", "no"),
            ],
        }
        with (self.directory / f"{name}.log").open("ab") as log:
            self.parts[name] = subprocess.Popen(  # noqa: S603 -- our own commands
                commands[name],
                cwd=self.directory if name == "redis" else ROOT,
                env=self.variables,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def tree(self, name: str) -> list[int]:
        """Return the processes of a part, its first one first."""
        return processes.tree(self.parts[name].pid)

    def workers(self) -> list[int]:
        """Return the processes that answer requests."""
        supervisor, *others = self.tree("server")
        grown = [pid for pid in others if processes.parent(pid) != supervisor]
        return sorted(grown)

    def kill(self, name: str) -> None:
        """End a part and all that it started, as losing its machine does."""
        for pid in self.tree(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.parts[name].wait()

    def stop(self, name: str) -> None:
        """Ask a part to end, and wait for it."""
        process = self.parts[name]
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill(name)

    def await_ready(self) -> None:
        """Wait until the server says that it is ready; raise ``RuntimeError`` if never."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError, EOFError):
                if ask(self.port, get(READY)).status == 200:
                    return
            time.sleep(0.2)
        raise RuntimeError((self.directory / "server.log").read_text()[-2000:])

    def dead(self) -> list[str]:
        """Return which parts do not run."""
        return [name for name, process in self.parts.items() if process.poll() is not None]

    def memory(self) -> list[float]:
        """Return the mebibytes of each process that answers requests."""
        found = []
        for pid in self.workers():
            with contextlib.suppress(OSError, ProcessLookupError):
                found.append(processes.resident_mebibytes(pid))
        return found

    def connections(self) -> int:
        """Return how many connections the database has, ours aside."""
        with psycopg.connect(self.url) as connection:
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            ).fetchone()
        return int(row[0]) if row else 0


@contextlib.contextmanager
def running(cluster: Cluster, url: str, first_port: int) -> Iterator[Production]:
    """Start everything, and stop it after; raise ``RuntimeError`` if it does not start."""
    port = free_port(first_port)
    with tempfile.TemporaryDirectory() as scratch:
        made = Production(
            cluster=cluster,
            url=url,
            directory=Path(scratch),
            port=port,
            redis_port=free_port(port + 1),
        )
        try:
            for name in ("redis", "server", "worker"):
                made.start(name)
            made.await_ready()
            yield made
        finally:
            for name, process in made.parts.items():
                if process.poll() is None:
                    made.stop(name)
