"""What the workers keep in memory after many requests."""

import itertools
from collections.abc import Iterator
from typing import Final

from benchmarks import client, messages
from benchmarks.bench import Bench
from benchmarks.report import Goal, Section, figure, table

REQUESTS: Final = 20_000
MEMORY_LIMIT: Final = 140.0
STEPS: Final = 4
TEXT: Final = """
Resident memory of each worker, shared pages included, while one server answers a mixture:
pages of ten and fifty, later pages, singles, categories, venues, searches, geography,
bearer calls, unknown addresses and bad parameters.
"""


def measure(bench: Bench) -> Iterator[Section]:
    """Send the mixture and look at the workers after each part of it."""
    requests = REQUESTS // (10 if bench.is_quick else 1)
    server = bench.serve("ours", bench.main.url)
    mixed = itertools.cycle(messages.mixture())
    sizes = [server.worker_mebibytes()]
    for _ in range(STEPS):
        each = requests // STEPS
        client.send(server.port, mixed, connections=8, count=each, seconds=120, status=None)
        sizes.append(server.worker_mebibytes())
    workers = (f"worker {number} MiB" for number in range(1, len(sizes[0]) + 1))
    rows = (
        [f"{requests * step // STEPS:,}", *map(figure, resident)]
        for step, resident in enumerate(sizes)
    )
    of = f"after {requests:,} mixed requests"
    yield Section(
        "Memory",
        TEXT,
        table(["requests", *workers], rows),
        [Goal("memory per worker", of, MEMORY_LIMIT, max(sizes[-1]), "MiB")],
    )
