"""The databases of a run: one per size of calendar, all in one PostgreSQL cluster."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, LiteralString
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from benchmarks import processes
from config.tools import with_postgres

SHOWN: Final = ("server_version", "shared_buffers", "fsync", "random_page_cost")


@dataclass(kw_only=True)
class Cluster:
    """A PostgreSQL server on this machine that nobody else uses meanwhile."""

    url: str
    pid: int
    """Its first process; the CPU time of the whole tree is what the database spends."""

    @classmethod
    def from_environment(cls) -> Cluster:
        """Return the cluster of ``DATABASE_URL``.

        Raises ``SystemExit`` without one, or when it runs elsewhere, where its CPU time
        cannot be read.
        """
        url = os.environ.get("DATABASE_URL", "")
        if not url.startswith("postgres"):
            raise SystemExit("DATABASE_URL must name a PostgreSQL server; try: make bench")
        try:
            return cls(url=url, pid=_first_process(url))
        except OSError:
            raise SystemExit("The PostgreSQL server must run on this machine.") from None

    def database_url(self, name: str) -> str:
        """Return the address of one of its databases."""
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    def create(self, name: str, *, is_kept: bool = False) -> str:
        """Create an empty database, and return its address.

        One that is there is replaced, unless it ``is_kept``.
        """
        identifier = sql.Identifier(name)
        with psycopg.connect(self.url, autocommit=True) as connection:
            asked = "SELECT 1 FROM pg_database WHERE datname = %s"
            if not is_kept or connection.execute(asked, [name]).fetchone() is None:
                drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
                connection.execute(drop.format(identifier))
                connection.execute(sql.SQL("CREATE DATABASE {}").format(identifier))
        return self.database_url(name)

    def settle(self) -> None:
        """Write what was seeded to the disk, which else goes on while we measure."""
        self.execute("CHECKPOINT")

    def restart(self) -> None:
        """Start the server again, with empty buffers.

        Raises ``OSError`` or ``CalledProcessError`` where we may not.
        """
        self._pg_ctl("restart", "--mode=fast")
        self.pid = _first_process(self.url)

    def stop(self, *, mode: str) -> None:
        """Stop the server: ``fast`` in good order, ``immediate`` as a crash does.

        Raises ``OSError`` or ``CalledProcessError`` where we may not.
        """
        self._pg_ctl("stop", f"--mode={mode}")

    def start(self, *more: str) -> None:
        """Start a server that was stopped, with the options that it had, and ``more``.

        Of options that contradict each other the last counts. Raises ``OSError`` or
        ``CalledProcessError`` where we may not.
        """
        command = (self.directory / "postmaster.opts").read_text(encoding="utf-8")
        self._start(shlex.join([*shlex.split(command)[1:], *more]))

    def _start(self, options: str) -> None:
        self._pg_ctl(
            "start", f"--log={self.directory}/restarted.log", f"--options={options}"
        )
        self.pid = _first_process(self.url)

    def execute(self, statement: LiteralString) -> Any:
        """Run a statement; return the first value that it finds, if any."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement)
            row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None

    def let_in(self, address: str) -> None:
        """Listen on another address of this machine too, for its next neighbour."""
        with (self.directory / "pg_hba.conf").open("a", encoding="utf-8") as rules:
            rules.write(f"host all all {address}/30 trust\n")
        self.stop(mode="fast")
        self.start("-c", f"listen_addresses=127.0.0.1,{address}")

    def replicate(self, directory: Path, port: int, addresses: str) -> Cluster:
        """Make a hot standby of this server, and start it."""
        directory.mkdir(parents=True)
        if os.geteuid() == 0:
            shutil.chown(directory, self.directory.owner())
        copied = ("--checkpoint=fast", "--write-recovery-conf", f"--dbname={self.url}")
        self._run("pg_basebackup", f"--pgdata={directory}", *copied)
        directory.chmod(0o700)
        made = Cluster(url=self._at(port), pid=0)
        made.directory = directory
        made._start(
            f"-p {port} -c listen_addresses={addresses} -c max_connections=400 "
            f"-c unix_socket_directories={directory} -c shared_buffers=256MB"
        )
        return made

    def take_over(self, lost: Cluster) -> None:
        """Become a primary at the address of another server, which is no more."""
        self._pg_ctl("promote")
        self.stop(mode="fast")
        self.url = lost.url
        self.start("-p", str(urlsplit(lost.url).port))

    def _at(self, port: int) -> str:
        parts = urlsplit(self.url)
        there = f"{parts.username}@127.0.0.1:{port}"
        return urlunsplit(parts._replace(netloc=there))

    @cached_property
    def directory(self) -> Path:
        """Where its files are."""
        return Path(self.execute("SHOW data_directory"))

    def _pg_ctl(self, action: str, *options: str) -> None:
        self._run("pg_ctl", action, "--wait", f"--pgdata={self.directory}", *options)

    def _run(self, program: str, *arguments: str) -> None:
        directory = self.directory
        subprocess.run(  # noqa: S603 -- our own arguments
            [str(with_postgres.find_binaries() / program), *arguments],
            user=directory.owner() if os.geteuid() == 0 else None,
            extra_groups=[] if os.geteuid() == 0 else None,
            cwd=directory,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )

    def settings(self) -> dict[str, str]:
        """Return what a reader must know to judge the figures."""
        with psycopg.connect(self.url) as connection:
            rows = connection.execute(
                "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY(%s)",
                [list(SHOWN)],
            ).fetchall()
        try:
            mapped = Path(f"/proc/{self.pid}/maps").read_text(encoding="utf-8")
        except OSError:
            return dict(rows)
        return {**dict(rows), "huge pages": "yes" if "hugepage" in mapped else "no"}


def _first_process(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
        # While the connection is open: its process ends with it.
        return processes.parent(row[0] if row else 0)
