"""Findings to Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.goals import Verdict, figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchmarks.measure import Cost

COST_COLUMNS = (
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


@dataclass(slots=True, kw_only=True)
class Section:
    """A heading, a paragraph, tables, and the goals that they decide."""

    title: str
    text: str = ""
    tables: list[str] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def markdown(self) -> str:
        """Return the section."""
        parts = [f"## {self.title}", self.text, *self.tables]
        return "\n\n".join(part for part in parts if part)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the first column is text, the others are numbers."""
    lines = [
        f"| {' | '.join(columns)} |",
        f"|---|{'---:|' * (len(columns) - 1)}",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    return "\n".join(lines)


def cost_table(costs: Mapping[str, Cost], *, baseline: str = "") -> str:
    """Return one row per variant, and how each compares with ``baseline``."""
    columns = [*COST_COLUMNS, *([f"CPU / {baseline}"] if baseline else [])]
    rows = []
    for cost in costs.values():
        row = [
            cost.name,
            figure(cost.cpu_application),
            figure(cost.cpu_database),
            figure(cost.cpu),
            figure(cost.wall(0.5)),
            figure(cost.wall(0.99)),
            figure(cost.wall(0.5, together=True)),
            figure(cost.wall(0.99, together=True)),
            figure(cost.rate),
            figure(cost.body / 1000),
        ]
        if baseline:
            row.append(figure(cost.cpu / costs[baseline].cpu))
        rows.append(row)
    return table(columns, rows)


def goals_table(verdicts: Iterable[Verdict]) -> str:
    """Return the goals with what was measured and the verdict."""
    return "\n".join(
        [
            "| work | compared with | goal | measured | verdict |",
            "|---|---|---:|---:|---|",
            *(
                f"| {verdict.subject} | {verdict.of} | {verdict.goal} | {verdict.outcome} "
                f"| {verdict.words}{f': {verdict.note}' if verdict.note else ''} |"
                for verdict in verdicts
            ),
        ]
    )
