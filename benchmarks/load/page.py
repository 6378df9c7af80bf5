"""What a run of the load found, as Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.load.generator import Tally
from benchmarks.measure import percentile
from benchmarks.report import figure, table

SHOWN: Final = 20
HELD: Final = "Every acknowledged write is there, nothing was done or used twice."
LOAD: Final = """
{events:,} events, {rate:g} journeys a second for {seconds:g} seconds: {answers:.0f} answers
a second. Times count from when a request was due.
"""
OUTCOME: Final = """
Errors, and requests without an answer: {errors}. Memory of the workers: {memory} MiB after
each quarter of the time.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A load without faults, and what came of it."""

    rate: float
    """Journeys that begin in a second."""
    seconds: float
    tally: Tally
    samples: Sequence[list[float]]
    """The mebibytes of each worker, evenly spaced in time."""
    broken_promises: Sequence[str]
    tried: Mapping[str, int]

    @property
    def errors(self) -> int:
        """How many requests got no answer, or an error but 503 with Retry-After."""
        return self.tally.faults.total() + self.tally.broken.total()

    @property
    def memory(self) -> list[list[float]]:
        """The mebibytes of each worker after each quarter of the time."""
        return [self.samples[len(self.samples) * part // 4 - 1] for part in (1, 2, 3, 4)]


def of_load(run: Run, *, events: int) -> str:
    """Return what it was, the table, and what it cost the server."""
    parts = [
        LOAD.format(
            events=events,
            rate=run.rate,
            seconds=run.seconds,
            answers=run.tally.answers / run.seconds,
        ).strip(),
        latencies(run.tally),
        outcome(run),
    ]
    return "\n\n".join(parts) + "\n"


def outcome(run: Run) -> str:
    """Return what was wrong, what it cost the server, and whether all promises held."""
    text = OUTCOME.format(
        errors=run.errors,
        memory=", ".join(map(_mebibytes, run.memory)),
    )
    faults = (f"Error: {what}, {times} times." for what, times in run.tally.faults.items())
    return "\n\n".join([text.strip(), *faults, promises(run.broken_promises, run.tried)])


def latencies(tally: Tally) -> str:
    """Return a row for each kind of work, and one for all."""
    every = [one for times in tally.milliseconds.values() for one in times]
    kinds = sorted(tally.milliseconds.items())
    rows = [_row(work, times, tally.refused[work]) for work, times in kinds]
    rows.append(_row("**all**", every, tally.refused.total()))
    return table(("work", "answers", "p50 ms", "p99 ms", "longest ms", "503"), rows)


def promises(found: Sequence[str], tried: Mapping[str, int]) -> str:
    """Return what was broken, or that nothing was, and how much was used again for that."""
    counts = ", ".join(f"{count:,} {what}s" for what, count in sorted(tried.items()))
    broken = [f"**Broken promise:** {one}" for one in found[:SHOWN]] or [HELD]
    return "\n\n".join([*broken, f"Tried again while valid: {counts or 'nothing'}."])


def _row(work: str, times: Sequence[float], refused: int) -> list[str]:
    shares = (percentile(times, share) for share in (0.5, 0.99))
    shown = map(figure, (*shares, max(times)))
    return [work, f"{len(times):,}", *shown, str(refused)]


def _mebibytes(sizes: Sequence[float]) -> str:
    return " + ".join(f"{size:.0f}" for size in sizes)
