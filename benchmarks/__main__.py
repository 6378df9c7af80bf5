"""``make bench``: measure and write ``docs/benchmarks.md``.

    python -m benchmarks [--quick] [--sqlite] [--reuse] [--only PART,PART]
                         [--rounds N] [--port FIRST] [--output FILE]

``DATABASE_URL`` names a PostgreSQL cluster on this machine that nobody else uses; its
databases ``bench_*`` are made anew. ``SCALE=1m`` adds a calendar of a million events, which
takes half an hour more and some gigabytes. ``--quick`` is a smoke run of a minute or two on
ten thousand events (``SCALE`` adds its own) that writes nothing unless told where, and
neither does ``--only``, which measures some parts: {parts}.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks import publication, run
from benchmarks.bench import Bench
from benchmarks.databases import Cluster
from benchmarks.measure import Effort
from benchmarks.sections import memory

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS: Final = Path(__file__).resolve().parent.parent / "docs"
FIRST_PORT: Final = 8110
QUICK: Final = Effort(rounds=2, alone=20, together=40, max_seconds=2)


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__.format(parts=", ".join(run.PARTS)) if __doc__ else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--quick", action="store_true", help="a smoke run, not a measurement"
    )
    parser.add_argument(
        "--sqlite", action="store_true", help="SQLite instead of PostgreSQL"
    )
    parser.add_argument("--reuse", action="store_true", help="take calendars as they are")
    parser.add_argument(
        "--only",
        type=parts,
        default=frozenset(),
        metavar="PART,PART",
        help="some parts, to standard output",
    )
    parser.add_argument(
        "--rounds", type=int, help="how often each is measured; 5, on SQLite 3"
    )
    parser.add_argument(
        "--port", type=int, default=FIRST_PORT, help="first port to serve on"
    )
    parser.add_argument("--output", type=Path, help="where to write; default below docs/")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        # Python would end without leaving its blocks, and the servers would stay.
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    rounds = options.rounds or (3 if options.sqlite else 5)
    effort = QUICK if options.quick else Effort(rounds=rounds)
    main_label = "10k" if options.quick else "100k"
    labels = ["10k"] if options.quick else ["10k", "100k"]
    if os.environ.get("SCALE", "").lower() == "1m":
        labels.append("1M")
    plan = run.Plan(
        labels=(main_label,) if options.sqlite else tuple(labels),
        main=main_label,
        effort=effort,
        is_reusing=options.reuse,
        memory_requests=400 if options.quick else memory.REQUESTS,
        only=options.only,
    )
    default = DOCS / ("benchmarks-sqlite.md" if options.sqlite else "benchmarks.md")
    is_whole = not (options.quick or options.only)
    output = options.output or (default if is_whole else None)
    page = ""
    pages = (
        sqlite(options.port, plan)
        if options.sqlite
        else postgres(options.port, plan, is_reusing=options.reuse)
    )
    for page in pages:  # after each part, so that a run cut short leaves what it found
        if output is not None:
            output.write_text(page, encoding="utf-8")
    if output is None:
        sys.stdout.write(page)
    return 0


def parts(text: str) -> frozenset[str]:
    """Read the names of parts."""
    names = frozenset(text.split(","))
    if unknown := names - run.PARTS.keys():
        known = ", ".join(run.PARTS)
        raise argparse.ArgumentTypeError(f"no {', '.join(sorted(unknown))} among {known}")
    return names


def postgres(port: int, plan: run.Plan, *, is_reusing: bool) -> Iterator[str]:
    """Measure on the cluster of ``DATABASE_URL``; yield the page as it grows."""
    cluster = Cluster.from_environment()
    with Bench(
        first_port=port, effort=plan.effort, cluster=cluster, is_reusing=is_reusing
    ) as bench:
        sections = []
        for section in run.on_postgres(bench, plan):
            sections.append(section)
            yield publication.page("PostgreSQL", sections, plan, cluster.settings())


def sqlite(port: int, plan: run.Plan) -> Iterator[str]:
    """Measure on a temporary file; yield the page as it grows."""
    with (
        tempfile.TemporaryDirectory(prefix="platform-benchmark-") as scratch,
        Bench(first_port=port, effort=plan.effort, cluster=None) as bench,
    ):
        url = f"sqlite:///{scratch}/calendar.sqlite3"
        sections = []
        for section in run.on_sqlite(bench, plan, url):
            sections.append(section)
            yield publication.page("SQLite", sections, plan, {})


if __name__ == "__main__":
    sys.exit(main())
