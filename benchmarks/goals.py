"""A goal of the performance design, what was measured for it, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One limit, judged: ``measured`` must not exceed ``limit``, or be below it.

    ``subject`` names the work, ``of`` the comparison, ``unit`` what the numbers are.
    """

    subject: str
    of: str
    limit: float
    measured: float
    unit: str = "times"
    at_least: bool = False
    note: str = ""

    @property
    def is_met(self) -> bool:
        """Whether the measurement keeps to the limit."""
        if self.at_least:
            return self.measured >= self.limit
        return self.measured <= self.limit

    @property
    def goal(self) -> str:
        """The limit in words."""
        sign = "≥" if self.at_least else "≤"
        return f"{sign} {figure(self.limit)} {self.unit}".rstrip()

    @property
    def outcome(self) -> str:
        """The measurement in words."""
        return f"{figure(self.measured)} {self.unit}".rstrip()

    @property
    def words(self) -> str:
        """``met``, or by how much it was missed."""
        if self.is_met:
            return "met"
        miss = self.limit / self.measured if self.at_least else self.measured / self.limit
        return f"**missed** by {100 * (miss - 1):.0f} %"


def figure(value: float) -> str:
    """Return a number with three significant digits at most."""
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"
