"""The page: what was measured where, the goals first, then the details."""

from __future__ import annotations

import datetime as dt
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks import servers
from benchmarks.report import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.bench import Bench
    from benchmarks.report import Section

INTERFACES: Final = (
    "ours as `manage.py serve` runs it, yardsticks as WSGI applications with one thread"
)
PACKAGES: Final = (
    "Django",
    "djangorestframework",
    "django-oauth-toolkit",
    "psycopg",
    "orjson",
    "granian",
)
INTRODUCTION: Final = """
# Benchmarks

For maintainers: what requests cost, beside yardsticks.

Made by `{command}` on {day}; do not edit. `make bench ONLY=growth,feeds SIZES=10k` measures
some parts, to standard output. **Only ratios within one run mean anything**: absolute
figures differ by a third between machines, and between hours on one machine. What
callers meet while something breaks is in [load.md](load.md).

| | |
|---|---|
| machine | {machine} |
| Python | {python} |
| packages | {packages} |
| server | granian, {workers} workers, connections kept; {interfaces} |
| PostgreSQL | {settings} |
| effort | {rounds} rounds of {alone} (c=1) and {together} (c={connections}) |

"CPU ms" is the CPU time of the server's processes and of PostgreSQL's, per answer, median
over the rounds, in which the variants take turns. p50 and p99 are wall-clock milliseconds
seen by the load generator, a process of its own on the same machine, which therefore takes
part of it; c is the number of connections. An answer 503 with `Retry-After` is waited for
as it says; the share of them is shown.

The yardsticks answer the same JSON on the same database behind the same server program:
`floor_rows` is raw psycopg, the columns that the answer needs, rows assembled into
dictionaries, orjson, no framework; `floor_documents` reads finished documents from one
table, no framework; `idiomatic` is Django REST framework with nested `ModelSerializer`
classes declared as fields, `select_related`, `prefetch_related`, the product's stored texts
deferred, django-filter and a page-number paginator, behind the project's own middleware;
`stock` is a fresh project with django-oauth-toolkit. Both floors read their total from the
roll-up that the product keeps; `idiomatic` counts, as its paginator does.

The calendars are made from a fixed seed: a fifth of the events lies ahead, 93 % are
published, each has a kilobyte of description, most have a venue, one or two organizers, one
or two of 40 categories (a tree) and up to three of 100 tags per institution, two fifths an
image.
"""


def page(bench: Bench, command: str, sections: Sequence[Section], stem: str) -> str:
    """Return the whole page as Markdown; plots are files named ``stem-name.svg``."""
    goals = [goal for section in sections for goal in section.goals]
    met = sum(goal.is_met for goal in goals)
    columns = ("work", "goal", "measured", "verdict", "compared with")
    parts = [
        _introduction(bench, command),
        "## Goals",
        f"{met} of {len(goals)} goals are met.",
        table(columns, [goal.row() for goal in goals]),
        *(section.markdown(stem) for section in sections),
    ]
    return "\n\n".join(parts) + "\n"


def _introduction(bench: Bench, command: str) -> str:
    effort = bench.effort
    settings = bench.cluster.settings().items()
    return INTRODUCTION.strip().format(
        command=command,
        day=dt.datetime.now(dt.UTC).date().isoformat(),
        machine=_machine(),
        python=platform.python_version(),
        packages=", ".join(f"{name} {version(name)}" for name in PACKAGES),
        workers=servers.WORKERS,
        interfaces=INTERFACES,
        settings=", ".join(f"{name} {value}" for name, value in sorted(settings)),
        rounds=effort.rounds,
        alone=effort.alone,
        together=effort.together,
        connections=effort.connections,
    )


def _machine() -> str:
    names = {
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    }
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{os.cpu_count()} x {', '.join(names)}, {pages / 2**30:.0f} GiB, Linux"
