"""``make chaos``: faults one after another under load, and what was promised meanwhile.

    python -m benchmarks.load.chaos [--events N] [--rate JOURNEYS] [--only FAULT,FAULT]

``DATABASE_URL`` names a PostgreSQL cluster on this machine that nobody else uses, and that
may be killed. The page goes to standard output; the exit status is 1 when a promise was
broken, an answer was an error that does not say when to come again, or the server did not
recover by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchmarks.load import page, production, settlement
from benchmarks.load.__main__ import prepare, titles
from benchmarks.load.faults import FAULTS
from benchmarks.load.generator import Load, Tally
from benchmarks.load.postgresql import Breakable
from benchmarks.report import figure, table

if TYPE_CHECKING:
    from benchmarks.load.faults import Fault
    from benchmarks.load.production import Production

QUIET_SECONDS: Final = 3.0
"""Without any trouble for so long, the server has recovered."""
FEWEST_EVENTS: Final = 5_000
"""With fewer, the pages that visitors turn to are not there, and the 404s are no fault."""
BEFORE_SECONDS: Final = 5.0
PATIENCE_SECONDS: Final = 60.0
TEXT: Final = """
{events:,} events, {rate:g} journeys a second all the time. "Recovered" counts from the end
of the fault until the last request was due that was refused, failed or got no answer.
"""


@dataclass(slots=True, kw_only=True)
class Finding:
    """What one fault did: seconds, and counts of requests meanwhile."""

    fault: Fault
    lasted: float
    recovered: float | None
    tally: Tally
    broken_promises: list[str]

    @property
    def faults(self) -> dict[str, int]:
        """The errors that the fault does not excuse."""
        return {k: v for k, v in self.tally.faults.items() if k not in self.fault.meant}


def main() -> int:
    """Seed, serve, send, break one thing after another, and hold the server to its word."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--rate", type=float, default=20, help="journeys a second")
    parser.add_argument("--only", help="names of faults, separated by commas")
    options = parser.parse_args()
    if options.events < FEWEST_EVENTS:
        parser.error(f"--events must be at least {FEWEST_EVENTS:,}: visitors turn 40 pages")
    names = options.only.split(",") if options.only else list(FAULTS)
    faults = [FAULTS[name] for name in names]
    for fault in [fault for fault in faults if fault.missing]:
        sys.stderr.write(f"left out, needs {fault.missing}: {fault.name}\n")
        faults.remove(fault)
    cluster = Breakable.from_environment()
    url = cluster.create_calendar("load", options.events)
    mixture = prepare(url)
    with production.running(cluster, url, to_break=True) as made:
        load = Load(made.port, mixture, options.rate)
        findings = asyncio.run(_through(load, made, faults))
        found = asyncio.run(settlement.settle(made.port, mixture))
        found += itertools.chain.from_iterable(each.broken_promises for each in findings)
        found += settlement.promises(mixture, titles(url, mixture.run))
    parts = [
        TEXT.format(events=options.events, rate=options.rate).strip(),
        table(
            ("fault", "lasted s", "recovered s", "answered", "503", "errors", "no answer"),
            map(_row, findings),
        ),
        *(
            f"Error during {each.fault.name}: {what}, {times} times."
            for each in findings
            for what, times in each.faults.items()
        ),
        *(
            f"503 during {each.fault.name}: {dict(each.tally.reasons)}."
            for each in findings
            if each.tally.reasons
        ),
        page.promises(found, mixture.ledger.tried),
    ]
    sys.stdout.write("\n\n".join(parts) + "\n")
    failed = [each for each in findings if each.recovered is None or each.faults]
    return 1 if found or failed else 0


async def _through(load: Load, made: Production, faults: list[Fault]) -> list[Finding]:
    running = asyncio.create_task(load.run())
    findings = []
    for fault in faults:
        findings.append(await _one(load, made, fault))
        sys.stderr.write(f"| {' | '.join(_row(findings[-1]))} |\n")
    load.stopping.set()
    await running
    return findings


async def _one(load: Load, made: Production, fault: Fault) -> Finding:
    """Break something, mend it, and wait until nothing is amiss any more.

    What was used up before and meanwhile is tried again after, what was before also while
    clocks are wrong. Of a wrong clock's tokens none need work when that is set.
    """
    load.tally = tally = Tally()  # what hangs when the fault begins is due to it
    await asyncio.sleep(BEFORE_SECONDS)
    before = load.mixture.ledger.take_used()
    begun = time.perf_counter()
    await asyncio.to_thread(fault.begin, made)
    await asyncio.sleep(fault.seconds)
    found = []
    if fault.meant:
        found += await settlement.used_up(made.port, load.mixture, before)
    await asyncio.to_thread(fault.end, made)
    ended = time.perf_counter()
    recovered: float | None = None
    while recovered is None and time.perf_counter() < ended + PATIENCE_SECONDS:
        await asyncio.sleep(0.5)
        until = tally.last_trouble(ended)
        quiet = ended + until + QUIET_SECONDS
        if time.perf_counter() > quiet and load.is_answered(quiet) and not made.dead():
            recovered = until
    meanwhile = load.mixture.ledger.take_used()
    if fault.meant:
        found += await settlement.used_up(made.port, load.mixture, meanwhile)
    else:
        for used in (before, meanwhile):
            found += await settlement.use_again(made.port, load.mixture, used)
    return Finding(
        fault=fault,
        lasted=ended - begun,
        recovered=recovered,
        tally=tally,
        broken_promises=[f"{one} ({fault.name})" for one in found],
    )


def _row(each: Finding) -> list[str]:
    tally = each.tally
    return [
        each.fault.name,
        figure(each.lasted),
        "**not**" if each.recovered is None else figure(each.recovered),
        f"{tally.answers:,}",
        str(tally.refused.total()),
        str(tally.faults.total()),
        str(tally.broken.total()),
    ]


if __name__ == "__main__":
    sys.exit(main())
