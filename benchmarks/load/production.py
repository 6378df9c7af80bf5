"""The production set-up: nginx, server, worker, PgBouncer, PostgreSQL, Redis."""

from __future__ import annotations

import contextlib
import itertools
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
from urllib.parse import urlsplit
from urllib.request import urlopen

import psycopg

from benchmarks import inside, processes, servers
from benchmarks.bench import free_port
from benchmarks.load import disks, network
from config.tools import installation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.load.postgresql import Breakable

LOOPBACK: Final = "127.0.0.1"
PUBLIC_URL: Final = "https://calendar.example"
READY: Final = "/health/ready"
FIRST_PORT: Final = 8310
DISK_MEBIBYTES: Final = 1024
START_SECONDS: Final = 120
STOP_SECONDS: Final = 30
ROOT: Final = Path(__file__).resolve().parent.parent.parent


@dataclass(slots=True)
class Production:
    """What runs, and how to stop and start each part of it."""

    cluster: Breakable
    url: str
    """Of the database."""
    directory: Path
    port: int
    """Of nginx, where callers come in (https)."""
    application_port: int
    redis_port: int
    pool_url: str = ""
    replica: Breakable | None = None
    has_other_host: bool = False
    parts: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def servers(self) -> list[str]:
        """The parts that answer requests, a host each."""
        return ["server", *(["other server"] if self.has_other_host else [])]

    @property
    def standby(self) -> Breakable:
        """The replica. Raises ``RuntimeError`` once it is the primary."""
        if self.replica is None:
            raise RuntimeError("there is no replica any more")
        return self.replica

    @property
    def addresses(self) -> str:
        """Where the parts of this machine listen, as PostgreSQL and PgBouncer have it."""
        return f"{LOOPBACK},{network.HERE}" if self.has_other_host else LOOPBACK

    @property
    def media(self) -> Path:
        """Where pictures are."""
        return self.directory / "media"

    @property
    def replica_disk(self) -> Path:
        """Where the files of the replica are."""
        return self.directory / "replica"

    def host(self, name: str) -> str:
        """Return the address of the host that a part runs on."""
        return network.THERE if name == "other server" else LOOPBACK

    def variables(self, host: str = LOOPBACK) -> dict[str, str]:
        """Return the environment of a server or worker on a host (its address)."""
        this = network.HERE if host == network.THERE else LOOPBACK
        name = urlsplit(self.url).path[1:]
        urls = {
            "DATABASE_URL": self.url,
            "DATABASE_POOL_URL": self.pool_url,
            "DATABASE_REPLICA_URL": self.replica.database_url(name) if self.replica else "",
            "CACHE_URL": f"redis://{LOOPBACK}:{self.redis_port}/0",
        }
        return {
            **servers.environment(self.url),
            **{name: url.replace(LOOPBACK, this) for name, url in urls.items() if url},
            "HOST": host,
            "PORT": str(self.application_port),
            "PUBLIC_URL": PUBLIC_URL,
            "TRUSTED_PROXIES": f"{LOOPBACK},{network.HERE}",
            "WORKERS": str(servers.WORKERS),
            # Out of reach, so that every request is counted and none is refused.
            "RATE_LIMIT_ADDRESS": "100000/second",
            "RATE_LIMIT_KEY": "100000/second",
            "EMBEDDED_WORKER": "0",
            "MEDIA_ROOT": str(self.media),
            "STATIC_ROOT": str(self.directory / "static"),
            "LOG_LEVEL": "WARNING",
        }

    def start(self, name: str, **more: str) -> None:
        """Start ``server``, ``other server`` (on the other host), ``worker`` or ``redis``.

        ``more`` is added to its environment.
        """
        manage = [sys.executable, "manage.py"]
        commands = {
            "server": [*manage, "serve"],
            "other server": [*network.INSIDE, *manage, "serve"],
            "worker": [*manage, "db_worker"],
            "redis": [
                *(
                    shutil.which("redis-server") or "redis-server",
                    "--bind",
                    *self.addresses.split(","),
                ),
                *("--port", str(self.redis_port), "--save", "", "--appendonly", "no"),
                *("--protected-mode", "no"),
            ],
        }
        with (self.directory / f"{name}.log").open("ab") as log:
            self.parts[name] = subprocess.Popen(  # noqa: S603 -- our own commands
                commands[name],
                cwd=self.directory if name == "redis" else ROOT,
                env=self.variables(self.host(name)) | more,
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

    def restart(self, name: str, **more: str) -> None:
        """Restart a server as a deployment does: what has begun is finished."""
        self.stop(name)
        self.start(name, **more)
        self.await_ready(name)

    def manage(self, *command: str, **more: str) -> None:
        """Run a management command; raise ``CalledProcessError`` when it fails."""
        subprocess.run(  # noqa: S603 -- our own commands
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=self.variables() | more,
            stdout=subprocess.DEVNULL,
            check=True,
        )

    def stores_pictures(self) -> bool:
        """Store a picture, and return whether there was room for it."""
        stored: bool = inside.call(self.variables(), "benchmarks.load.people:store_picture")
        return stored

    def await_ready(self, name: str = "server") -> None:
        """Wait until a server says that it is ready; raise ``RuntimeError`` if never."""
        address = f"http://{self.host(name)}:{self.application_port}{READY}"
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), urlopen(address, timeout=5):
                return
            time.sleep(0.2)
        raise RuntimeError((self.directory / f"{name}.log").read_text()[-2000:])

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
def running(
    cluster: Breakable, url: str, *, to_break: bool = False
) -> Iterator[Production]:
    """Start everything, and stop it after; raise ``RuntimeError`` if it does not start.

    What is ``to_break`` has a replica too and, if we are root, a second host, and small
    disks for the pictures and the replica.
    """
    ports = list(itertools.islice(_free_ports(FIRST_PORT), 6))
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        scratch.chmod(0o755)  # PostgreSQL and nginx run as others
        made = Production(
            cluster=cluster,
            url=url,
            directory=scratch,
            port=ports[0],
            application_port=ports[1],
            redis_port=ports[2],
        )
        if to_break and os.geteuid() == 0:
            stack.enter_context(network.host())
            made.has_other_host = True
            cluster.let_in(network.HERE)
            for directory in (made.media, made.replica_disk):
                stack.enter_context(disks.small(directory, DISK_MEBIBYTES))
        if to_break:
            made.replica = cluster.replicate(
                made.replica_disk / "data", ports[3], made.addresses
            )
            stack.callback(_stop_replica, made.replica)
        made.pool_url = stack.enter_context(
            installation.pgbouncer(ports[4], url, addresses=made.addresses)
        )
        (scratch / "nginx").mkdir()
        stack.enter_context(
            installation.nginx(
                scratch / "nginx",
                http=ports[5],
                https=made.port,
                applications=[f"{made.host(name)}:{ports[1]}" for name in made.servers],
                files=scratch,
            )
        )
        stack.callback(_stop_all, made)
        made.start("redis")
        for name in made.servers:
            made.start(name)
            made.await_ready(name)
        made.start("worker")
        yield made


def _free_ports(first: int) -> Iterator[int]:
    while True:
        port = free_port(first)
        yield port
        first = port + 1


def _stop_all(made: Production) -> None:
    for name, process in made.parts.items():
        if process.poll() is None:
            made.stop(name)


def _stop_replica(replica: Breakable) -> None:
    with contextlib.suppress(subprocess.CalledProcessError):  # a fault may have done so
        replica.stop(mode="immediate")
