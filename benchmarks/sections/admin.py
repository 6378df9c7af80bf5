"""What the pages of admin cost on a large platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from benchmarks.report import Goal, Section, figure, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.bench import Bench

LARGE: Final = {
    "events": 300_000,
    "institutions": 3_000,
    "users": 50_000,
    "keys": 5_000,
}
STATEMENTS, MILLISECONDS, SHOWN = 15, 300, 20
TEXT: Final = """
{sizes}, as many entries of the audit record as events; half of the users and of the record,
and most of the calendar, are one institution's. Every list with its filters and orderings,
its last page and seven searches, every form, history, autocomplete and page of admin:
{pages} pages, for {staff} (all but the first of the large institution). CPU milliseconds of
the application's process and of the database, without waiting; the median of five for what
took more than a hundred. Those that cost most:
"""


def measure(bench: Bench) -> Iterator[Section]:
    """Fill a database of its own, and open every page."""
    bench.say("admin: seeding")
    part = 10 if bench.is_quick else 1
    sizes: dict[str, Any] = {name: count // part for name, count in LARGE.items()}
    url = bench.cluster.create("bench_admin", is_kept=bench.is_reusing)
    bench.inside(url, "benchmarks.seed.platform:fill", **sizes)
    bench.cluster.settle()
    bench.say("admin: measuring")
    found = bench.inside(
        url, "benchmarks.administration:figures", database_pid=bench.cluster.pid
    )
    found.sort(key=lambda row: -row[3] - row[4])
    rows = [
        [f"{name} ({who})", str(count), figure(ours), figure(theirs), figure(ours + theirs)]
        for who, name, count, ours, theirs in found
    ]
    most = max(row[2] for row in found)
    slowest = max(row[3] + row[4] for row in found)
    columns = ("page", "statements", "app CPU ms", "db CPU ms", "CPU ms")
    text = TEXT.format(
        sizes=", ".join(f"{count:,} {name}" for name, count in sizes.items()),
        pages=f"{len(found):,}",
        staff=", ".join(dict.fromkeys(row[0] for row in found)),
    )
    yield Section(
        "Administration",
        text,
        table(columns, rows[:SHOWN]),
        [
            Goal("page of admin", "statements", STATEMENTS, most, "statements"),
            Goal("page of admin", "the most expensive one", MILLISECONDS, slowest, "ms"),
        ],
    )
