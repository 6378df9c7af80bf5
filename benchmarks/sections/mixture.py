"""Everything at once, on the production set-up."""

from collections.abc import Iterator
from typing import Final

from benchmarks.bench import LARGE, SIZES, Bench
from benchmarks.load import page
from benchmarks.load.__main__ import run
from benchmarks.report import Goal, Section

RATE, SECONDS = 20, 120
MEMORY_GROWTH: Final = 1.1
TEXT: Final = """
What `make load` sends, with {rate} journeys a second for {seconds} seconds, and what it
holds the server to (`docs/benchmarks.md`): sign-in pages, lists, searches, feeds, signed
calls, logins, exchanges, refreshes, creates and updates at random times, through nginx and
PgBouncer, {events:,} events. Times count from when a request was due. The yardstick is the
liveness probe: the same way, without any work at its end.

{outcome}
"""


def measure(bench: Bench) -> Iterator[Section]:
    """Send the mixture to a large calendar."""
    events, seconds = SIZES[LARGE], SECONDS
    if bench.is_quick:
        events, seconds = events // 10, 10
    url = bench.copy_of_calendar(LARGE, "bench_mixture")
    found = run(url, rate=RATE, seconds=seconds)
    first, *_, last = map(sum, found.memory)
    broken = len(found.broken_promises)
    yield Section(
        "Everything at once",
        TEXT.format(rate=RATE, seconds=seconds, events=events, outcome=page.outcome(found)),
        page.latencies(found.tally),
        [
            Goal("the mixture", "all requests", 0, found.errors, "errors"),
            Goal("the mixture, promises", "the ledger", 0, broken, "broken"),
            Goal("the mixture, memory", "after a quarter", MEMORY_GROWTH, last / first),
        ],
    )
