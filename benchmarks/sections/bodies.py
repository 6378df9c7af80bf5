"""Bodies as large as the server takes, made to be dear."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import orjson

from benchmarks import messages, paths
from benchmarks.measure import Effort, Variant, percentile
from benchmarks.report import Goal, Section, figure, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.bench import Bench

EFFORT: Final = Effort(rounds=3, alone=1, together=0, seconds=60, warm_up=1)
LARGEST: Final = 2_000_000
"""Bytes, a little less than the server's limit."""
LIMIT: Final = 200.0
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
`POST /events` by bearer token, a draft whose description repeats one thing, up to two
megabytes of body, and half of that. L is the list of ten in the same run, {label}. Some
are refused, which may cost as little as it does.
"""


def body(piece: str, size: int) -> bytes:
    """Return a request with so many bytes of description."""
    event = {
        "title": "A large description",
        "status": "draft",
        "start_date": "2027-06-12 19:30:00",
        "end_date": "2027-06-12 21:00:00",
        "description": piece * (size // len(orjson.dumps(piece)[1:-1])),
    }
    headers = {**messages.BEARER, "Content-Type": "application/json"}
    return messages.request("POST", paths.EVENTS, headers=headers, body=orjson.dumps(event))


def measure(bench: Bench) -> Iterator[Section]:
    """Send each of them in two sizes."""
    bench.say("large bodies")
    server = bench.serve("ours", bench.main.url)
    lists = Variant("list", server, messages.in_turns(paths.EVENTS))
    listed = bench.compare([lists])["list"].cpu
    rows, worst, steepest = [], 0.0, 0.0
    for name, piece in PIECES.items():
        half, whole = bench.compare(
            [
                Variant(f"{size}", server, itertools.cycle([body(piece, size)]), None)
                for size in (LARGEST // 2, LARGEST)
            ],
            EFFORT,
        ).values()
        worst, growth = max(worst, whole.cpu / listed), whole.cpu / half.cpu
        steepest = max(steepest, growth)
        figures = (whole.cpu, percentile(whole.alone, 0.5), whole.cpu / listed, growth)
        rows.append([name, *map(figure, figures)])
    columns = ("description of", "CPU ms", "p50 ms", "CPU, L", "CPU / half the size")
    yield Section(
        "Large bodies",
        TEXT.format(label=bench.main.label),
        table(columns, rows),
        [
            Goal("the dearest body", "L", LIMIT, worst),
            Goal("a body of twice the size", "half of it, CPU", LINEAR, steepest),
        ],
    )
