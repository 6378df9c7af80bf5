"""The databases of a run: one per size of calendar, all in one PostgreSQL cluster."""

import os
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from benchmarks import inside, processes


@dataclass(kw_only=True)
class Cluster:
    """A PostgreSQL server on this machine that nobody else uses meanwhile."""

    url: str
    pid: int
    """Its first process; the CPU time of the whole tree is what the database spends."""

    @classmethod
    def from_environment(cls) -> Self:
        """Return the cluster of ``DATABASE_URL``.

        Raises ``SystemExit`` without one, or when it runs elsewhere, where its CPU time
        cannot be read.
        """
        url = os.environ.get("DATABASE_URL", "")
        if not url.startswith("postgres"):
            raise SystemExit("DATABASE_URL must name a PostgreSQL server; try: make bench")
        try:
            return cls(url=url, pid=first_process(url))
        except OSError:
            raise SystemExit("The PostgreSQL server must run on this machine.") from None

    def database_url(self, name: str) -> str:
        """Return the address of one of its databases."""
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    def create(self, name: str, *, copy_of: str = "template1") -> str:
        """Create a database, empty or a copy of another's; return its address.

        One that is there is replaced.
        """
        statements = (
            "DROP DATABASE IF EXISTS {name} WITH (FORCE)",
            "CREATE DATABASE {name} TEMPLATE {copy_of} STRATEGY file_copy",
        )
        names = {"name": sql.Identifier(name), "copy_of": sql.Identifier(copy_of)}
        with psycopg.connect(self.url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(sql.SQL(statement).format(**names))
        return self.database_url(name)

    def create_calendar(self, name: str, events: int) -> str:
        """Create a database with accounts and so many events; return its address."""
        url = self.create(name)
        inside.at(url, "benchmarks.seed.calendar:prepare", events=events)
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")  # else the writes go on while we measure
        return url


def first_process(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
        # While the connection is open: its process ends with it.
        return processes.parent(row[0] if row else 0)
