"""What a worker keeps after many requests of all kinds."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from benchmarks import client, messages, paths, processes
from benchmarks.goals import Verdict, figure
from benchmarks.report import Section, table
from benchmarks.seed import credentials, odds

if TYPE_CHECKING:
    from benchmarks.bench import Bench, Calendar

REQUESTS: Final = 20_000
LIMIT_MEBIBYTES: Final = 130.0
GROWTH_LIMIT: Final = 1.05
STEPS: Final = 4
TEXT: Final = """
Resident memory of each worker, shared pages included, while one server answers a mixture
in turns: pages of ten and fifty, later pages, singles, categories, venues, searches,
geography, bearer calls, unknown addresses and bad parameters.
"""


def mixture(events: int) -> list[bytes]:
    """Return the requests, each kind in turns, records and pages varying."""
    token = messages.bearer(credentials.BEARER)
    kinds = [
        [messages.get(paths.EVENTS)],
        [messages.get(paths.FIFTY)],
        [messages.get(paths.page(number)) for number in range(2, 40)],
        [messages.get(paths.event(number), token) for number in range(1, min(events, 400))],
        [messages.get(f"{paths.EVENTS}?categories={number}") for number in range(1, 41)],
        [messages.get(f"{paths.ROOT}/venues?page={number}") for number in (1, 2, 3)],
        [messages.get(f"{paths.ROOT}/categories")],
        [messages.get(paths.search(word)) for word in (odds.COMMON, odds.RARE)],
        [messages.get(paths.TOWN)],
        [messages.get(f"{paths.EVENTS}?per_page=5", token)],
        [messages.get(f"{paths.EVENTS}?page=zero")],
        [messages.get(paths.event(10**12))],
    ]
    length = max(map(len, kinds))
    turns = zip(
        *(itertools.islice(itertools.cycle(kind), length) for kind in kinds), strict=True
    )
    return list(itertools.chain.from_iterable(turns))


def measure(bench: Bench, calendar: Calendar, *, requests: int = REQUESTS) -> Section:
    """Send the mixture and look at the workers after each part of it."""
    bench.say(f"memory: {requests:,} mixed requests")
    server = bench.serve("ours", calendar.url)
    mixed = mixture(calendar.events)
    rows = [["at the start", *map(figure, _sizes(server.workers()))]]
    sizes: list[tuple[float, ...]] = []
    for step in range(1, STEPS + 1):
        client.run(
            client.Job(
                port=server.port,
                requests=mixed,
                count=requests // STEPS,
                connections=8,
                max_seconds=120,
            )
        )
        after = _sizes(server.workers())
        sizes.append(after)
        rows.append([f"after {requests * step // STEPS:,}", *map(figure, after)])
    return Section(
        title="Memory",
        text=TEXT.strip(),
        tables=[
            table(
                ["requests", *(f"worker {n} MiB" for n in range(1, len(rows[0])))],
                rows,
            )
        ],
        verdicts=[
            Verdict(
                subject="memory per worker",
                of=f"after {requests:,} mixed requests",
                limit=LIMIT_MEBIBYTES,
                measured=max(sizes[-1]),
                unit="MiB",
            ),
            Verdict(
                subject="memory, growth",
                of="the second half of the requests",
                limit=GROWTH_LIMIT,
                measured=max(sizes[-1]) / max(sizes[STEPS // 2 - 1]),
            ),
        ],
    )


def _sizes(pids: list[int]) -> tuple[float, ...]:
    return tuple(processes.resident_mebibytes(pid) for pid in sorted(pids))
