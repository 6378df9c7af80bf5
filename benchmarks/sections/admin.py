"""What the pages of admin cost on a large platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks import inside
from benchmarks.bench import LARGE, SIZES
from benchmarks.report import Goal, Section, figure, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.bench import Bench

COUNTS: Final = {"institutions": 3_000, "users": 50_000, "keys": 5_000}
STATEMENTS, MILLISECONDS, SHOWN = 15, 300, 20
COLUMNS: Final = ("page", "statements", "app CPU ms", "db CPU ms", "CPU ms")
TEXT: Final = """
{counts},
as many entries of the audit record as events; half of the users and of the record, and
most of the calendar, are one institution's. Every list with its filters and orderings, its
last page and seven searches, every form, history, autocomplete and page of admin:
{pages} pages, for {staff} (all but the first of the large institution). CPU milliseconds of
the application's process and of the database, without waiting; the median of five for what
took more than a hundred. Those that cost most:
"""


class Page(NamedTuple):
    """What one page costs one member of staff, in statements and CPU milliseconds."""

    who: str
    name: str
    statements: int
    application: float
    database: float

    @property
    def milliseconds(self) -> float:
        """Both together."""
        return self.application + self.database

    def row(self) -> list[str]:
        """Return its row in the table."""
        times = (self.application, self.database, self.milliseconds)
        return [f"{self.name} ({self.who})", str(self.statements), *map(figure, times)]


def measure(bench: Bench) -> Iterator[Section]:
    """Make a platform of a large calendar, and open every page."""
    part = 10 if bench.is_quick else 1
    counts: dict[str, Any] = {name: count // part for name, count in COUNTS.items()}
    url = bench.copy_of_calendar(LARGE, "bench_admin")
    inside.at(url, "benchmarks.seed.platform:fill", **counts)
    bench.cluster.settle()
    found = inside.at(
        url, "benchmarks.administration:figures", database_pid=bench.cluster.pid
    )
    found.sort(key=lambda page: -page.milliseconds)
    shown = {"events": SIZES[LARGE] // part, **counts}
    text = TEXT.format(
        counts=", ".join(f"{count:,} {name}" for name, count in shown.items()),
        pages=f"{len(found):,}",
        staff=", ".join(dict.fromkeys(page.who for page in found)),
    )
    most, slowest = max(page.statements for page in found), found[0].milliseconds
    yield Section(
        "Administration",
        text,
        table(COLUMNS, (page.row() for page in found[:SHOWN])),
        [
            Goal("page of admin", "statements", STATEMENTS, most, "statements"),
            Goal("page of admin", "the most expensive one", MILLISECONDS, slowest, "ms"),
        ],
    )
