"""Descriptions as long as the server reads, made to be expensive."""

import itertools
from collections.abc import Iterator
from typing import Final

from benchmarks import client, messages
from benchmarks.bench import Bench
from benchmarks.measure import Effort, Variant, percentile
from benchmarks.report import Goal, Section, figure, table

EFFORT: Final = Effort(rounds=3, alone=1, together=0, seconds=60, warm_up=1)
LONGEST: Final = 100_000
"""Characters that are accepted, with at most 5,000 tags."""
LINEAR: Final = 2.5
"""What twice the size may cost; 2 and what the clock is off."""
PIECES: Final = {
    "words": "word ",
    "tags that nest": "<b>",
    "paragraphs that nobody closes": "<p>a",
    "attributes": "<a title='a'>b</a>",
    "entities": "&amp;",
    "empty lines": "\n\n",
    "accents": "é",
}
TEXT: Final = """
`POST /events` by bearer token, a draft whose description repeats one thing, up to the
longest that is accepted ({longest:,} characters), and half of it. L is the list of ten in
the same run, {label}; "status" is that of the longest.
"""
COLUMNS: Final = ("description of", "status", "half, L", "longest, L", "p50 ms")


def create(piece: str, length: int) -> bytes:
    """Return a request with so many characters of description."""
    return messages.create(
        {
            "title": "A large description",
            "status": "draft",
            "start_date": "2027-06-12 19:30:00",
            "end_date": "2027-06-12 21:00:00",
            "description": piece * (length // len(piece)),
        }
    )


def measure(bench: Bench) -> Iterator[Section]:
    """Send each of them in two lengths."""
    server = bench.serve("ours", bench.main.url)
    listed = bench.cost_of_a_list(server)
    rows, steepest = [], 0.0
    for name, piece in PIECES.items():
        bodies = {length: create(piece, length) for length in (LONGEST // 2, LONGEST)}
        variants = [
            Variant(f"{length}", server, itertools.cycle([body]), None)
            for length, body in bodies.items()
        ]
        costs = list(bench.compare(variants, EFFORT).values())
        in_lists = [cost.cpu / listed for cost in costs]
        steepest = max(steepest, in_lists[1] / in_lists[0])
        status = f"{client.ask(server.port, bodies[LONGEST]).status}"
        p50 = percentile(costs[1].alone, 0.5)
        rows.append([name, status, *map(figure, (*in_lists, p50))])
    yield Section(
        "Long descriptions",
        TEXT.format(longest=LONGEST, label=bench.main.label),
        table(COLUMNS, rows),
        [
            Goal("a description of twice the length", "half of it, CPU", LINEAR, steepest),
        ],
    )
