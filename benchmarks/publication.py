"""The page: what was measured where, the goals first, then the details."""

from __future__ import annotations

import datetime as dt
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks import servers
from benchmarks.remarks import REMARKS
from benchmarks.report import goals_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.goals import Verdict
    from benchmarks.report import Section
    from benchmarks.run import Plan

PACKAGES: Final = (
    "Django",
    "djangorestframework",
    "django-oauth-toolkit",
    "psycopg",
    "orjson",
    "granian",
)
INTRODUCTION: Final = """
# Benchmarks: {database}

Made by `{command}` on {day}; do not edit.
`python -m benchmarks --reuse --only search,plans` repeats some parts on the same databases,
to standard output. **Only ratios within one run mean anything**: absolute figures differ by
a third between machines, and between hours on one machine.

| | |
|---|---|
| machine | {machine} |
| Python | {python} |
| packages | {packages} |
| server | granian, {workers} workers, connections kept; {threads} |
{settings}| effort | {rounds} rounds of {alone} (c=1) and {together} (c={connections}) |

"CPU ms" is the CPU time of the server's processes{and_database}, per request, median over
the rounds. p50 and p99 are wall-clock milliseconds seen by the load generator, a process of
its own on the same machine, which therefore takes part of it; c is the number of
connections.
"""
YARDSTICKS: Final = """
The yardsticks answer the same JSON on the same database behind the same server program:
`floor_rows` is raw psycopg, the columns that the answer needs, rows assembled into
dictionaries, orjson, no framework;
`floor_documents` reads finished documents from one table, no framework; `idiomatic` is
Django REST framework with nested `ModelSerializer` classes declared as fields,
`select_related`, `prefetch_related`, the product's stored texts deferred, django-filter and
a page-number paginator, behind the project's own middleware; `stock` is a fresh project
with django-oauth-toolkit. Both floors read their total from the roll-up that the product
keeps; `idiomatic` counts, as its paginator does.
"""
SQLITE: Final = """
Why the others are not: SQLite has no index of words, so that a search reads every text of
its window.
"""
CALENDAR: Final = """
The calendars are made from a fixed seed: a fifth of the events lies ahead, 93 % are
published, each has a kilobyte of description, most have a venue, one or two organizers, one
or two of 40 categories (a tree) and up to three of 100 tags per institution, two fifths an
image.
"""

THREADS: Final = (
    "ours as `manage.py serve` runs it, yardsticks as WSGI applications with one thread"
)


def page(
    database: str, sections: Sequence[Section], plan: Plan, settings: Mapping[str, str]
) -> str:
    """Return the whole page as Markdown."""
    verdicts = [verdict for section in sections for verdict in section.verdicts]
    missed = [verdict for verdict in verdicts if not verdict.is_met]
    parts = [
        _introduction(database, plan, settings),
        YARDSTICKS.strip(),
        CALENDAR.strip(),
        "## Goals",
        f"{len(verdicts) - len(missed)} of {len(verdicts)} goals are met."
        + ("" if settings else " They are set for PostgreSQL; here they only compare."),
        goals_table(verdicts),
        *(_remarks(missed) if settings else [SQLITE.strip()]),
        *(section.markdown() for section in sections),
    ]
    return "\n\n".join(parts) + "\n"


def _remarks(missed: Sequence[Verdict]) -> list[str]:
    """Return what is known about the goals that were missed."""
    known = [
        f"- **{subject}**: {REMARKS[subject]}"
        for subject in dict.fromkeys(verdict.subject for verdict in missed)
        if subject in REMARKS
    ]
    return ["Why the others are not:", "\n".join(known)] if known else []


def _introduction(database: str, plan: Plan, settings: Mapping[str, str]) -> str:
    effort = plan.effort
    is_postgres = bool(settings)
    scale = "SCALE=1m " if "1M" in plan.labels else ""
    target = "python -m benchmarks --reuse" if plan.is_reusing else "make bench"
    shown = ", ".join(f"{name} {value}" for name, value in sorted(settings.items()))
    return INTRODUCTION.strip().format(
        database=database,
        command=f"{scale}{target}" if is_postgres else "make bench-sqlite",
        day=dt.datetime.now(dt.UTC).date().isoformat(),
        machine=_machine(),
        python=platform.python_version(),
        packages=", ".join(f"{name} {version(name)}" for name in PACKAGES),
        workers=servers.WORKERS,
        threads=THREADS,
        settings=f"| PostgreSQL | {shown} |\n" if is_postgres else "",
        rounds=effort.rounds,
        alone=effort.alone,
        together=effort.together,
        connections=effort.connections,
        and_database=" and of PostgreSQL's" if is_postgres else "",
    )


def _machine() -> str:
    names = {
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    }
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{os.cpu_count()} x {', '.join(names)}, {pages / 2**30:.0f} GiB, Linux"
