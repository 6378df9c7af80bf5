"""Findings to Markdown: the goals first, then a section for each part."""

import datetime as dt
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from benchmarks.bench import Bench
from benchmarks.measure import Cost, percentile

AT_LEAST: Final = ("times", True)
"""What ends a goal that is a minimum."""
COST_COLUMNS: Final = (
    "variant",
    "app CPU ms",
    "db CPU ms",
    "CPU ms",
    "p50 c=1",
    "p99 c=1",
    "p50 c=8",
    "p99 c=8",
    "req/s c=8",
    "body kB",
)
INTRODUCTION: Final = """
# Benchmarks of {day}

{sizes} events, {cores} cores, Python {python}; `docs/benchmarks.md` says how.
"""


@dataclass(frozen=True, slots=True)
class Goal:
    """One limit of the performance design, and what was measured.

    ``work`` names the work, ``of`` what it is compared with; ``measured`` must not exceed
    ``limit``, or with ``is_minimum`` not be below it.
    """

    work: str
    of: str
    limit: float
    measured: float
    unit: str = "times"
    is_minimum: bool = False

    @property
    def is_met(self) -> bool:
        """Whether the measurement keeps to the limit."""
        if self.is_minimum:
            return self.measured >= self.limit
        return self.measured <= self.limit

    @property
    def verdict(self) -> str:
        """``met``, or by how much it was missed."""
        if self.is_met:
            return "met"
        low, high = sorted((self.limit, self.measured))
        return f"**missed** by {100 * (high / low - 1):.0f} %" if low else "**missed**"

    def row(self) -> list[str]:
        """Return its row in the table of goals."""
        limit = f"{'≥' if self.is_minimum else '≤'} {figure(self.limit)} {self.unit}"
        measured = f"{figure(self.measured)} {self.unit}"
        return [self.work, limit.strip(), measured.strip(), self.verdict, self.of]


@dataclass(slots=True)
class Section:
    """A heading, a paragraph, a table, and the goals that it decides."""

    title: str
    text: str
    table: str = ""
    goals: list[Goal] = field(default_factory=list)

    def markdown(self) -> str:
        parts = [f"## {self.title}", self.text.strip(), self.table]
        return "\n\n".join(part for part in parts if part)


def figure(value: float) -> str:
    """Return a number with three significant digits at most."""
    if value >= 100:
        return f"{value:,.0f}"
    if value == 0:
        return "0"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def percent(share: float) -> str:
    """Return a share from 0 to 1 as a percentage, nothing for none."""
    return f"{100 * share:.0f} %" if share else ""


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the first column is text, the others are numbers."""
    lines = [
        f"| {' | '.join(columns)} |",
        f"|---|{'---:|' * (len(columns) - 1)}",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    return "\n".join(lines)


def cost_table(costs: Mapping[str, Cost], *, baseline: str) -> str:
    """Return one row per variant, and how its CPU compares with the one of ``baseline``."""
    rows = []
    for name, cost in costs.items():
        figures = (
            percentile(cost.application, 0.5),
            percentile(cost.database, 0.5),
            cost.cpu,
            percentile(cost.alone, 0.5),
            percentile(cost.alone, 0.99),
            percentile(cost.together, 0.5),
            percentile(cost.together, 0.99),
            percentile(cost.rates, 0.5),
            cost.body / 1000,
            cost.cpu / costs[baseline].cpu,
        )
        rows.append([name, *map(figure, figures)])
    return table((*COST_COLUMNS, f"CPU / {baseline}"), rows)


def page(bench: Bench, sections: Sequence[Section]) -> str:
    """Return the whole page as Markdown."""
    goals = [goal for section in sections for goal in section.goals]
    met = sum(goal.is_met for goal in goals)
    columns = ("work", "goal", "measured", "verdict", "compared with")
    introduction = INTRODUCTION.format(
        day=dt.datetime.now(dt.UTC).date(),
        sizes=", ".join(bench.sizes),
        cores=os.cpu_count(),
        python=platform.python_version(),
    )
    parts = [
        introduction.strip(),
        "## Goals",
        f"{met} of {len(goals)} goals are met.",
        table(columns, [goal.row() for goal in goals]),
        *(section.markdown() for section in sections),
    ]
    return "\n\n".join(parts) + "\n"
