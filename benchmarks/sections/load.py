"""Latency against load that comes whatever the server does, and what it keeps in memory."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

from benchmarks import client, messages, paths, plot
from benchmarks.measure import percentile
from benchmarks.report import Goal, Section, figure, percent, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.bench import Bench

SHARES: Final = (0.2, 0.4, 0.6, 0.7, 0.8, 0.9)
CONNECTIONS: Final = 32
REQUESTS: Final = 20_000
MEMORY_LIMIT: Final = 130.0
MEMORY_GROWTH_LIMIT: Final = 1.05
STEPS: Final = 4
TEXT: Final = """
Requests arrive at random times (Poisson), at a share of the rate that {connections}
connections without pause reach ({rates} a second), for {seconds} seconds each, {label}.
Times are milliseconds from when a request was due. "Lists" are pages 1 to 20 of ten in
turns; the mixture is pages of ten and fifty, later pages, singles, categories, venues,
searches, geography, bearer calls, unknown addresses and bad parameters.
"""
MEMORY_TEXT: Final = """
Resident memory of each worker, shared pages included, while one server answers the mixture
above.
"""


def latency(bench: Bench) -> Iterator[Section]:
    """Raise the load step by step."""
    port, seconds = bench.serve("ours", bench.main.url).port, bench.seconds
    kinds: dict[str, tuple[Iterator[bytes], int | None]] = {
        "lists": (messages.in_turns(*paths.first_pages()), 200),
        "mixture": (itertools.cycle(messages.mixture()), None),
    }
    plotted: dict[str, list[tuple[float, float]]] = {}
    rows, reached = [], []
    for name, (requests, status) in kinds.items():
        load: dict[str, Any] = {"seconds": seconds, "status": status}
        full = client.send(port, requests, connections=CONNECTIONS, **load).rate
        reached.append(f"{name} {figure(full)}")
        for share in SHARES:
            opened = client.open_loop(port, requests, rate=share * full, **load)
            seen = client.play(opened)[0]
            p50, p99 = (percentile(seen.milliseconds, part) for part in (0.5, 0.99))
            shown = map(figure, (seen.rate, p50, p99))
            rows.append([f"{name}, {share:.0%}", *shown, percent(seen.refused_share)])
            plotted.setdefault(f"{name}, p50", []).append((100 * share, p50))
            plotted.setdefault(f"{name}, p99", []).append((100 * share, p99))
    title, across = "Latency against load", "load, % of the full rate"
    text = TEXT.format(
        connections=CONNECTIONS,
        rates=", ".join(reached),
        seconds=seconds,
        label=bench.main.label,
    )
    yield Section(
        title,
        text,
        table(("load", "req/s", "p50", "p99", "refused"), rows),
        plots={"latency": plot.lines(plotted, title=title, x=across, y="ms")},
    )


def memory(bench: Bench) -> Iterator[Section]:
    """Send the mixture and look at the workers after each part of it."""
    requests = REQUESTS // (10 if bench.is_quick else 1)
    server = bench.serve("ours", bench.main.url)
    mixed = itertools.cycle(messages.mixture())
    sizes = [server.worker_mebibytes()]
    for _ in range(STEPS):
        load = {"connections": 8, "count": requests // STEPS, "seconds": 120}
        client.send(server.port, mixed, **load, status=None)
        sizes.append(server.worker_mebibytes())
    last, half = max(sizes[-1]), max(sizes[STEPS // 2])
    workers = (f"worker {number} MiB" for number in range(1, len(sizes[0]) + 1))
    rows = (
        [f"{requests * step // STEPS:,}", *map(figure, each)]
        for step, each in enumerate(sizes)
    )
    of = f"after {requests:,} mixed requests"
    yield Section(
        "Memory",
        MEMORY_TEXT,
        table(["requests", *workers], rows),
        [
            Goal("memory per worker", of, MEMORY_LIMIT, last, "MiB"),
            Goal("memory, growth", "the second half", MEMORY_GROWTH_LIMIT, last / half),
        ],
    )
