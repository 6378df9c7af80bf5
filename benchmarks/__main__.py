"""``make bench``: measure and write ``.make/benchmarks.md``.

    python -m benchmarks [--only PART,PART] [--sizes 10k,100k,1M] [--quick]

``DATABASE_URL`` names a PostgreSQL cluster on this machine that nobody else uses; its
databases ``bench_*`` are made anew, those that the parts need. A calendar of a million
events takes half an hour more and some gigabytes. ``--quick`` is a smoke run on a tenth of
the events. A run of some parts, or a quick one, goes to standard output;
a quick one misses no goal, for its figures are noise. The parts are
{parts}.
"""

import argparse
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from benchmarks import report
from benchmarks.bench import SIZES, Bench
from benchmarks.databases import Cluster
from benchmarks.report import Section
from benchmarks.sections import (
    callers,
    changes,
    feeds,
    growth,
    memory,
    mixture,
    neighbours,
    reading,
    series,
    writes,
)

Part = Callable[[Bench], Iterator[Section]]

PAGE: Final = Path(__file__).resolve().parent.parent / ".make/benchmarks.md"
DEFAULT_SIZES: Final = ["10k", "100k"]
PARTS: Final[dict[str, Part]] = {
    "lists": reading.measure,
    "signed": callers.lists,
    "authentication": callers.authentication,
    "tokens": callers.tokens,
    "growth": growth.measure,
    "feeds": feeds.measure,
    "changes": changes.measure,
    "memory": memory.measure,
    "writes": writes.measure,
    "series": series.measure,
    "neighbours": neighbours.measure,
    "mixture": mixture.measure,
}


def main() -> int:
    """Run what the command line asks for.

    The exit status is 1 when a part failed or, unless it is a quick run, missed a goal.
    """
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").format(parts=", ".join(PARTS)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", type=names_of(PARTS), default=list(PARTS))
    parser.add_argument("--sizes", type=names_of(SIZES), default=DEFAULT_SIZES)
    parser.add_argument("--quick", action="store_true", help="smoke, no measurement")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        # Python would end without leaving its blocks, and the servers would stay.
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    cluster = Cluster.from_environment()
    bench = Bench(cluster=cluster, sizes=options.sizes, is_quick=options.quick)
    sections, failed = measure(bench, {name: PARTS[name] for name in options.only})
    page = report.page(bench, sections)
    if options.quick or options.only != list(PARTS):
        sys.stdout.write(page)
    else:
        PAGE.write_text(page, encoding="utf-8")
    for name in failed:
        bench.say(f"{name} failed")
    missed = [goal for section in sections for goal in section.goals if not goal.is_met]
    for goal in missed:
        bench.say(f"{goal.work}: {goal.verdict}, compared with {goal.of}")
    return 1 if failed or (missed and not options.quick) else 0


def measure(bench: Bench, parts: dict[str, Part]) -> tuple[list[Section], list[str]]:
    """Run the parts one after another; return what they found, and which failed.

    One that fails has a section that says so, and does not keep the others from running.
    """
    sections: list[Section] = []
    failed = []
    for name, part in parts.items():
        bench.say(name)
        with ExitStack() as bench.stack:
            try:
                sections.extend(part(bench))
            except Exception as error:  # noqa: BLE001 -- whatever it is, others go on
                traceback.print_exc()
                failed.append(name)
                text = f"**Failed:** {type(error).__name__}: {str(error)[:300]}"
                sections.append(Section(name.capitalize(), text))
    return sections, failed


def names_of(known: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a reader of names, separated by commas, that puts them in their order."""

    def read(text: str) -> list[str]:
        asked = set(text.split(","))
        if unknown := asked.difference(known):
            message = f"no {', '.join(sorted(unknown))} among {', '.join(known)}"
            raise argparse.ArgumentTypeError(message)
        return [name for name in known if name in asked]

    return read


if __name__ == "__main__":
    sys.exit(main())
