"""Who reads where: anonymous callers the replicas, whoever wrote something the primary."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Final

import psycopg

from benchmarks import messages, paths
from benchmarks.load.generator import PATIENCE_SECONDS, Tally
from benchmarks.load.visits import Line, Visit
from config.tests.deploy import cluster_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.cluster.hosts import Hosts
    from benchmarks.load.journeys import Mixture

TRIES: Final = 20
PAUSE_STATE: Final = "SELECT pg_get_wal_replay_pause_state()"
"""A pause begins some time after it was asked for."""


def transactions(hosts: Hosts, name: str) -> dict[int, int]:
    """Return how many transactions each host of a database has committed so far."""
    found = {}
    for host in cluster_files.DATABASE_HOSTS:
        with psycopg.connect(hosts.member_url(host, "postgres")) as connection:
            row = connection.execute(
                "SELECT xact_commit FROM pg_stat_database WHERE datname = %s", [name]
            ).fetchone()
        found[host] = int(row[0]) if row else 0
    return found


async def own_writes(hosts: Hosts, mixture: Mixture) -> list[str]:
    """Write while no replica applies anything, and read; return what is wrong, in words."""
    tally = Tally()
    visit = Visit(Line(hosts.port, PATIENCE_SECONDS), time.perf_counter(), tally.take)
    before = set(mixture.ledger.created)
    with _replicas_stand_still(hosts):
        await mixture.create(visit)
        created = set(mixture.ledger.created) - before
        if not created:
            return [f"no event was created: {dict(tally.statuses['create'])}"]
        path = paths.event(pk := created.pop())
        own = await visit.send("own", "GET", path, headers=messages.BEARER)
        others = [(await visit.send("other", "GET", path)).status for _ in range(4)]
    found = []
    if own.status != 200:
        found.append(f"whoever wrote event {pk} does not find it: {own.status}")
    if set(others) != {404}:
        found.append(f"anonymous callers read event {pk} from the primary: {others}")
    for _ in range(TRIES):
        if (await visit.send("other", "GET", path)).status == 200:
            return found
        await asyncio.sleep(0.5)
    return [*found, f"the replicas never had event {pk}"]


@contextlib.contextmanager
def _replicas_stand_still(hosts: Hosts) -> Iterator[None]:
    """Let replicas receive changes, which is what commits wait for, and apply none."""
    with contextlib.ExitStack() as stack:
        for host in set(cluster_files.DATABASE_HOSTS) - {hosts.host_of("leader")}:
            url = hosts.member_url(host, "postgres")
            connection = stack.enter_context(psycopg.connect(url, autocommit=True))
            stack.callback(connection.execute, "SELECT pg_wal_replay_resume()")
            connection.execute("SELECT pg_wal_replay_pause()")
            while connection.execute(PAUSE_STATE).fetchone() != ("paused",):
                time.sleep(0.1)
        yield
