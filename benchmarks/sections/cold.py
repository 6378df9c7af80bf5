"""The first answers after everything was started again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from benchmarks import client, messages, paths
from benchmarks.measure import percentile
from benchmarks.report import Section, figure, table
from benchmarks.seed.constants import COMMON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.bench import Bench

WARM: Final = 50
LOADING: Final = 12
"""Requests without a database, until both workers have loaded the project."""
TEXT: Final = """
PostgreSQL and the server started again, so that buffers, connections, prepared statements
and caches of the processes are empty; what the kernel keeps of the files is not. Wall-clock
milliseconds of the first answer, and of the median of {warm} after, on a new connection
each, {label}.
"""


def measure(bench: Bench) -> Iterator[Section]:
    """Ask once, then often."""
    bench.say("cold")
    addresses = {
        "list of ten": paths.EVENTS,
        "search, 5 % match": paths.search(COMMON),
        "single": paths.event(1),
    }
    rows = []
    for name, path in addresses.items():
        bench.cluster.restart()
        server = bench.serve(f"cold, {name}", bench.main.url)
        # Some singles are nobody's to see; that costs the same.
        message = messages.get(path)
        for _ in range(LOADING):
            client.ask(server.port, messages.get("/health/live"))
        times = []
        for _ in range(WARM + 1):
            begun = time.perf_counter()
            client.ask(server.port, message)
            times.append((time.perf_counter() - begun) * 1000)
        warm = percentile(times[1:], 0.5)
        rows.append([name, figure(times[0]), figure(warm), figure(times[0] / warm)])
    columns = ("request", "first ms", "warm p50 ms", "first / warm")
    text = TEXT.format(warm=WARM, label=bench.main.label)
    yield Section("Cold", text, table(columns, rows))
