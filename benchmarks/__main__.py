"""``make bench``: measure and write ``docs/benchmarks.md``.

    python -m benchmarks [--only PART,PART] [--sizes 10k,100k,1M] [--quick] [--reuse]
                         [--port FIRST] [--output FILE]

``DATABASE_URL`` names a PostgreSQL cluster on this machine that nobody else uses; its
databases ``bench_*`` and ``load_*`` are made anew, those that the parts need, or with
``--reuse`` taken as they are. A calendar of a million events takes half an hour more and
some gigabytes. ``--quick`` is a smoke run on ten thousand events. A run of some parts, or a
quick one, goes to standard output. The parts are {parts}.
"""

from __future__ import annotations

import argparse
import signal
import sys
import traceback
from contextlib import ExitStack
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks import publication
from benchmarks.bench import SIZES, Bench, main_size
from benchmarks.databases import Cluster
from benchmarks.measure import Effort
from benchmarks.report import Section
from benchmarks.sections import (
    admin,
    bodies,
    callers,
    cold,
    feeds,
    growth,
    load,
    mixture,
    neighbours,
    reading,
    writes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
QUICK: Final = Effort(rounds=2, alone=20, together=40, seconds=1)


class Needs(Enum):
    """Which calendars a part measures."""

    NONE = auto()
    ONE = auto()
    """That of ``Bench.main``."""
    ALL = auto()


class Part(NamedTuple):
    """A part of a run."""

    measure: Callable[[Bench], Iterator[Section]]
    needs: Needs = Needs.ONE


PARTS: Final = {
    "lists": Part(reading.measure),
    "signed": Part(callers.lists),
    "authentication": Part(callers.authentication),
    "tokens": Part(callers.tokens),
    "growth": Part(growth.measure, Needs.ALL),
    "feeds": Part(feeds.measure),
    "memory": Part(load.memory),
    "latency": Part(load.latency),
    "writes": Part(writes.measure, Needs.ALL),
    "neighbours": Part(neighbours.measure),
    "bodies": Part(bodies.measure),
    "cold": Part(cold.measure),
    "admin": Part(admin.measure, Needs.NONE),
    "mixture": Part(mixture.measure, Needs.NONE),
}


def main() -> int:
    """Run what the command line asks for; the exit status is 1 when a part failed."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").format(parts=", ".join(PARTS)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", type=names_of(PARTS), default=list(PARTS))
    parser.add_argument("--sizes", type=names_of(SIZES), default=["10k", "100k"])
    parser.add_argument("--quick", action="store_true", help="smoke, no measurement")
    parser.add_argument("--reuse", action="store_true", help="take databases as they are")
    parser.add_argument("--port", type=int, default=8110, help="first port to serve on")
    parser.add_argument("--output", type=Path, help="where to write; default below docs/")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        # Python would end without leaving its blocks, and the servers would stay.
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    bench = Bench(
        cluster=Cluster.from_environment(),
        effort=QUICK if options.quick else Effort(),
        seconds=2 if options.quick else 6,
        memory_requests=800 if options.quick else 20_000,
        first_port=options.port,
        is_reusing=options.reuse,
        is_quick=options.quick,
    )
    parts = {name: PARTS[name] for name in options.only}
    sizes = ["10k"] if options.quick else options.sizes
    for label in needed(parts.values(), sizes):
        bench.seed(label)
    is_whole = not options.quick and options.only == list(PARTS)
    output: Path | None = options.output or (PAGE if is_whole else None)
    stem = (output or PAGE).stem
    sections, failed = measure(bench, parts)
    page = publication.page(bench, _command(options.sizes), sections, stem)
    if output is None:
        sys.stdout.write(page)
    else:
        output.write_text(page, encoding="utf-8")
        for section in sections:
            for name, drawing in section.plots.items():
                output.with_name(f"{stem}-{name}.svg").write_text(drawing, "utf-8")
    for name in failed:
        bench.say(f"{name} failed")
    return 1 if failed else 0


def needed(parts: Iterable[Part], sizes: Sequence[str]) -> list[str]:
    """Return which of the sizes that were asked for the parts measure."""
    needs = {part.needs for part in parts}
    if Needs.ALL in needs:
        return list(sizes)
    return [main_size(sizes)] if Needs.ONE in needs else []


def measure(bench: Bench, parts: dict[str, Part]) -> tuple[list[Section], list[str]]:
    """Run the parts one after another; return what they found, and which failed.

    One that fails has a section that says so, and does not keep the others from running.
    """
    sections: list[Section] = []
    failed = []
    for name, part in parts.items():
        with ExitStack() as bench.stack:
            try:
                sections.extend(part.measure(bench))
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


def _command(sizes: Sequence[str]) -> str:
    default = list(sizes) == ["10k", "100k"]
    return "make bench" if default else f"make bench SIZES={','.join(sizes)}"


if __name__ == "__main__":
    sys.exit(main())
