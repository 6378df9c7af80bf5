"""The databases of a run: one per size of calendar, all in one PostgreSQL cluster."""

from __future__ import annotations

import os
import shlex
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final
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
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")

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

    def start(self) -> None:
        """Start a server that was stopped, with the options that it had.

        Raises ``OSError`` or ``CalledProcessError`` where we may not.
        """
        command = (self.directory / "postmaster.opts").read_text(encoding="utf-8")
        options = shlex.join(shlex.split(command)[1:])
        self._pg_ctl(
            "start", f"--log={self.directory}/restarted.log", f"--options={options}"
        )
        self.pid = _first_process(self.url)

    @cached_property
    def directory(self) -> Path:
        """Where its files are."""
        with psycopg.connect(self.url) as connection:
            row = connection.execute("SHOW data_directory").fetchone()
        return Path(row[0] if row else "")

    def _pg_ctl(self, action: str, *options: str) -> None:
        directory, program = self.directory, str(with_postgres.pg_ctl())
        subprocess.run(  # noqa: S603 -- our own arguments
            [program, action, "--wait", f"--pgdata={directory}", *options],
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
