"""``make load``: a mixture of journeys, at a rate that does not wait for the server.

    python -m benchmarks.load [--events N] [--rate JOURNEYS] [--seconds S]

``DATABASE_URL`` names a PostgreSQL cluster on this machine that nobody else uses. The page
goes to standard output; the exit status is 1 when a promise was broken or an answer was an
error.
"""

import argparse
import asyncio
import sys
import time
from typing import Any, Final

from benchmarks import inside, servers
from benchmarks.bench import FIRST_PORT, free_port
from benchmarks.databases import Cluster
from benchmarks.load import page, settlement
from benchmarks.load.generator import Load
from benchmarks.load.journeys import Mixture
from benchmarks.load.ledger import Ledger
from benchmarks.load.page import Run
from benchmarks.servers import Server

LOOK_SECONDS: Final = 5.0
SINGLES: Final = 2_000
"""Events that are read by themselves."""


def main() -> int:
    """Seed, serve, send, and hold the server to what it answered."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=300_000)
    parser.add_argument("--rate", type=float, default=40, help="journeys a second")
    parser.add_argument("--seconds", type=float, default=120)
    options = parser.parse_args()
    url = Cluster.from_environment().create_calendar("load", options.events)
    found = run(url, rate=options.rate, seconds=options.seconds)
    sys.stdout.write(page.of_load(found, events=options.events))
    return 1 if found.broken_promises or found.errors else 0


def run(url: str, *, rate: float, seconds: float) -> Run:
    """Serve a calendar, send the mixture, and hold the server to its answers."""
    mixture = prepare(url)
    # Rates out of reach, so that every request is counted and none is refused.
    variables = servers.environment(
        url, RATE_LIMIT_ADDRESS="100000/second", RATE_LIMIT_KEY="100000/second"
    )
    port = free_port(FIRST_PORT)
    with servers.serving("ours", port, variables, servers.OURS) as server:
        load = Load(port, mixture, rate)
        memory = asyncio.run(_watched(load, server, seconds))
        found = asyncio.run(settlement.settle(port, mixture))
    found += settlement.promises(mixture, titles(url, mixture.run))
    return Run(
        rate=rate,
        seconds=seconds,
        tally=load.tally,
        samples=memory,
        broken_promises=found,
        tried=mixture.ledger.tried,
    )


def prepare(url: str) -> Mixture:
    """Return the mixture for a calendar, to which the people of it are added."""
    mixture = Mixture(ledger=Ledger(), events=_inside(url, "readable", count=SINGLES))
    _inside(url, "create", count=mixture.people)
    return mixture


def titles(url: str, run: str) -> dict[int, str]:
    """Return the titles of the events that a run created, by identifier."""
    found: dict[int, str] = _inside(url, "titles", run=run)
    return found


def _inside(url: str, function: str, **arguments: Any) -> Any:
    return inside.at(url, f"benchmarks.load.people:{function}", **arguments)


async def _watched(load: Load, server: Server, seconds: float) -> list[list[float]]:
    """Run the load; return the memory of each worker as it was every few seconds."""
    samples = []
    running = asyncio.create_task(load.run())
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await asyncio.sleep(min(LOOK_SECONDS, seconds / 4))
        samples.append(await asyncio.to_thread(server.worker_mebibytes))
    load.stopping.set()
    await running
    return samples


if __name__ == "__main__":
    sys.exit(main())
