"""``make cluster-test``: several hosts, the journeys on them, and parts that are lost.

    python -m benchmarks.cluster [--events N] [--rate JOURNEYS] [--only FAULT,FAULT]

Everything runs on this machine, on loopback addresses, from the files of ``deploy/``, and
ends with this process or after ``LIMIT_SECONDS``. The page goes to standard output; the
exit status is 1 when a promise was broken, an answer was an error that does not say when to
come again, a read went to the wrong database, or something did not recover by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from benchmarks.bench import free_port
from benchmarks.cluster import guard, reading
from benchmarks.cluster.faults import FAULTS
from benchmarks.cluster.hosts import Hosts
from benchmarks.databases import Cluster
from benchmarks.load import page, settlement
from benchmarks.load.__main__ import prepare, titles
from benchmarks.load.generator import Load, Tally, once
from benchmarks.measure import percentile
from benchmarks.report import figure, table
from config.tests.deploy import cluster_files
from config.tools import installation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.load.journeys import Mixture

LIMIT_SECONDS: Final = 1800.0
UNDISTURBED_SECONDS: Final = 30.0
BEFORE_SECONDS: Final = 20.0
"""So long before a loss codes are used up that are tried again after it."""
AWAY_SECONDS: Final = 45.0
"""Longer than it takes until another primary is there."""
QUIET_SECONDS: Final = 8.0
"""Without any trouble for so long, the rest has taken over."""
PATIENCE_SECONDS: Final = 120.0
TEXT: Final = """
{events:,} events, {rate:g} journeys a second all the time. What is lost stays away for
{away:.0f} seconds and is started again. "Disturbed" counts from the loss until the last
request was due that was refused, failed or got no answer, "again" the same from the return
on, "complete" from the return until all parts were at their work; "longest" is the slowest
answer that was none of those.
"""
COLUMNS: Final = (
    *("lost", "disturbed s", "again s", "complete s", "answered", "longest s"),
    *("503", "errors", "no answer"),
)
READS: Final = """
Transactions in the undisturbed time before: {primary:,} on the primary, {replicas} on the
replicas.
"""


@dataclass(slots=True, kw_only=True)
class Finding:
    """What one loss did, in seconds, and what came back while it was away."""

    name: str
    disturbed: float
    again: float
    """After the return."""
    complete: float | None
    tally: Tally
    broken_promises: list[str]

    @property
    def is_failure(self) -> bool:
        """Whether something was wrong that a failover does not excuse."""
        went_on = self.disturbed < AWAY_SECONDS - QUIET_SECONDS
        return self.complete is None or bool(self.tally.faults) or not went_on


@dataclass(slots=True, kw_only=True)
class Run:
    """The tallies of a run; transactions of each database host while undisturbed."""

    before: Tally
    findings: list[Finding]
    after: Tally
    leader: int
    """The host of the primary in that time."""
    reads: dict[int, int]

    def quiet(self) -> Iterator[list[str]]:
        """Yield a row for the time before all losses, and after."""
        for name, tally in (("before", self.before), ("after", self.after)):
            times = [one for each in tally.milliseconds.values() for one in each]
            shares = (percentile(times, share) for share in (0.5, 0.99))
            wrong = tally.refused.total() + tally.faults.total() + tally.broken.total()
            rate = tally.answers / UNDISTURBED_SECONDS
            yield [name, *map(figure, (rate, *shares)), str(wrong)]


def main() -> int:
    """Start it all, play every journey, lose one thing after another, compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=4_000, help="at least so many")
    parser.add_argument("--rate", type=float, default=10, help="journeys a second")
    parser.add_argument("--only", help="names of faults, separated by commas")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(FAULTS)
    with guard.directory(LIMIT_SECONDS) as directory:
        hosts = Hosts(directory, port=free_port(8410))
        hosts.start_databases()
        cluster = Cluster(url=hosts.database_url("postgres"), pid=0)
        url = cluster.create_calendar("load", options.events)
        mixture = prepare(url)
        with _serving(hosts, urlsplit(url).path[1:]):
            if failed := asyncio.run(_each_journey(hosts.port, mixture)):
                sys.stderr.write("\n".join([*failed, ""]))
                return 1
            found = asyncio.run(reading.own_writes(hosts, mixture))
            load = Load(hosts.port, mixture, options.rate)
            run = asyncio.run(_through(load, hosts, names, urlsplit(url).path[1:]))
            found += asyncio.run(reading.own_writes(hosts, mixture))
            found += asyncio.run(settlement.settle(hosts.port, mixture))
            found += settlement.promises(mixture, titles(url, mixture.run))
            found += [one for each in run.findings for one in each.broken_promises]
    parts = [
        TEXT.format(events=options.events, rate=options.rate, away=AWAY_SECONDS).strip(),
        table(("", "answers a second", "p50 ms", "p99 ms", "not answered"), run.quiet()),
        READS.format(
            primary=run.reads.pop(run.leader),
            replicas=" and ".join(f"{number:,}" for number in run.reads.values()),
        ).strip(),
        table(
            COLUMNS,
            map(_row, run.findings),
        ),
        *(
            f"Error without {each.name}: {what}, {times} times."
            for each in run.findings
            for what, times in each.tally.faults.items()
        ),
        *(
            f"{what} without {each.name}: {dict(counted)}."
            for each in run.findings
            for what, counted in (
                ("503", each.tally.refused),
                ("No answer", each.tally.broken),
            )
            if counted
        ),
        page.promises(found, mixture.ledger.tried),
    ]
    sys.stdout.write("\n\n".join(parts) + "\n")
    return 1 if found or any(each.is_failure for each in run.findings) else 0


@contextlib.contextmanager
def _serving(hosts: Hosts, name: str) -> Iterator[None]:
    """Put PgBouncer, servers, a worker and nginx in front of a database."""
    scratch = hosts.directory / "nginx"
    scratch.mkdir()
    with contextlib.ExitStack() as stack:
        # Where a program is started decides what ends it.
        with contextlib.chdir(hosts.directory):
            pools = {
                host: stack.enter_context(
                    installation.pgbouncer(
                        free_port(8410 + 10 * host), hosts.database_url(name, host=host)
                    )
                )
                for host in cluster_files.APPLICATION_HOSTS
            }
            stack.enter_context(
                installation.nginx(
                    scratch,
                    http=free_port(8450),
                    https=hosts.port,
                    applications=[
                        f"{cluster_files.application(host)}:8000"
                        for host in cluster_files.APPLICATION_HOSTS
                    ],
                    files=hosts.directory,
                )
            )
        hosts.start_applications(name, pools)
        hosts.await_ready()
        yield


async def _each_journey(port: int, mixture: Mixture) -> list[str]:
    """Play every kind once; return what did not get the answer that it asked for."""
    found = []
    for name, (_, journey) in mixture.kinds().items():
        tally = await once(port, journey)
        wrong = tally.faults + tally.broken + tally.refused
        found += [f"{name}: {work} failed" for work in wrong]
    return found


async def _through(load: Load, hosts: Hosts, names: list[str], database: str) -> Run:
    """Send all the time: undisturbed, through each loss, undisturbed again."""
    running = asyncio.create_task(load.run())
    leader = hosts.host_of("leader")
    read = reading.transactions(hosts, database)
    before = await _undisturbed(load)
    reads = reading.transactions(hosts, database)
    findings = []
    for name in names:
        sys.stderr.write(f"without {name}\n")
        findings.append(await _without(load, hosts, name))
        sys.stderr.write(f"{' | '.join(_row(findings[-1]))}\n")
    after = await _undisturbed(load)
    load.stopping.set()
    await running
    counted = {host: reads[host] - read[host] for host in reads}
    return Run(before=before, findings=findings, after=after, leader=leader, reads=counted)


async def _undisturbed(load: Load) -> Tally:
    load.tally = tally = Tally()
    await asyncio.sleep(UNDISTURBED_SECONDS)
    return tally


async def _without(load: Load, hosts: Hosts, name: str) -> Finding:
    """Lose something, start it again, and wait until everything is at its work."""
    lost = await asyncio.to_thread(FAULTS[name], hosts)
    load.tally = tally = Tally()  # what hangs when it is lost is due to that
    await asyncio.sleep(BEFORE_SECONDS)
    used = load.mixture.ledger.take_used()
    begun = time.perf_counter()
    await asyncio.to_thread(hosts.kill, *lost)
    found = await settlement.use_again(load.port, load.mixture, used)
    await asyncio.sleep(begun + AWAY_SECONDS - time.perf_counter())
    back = time.perf_counter()
    await asyncio.to_thread(hosts.start, *lost)
    complete: float | None = None
    while time.perf_counter() < back + PATIENCE_SECONDS:
        await asyncio.sleep(0.5)
        if complete is None and not await asyncio.to_thread(hosts.dead):
            complete = time.perf_counter() - back
        if complete is not None and load.is_answered(back + complete):
            break
    return Finding(
        name=name,
        disturbed=tally.last_trouble(begun, back),
        again=tally.last_trouble(back),
        complete=complete,
        tally=tally,
        broken_promises=[f"{one} (without {name})" for one in found],
    )


def _row(each: Finding) -> list[str]:
    tally = each.tally
    return [
        each.name,
        figure(each.disturbed),
        figure(each.again),
        "**not**" if each.complete is None else figure(each.complete),
        f"{tally.answers:,}",
        figure(max(map(max, tally.milliseconds.values()), default=0.0) / 1000),
        str(tally.refused.total()),
        str(tally.faults.total()),
        str(tally.broken.total()),
    ]


if __name__ == "__main__":
    sys.exit(main())
