"""The hosts of docs/scaling.md: all that runs on them, and how to lose a part of it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import httpx
import psycopg
import redis
import yaml

from benchmarks import servers
from benchmarks.cluster import guard
from benchmarks.load.production import PUBLIC_URL
from config.tests.deploy import cluster_files
from config.tools import with_postgres
from config.tools.installation import PASSWORD

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATH: Final = f"{os.environ['PATH']}:/usr/sbin"
START_SECONDS: Final = 120
SECRET: Final = "change-this"  # noqa: S105 -- as in deploy/cluster, of databases that live for minutes
ROLE: Final = "calendar"
ROLES: Final = ["leader", "replica", "sync_standby"]
"""Of the three databases, as Patroni calls them."""


@dataclass(slots=True)
class Part:
    """One process, and whatever it starts; they work in a directory of their own."""

    command: list[str]
    directory: Path
    environment: dict[str, str]
    account: str | None
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, in the directory as it was left."""
        with (self.directory / "log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603 -- our own commands
                self.command,
                cwd=self.directory,
                env={"PATH": PATH, **self.environment},
                stdout=log,
                stderr=subprocess.STDOUT,
                user=self.account,
                group=self.account,
                extra_groups=[] if self.account else None,
                start_new_session=True,
            )

    def kill(self) -> None:
        """End it as the loss of its machine does."""
        guard.kill_within(self.directory)
        if self.process is not None:
            self.process.wait()


@dataclass(slots=True)
class Hosts:
    """What runs, by names such as ``patroni-1``; ``port`` that of nginx (https)."""

    directory: Path
    port: int
    parts: dict[str, Part] = field(default_factory=dict)

    def start(self, *names: str) -> None:
        """Start parts again."""
        for name in names:
            self.parts[name].start()

    def kill(self, *names: str) -> None:
        """Kill parts."""
        for name in names:
            self.parts[name].kill()

    def dead(self) -> list[str]:
        """Return which parts do not run, and what is wrong with the databases."""
        away = [
            name
            for name, part in self.parts.items()
            if part.process is None or part.process.poll() is not None
        ]
        members = self.members()
        if sorted(role for _, role, _ in members) != ROLES:
            away.append("a role of PostgreSQL")
        return away + [name for name, _, state in members if state != "running"]

    def members(self) -> list[tuple[str, str, str]]:
        """Return name, role and state of the databases, as the first to answer has it."""
        for host in cluster_files.DATABASE_HOSTS:
            with contextlib.suppress(httpx.HTTPError):
                url = f"http://{cluster_files.database(host)}:8008/cluster"
                found = httpx.get(url, timeout=2).json()["members"]
                return [(each["name"], each["role"], each["state"]) for each in found]
        return []

    def host_of(self, role: str) -> int:
        """Return which host has the ``leader``, or a ``sync_standby``.

        Raises ``StopIteration`` when none does.
        """
        name = next(name for name, found, _ in self.members() if found == role)
        return int(name.rpartition("-")[2])

    def host_of_redis(self) -> int:
        """Return which host has the primary of Redis; ``RuntimeError`` when none does."""
        for host in cluster_files.DATABASE_HOSTS:
            address = cluster_files.database(host)
            with (
                contextlib.suppress(redis.RedisError),
                redis.Redis(address, password=SECRET) as client,
            ):
                if client.info("replication")["role"] == "master":
                    return host
        raise RuntimeError("Redis has no primary.")

    def database_host(self, host: int) -> list[str]:
        """Return the names of all that runs on a database host."""
        return [f"{kind}-{host}" for kind in ("etcd", "patroni", "redis", "sentinel")]

    def member_url(self, host: int, name: str) -> str:
        """Return the address of one PostgreSQL itself, for its superuser."""
        return f"postgres://postgres:{SECRET}@{cluster_files.database(host)}:5432/{name}"

    def database_url(self, name: str, *, port: int = 5000, host: int = 1) -> str:
        """Return the address of a database through an application host's HAProxy."""
        return (
            f"postgres://{ROLE}:{PASSWORD}@{cluster_files.application(host)}:{port}/{name}"
        )

    # --- From nothing ---------------------------------------------------------------------

    def start_databases(self) -> None:
        """Start etcd, PostgreSQL, Redis and HAProxy; create the application's role.

        Raises ``RuntimeError`` when they are not all there in time.
        """
        for host in cluster_files.DATABASE_HOSTS:
            where = self._part(
                f"etcd-{host}", ["etcd"], cluster_files.variables("etcd.env", host)
            )
            self.parts[where.name].environment["ETCD_DATA_DIR"] = str(where / "data")
            self._redis(host)
            self._patroni(host)
        for host in cluster_files.APPLICATION_HOSTS:
            where = self._part(f"haproxy-{host}", ["haproxy", "-db", "-f", "haproxy.cfg"])
            text = cluster_files.haproxy(host)
            (where / "haproxy.cfg").write_text(text, encoding="utf-8")
        self.start(*self.parts)
        self._await("the databases", lambda: not self.dead())
        self._await("a primary", self._has_role)

    def start_applications(self, name: str, pools: dict[int, str]) -> None:
        """Start servers and a worker on a database, with the addresses of their pools."""
        manage = [sys.executable, str(cluster_files.ROOT / "manage.py")]
        for host in cluster_files.APPLICATION_HOSTS:
            variables = self._application(name, pools[host], host)
            self._part(f"server-{host}", [*manage, "serve"], variables, is_ours=True)
        variables = self._application(name, pools[1], 1)
        self._part("worker-1", [*manage, "db_worker"], variables, is_ours=True)
        self.start(
            *(part for part in self.parts if part.startswith(("server-", "worker-")))
        )

    def await_ready(self) -> None:
        """Wait until the servers answer through nginx; raise ``RuntimeError`` if never."""
        url = f"https://127.0.0.1:{self.port}/health/ready"
        times = 2 * len(cluster_files.APPLICATION_HOSTS)
        with httpx.Client(verify=False) as client:  # noqa: S501 -- our own
            self._await(
                "the servers",
                lambda: all(client.get(url).is_success for _ in range(times)),
            )

    def _application(self, name: str, pool: str, host: int) -> dict[str, str]:
        address = cluster_files.application(host)
        return servers.environment(
            self.database_url(name, host=host),
            DATABASE_POOL_URL=pool,
            DATABASE_REPLICA_URL=self.database_url(name, port=5001, host=host),
            CACHE_URL=f"redis://:{SECRET}@{address}:6379/0",
            PUBLIC_URL=PUBLIC_URL,
            HOST=address,
            PORT="8000",
            WORKERS="1",
            TRUSTED_PROXIES="127.0.0.1",
            # Out of reach, so that every request is counted and none is refused.
            RATE_LIMIT_ADDRESS="1000000/minute",
            RATE_LIMIT_KEY="1000000/minute",
            EMBEDDED_WORKER="0",
            MEDIA_ROOT=str(self.directory / "media"),
            STATIC_ROOT=str(self.directory / f"static-{host}"),
            LOG_LEVEL="WARNING",
            PYTHONPATH=str(cluster_files.ROOT),
        )

    def _part(
        self,
        name: str,
        command: list[str],
        variables: dict[str, str] | None = None,
        *,
        is_ours: bool = False,
    ) -> Path:
        """Make a part and its directory; those that are not ours run unprivileged."""
        where = self.directory / name
        where.mkdir(mode=0o700)
        is_root = is_ours or name.startswith("haproxy")
        account = None if is_root else with_postgres.server_account()
        if account:
            shutil.chown(where, account)
        self.parts[name] = Part(command, where, variables or {}, account)
        return where

    def _redis(self, host: int) -> None:
        for name, program, file in (
            ("redis", "redis-server", "redis.conf"),
            ("sentinel", "redis-sentinel", "sentinel.conf"),
        ):
            where = self._part(f"{name}-{host}", [program, file])
            text = cluster_files.of_database_host(file, host)
            if name == "redis" and host > 1:
                text += f"replicaof {cluster_files.database(1)} 6379\n"
            (where / file).write_text(text, encoding="utf-8")
            if account := self.parts[where.name].account:
                shutil.chown(where / file, account)

    def _patroni(self, host: int) -> None:
        where = self._part(
            f"patroni-{host}",
            ["patroni", str(self.directory / f"patroni-{host}")],
            cluster_files.variables("patroni.env", host),
        )
        (where / "1.yml").write_text(cluster_files.of_database_host("patroni.yml", host))
        own: dict[str, Any] = {
            "data_dir": str(where / "data"),
            "bin_dir": str(with_postgres.find_binaries()),
            "pgpass": str(where / "pgpass"),
            "parameters": {"unix_socket_directories": str(where)},
        }
        (where / "2.yml").write_text(yaml.safe_dump({"postgresql": own}))

    def _has_role(self) -> bool:
        """Return whether the application's role is there, once there is a primary."""
        url = self.member_url(self.host_of("leader"), "postgres")
        with psycopg.connect(url, autocommit=True) as connection:
            create = f"CREATE ROLE {ROLE} LOGIN CREATEDB PASSWORD '{PASSWORD}'"
            with contextlib.suppress(psycopg.errors.DuplicateObject):
                connection.execute(create)
            connection.execute(f"GRANT pg_checkpoint TO {ROLE}")
        with psycopg.connect(self.database_url("postgres")):
            return True

    def _await(self, what: str, is_there: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(
                OSError, StopIteration, psycopg.Error, httpx.HTTPError
            ):
                if is_there():
                    return
            time.sleep(0.5)
        logs = {
            name: (part.directory / "log").read_text() for name, part in self.parts.items()
        }
        last = "\n".join(f"{name}: {text[-500:]}" for name, text in logs.items())
        raise RuntimeError(f"{what} did not start in {START_SECONDS} seconds.\n{last}")
