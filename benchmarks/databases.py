"""The databases of a run: one per size of calendar, all in one PostgreSQL cluster."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from benchmarks import processes


@dataclass(frozen=True, slots=True, kw_only=True)
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
        with psycopg.connect(url) as connection:
            row = connection.execute("SELECT pg_backend_pid()").fetchone()
            try:
                return cls(url=url, pid=processes.parent(row[0] if row else 0))
            except OSError:
                raise SystemExit(
                    "The PostgreSQL server must run on this machine."
                ) from None

    def database_url(self, name: str) -> str:
        """Return the address of one of its databases."""
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    def create(self, name: str, *, is_kept: bool = False) -> str:
        """Create an empty database in place of one of that name, and return its address.

        One that ``is_kept`` is left as it is.
        """
        if is_kept:
            return self.database_url(name)
        identifier = sql.Identifier(name)
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(identifier)
            )
            connection.execute(sql.SQL("CREATE DATABASE {}").format(identifier))
        return self.database_url(name)

    def settle(self) -> None:
        """Write what was seeded to the disk, which else goes on while we measure."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")

    def settings(self) -> dict[str, str]:
        """Return what a reader must know to judge the figures."""
        names = ["server_version", "shared_buffers", "fsync", "random_page_cost"]
        with psycopg.connect(self.url) as connection:
            rows = connection.execute(
                "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY(%s)",
                [names],
            ).fetchall()
        return {**dict(rows), "huge pages": self._huge_pages()}

    def _huge_pages(self) -> str:
        """Return whether the server's shared memory is in huge pages."""
        try:
            mapped = Path(f"/proc/{self.pid}/maps").read_text(encoding="utf-8")
        except OSError:
            return "unknown"
        return "yes" if "hugepage" in mapped else "no"
