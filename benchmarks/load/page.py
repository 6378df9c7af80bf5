"""What a run of the load found, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.measure import percentile
from benchmarks.report import figure, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.load.generator import Tally

    Look = tuple[list[float], int]
    """The mebibytes of each worker, and the connections to the database."""

SHOWN: Final = 20
HELD: Final = "Every acknowledged write is there, nothing was done or used twice."
LOAD: Final = """
{events:,} events, {rate:g} journeys a second for {seconds:g} seconds: {answers:.0f} answers
a second. Times count from when a request was due.
"""
OUTCOME: Final = """
Errors, and requests without an answer: {errors}. Memory of the workers: {memory} MiB after
each quarter of the time. Connections to the database: at most {connections}.
"""


def of_load(  # noqa: PLR0913 -- what a run was, and what it found
    tally: Tally,
    looks: Sequence[Look],
    *,
    events: int,
    rate: float,
    seconds: float,
    found: Sequence[str],
    tried: Mapping[str, int],
) -> str:
    """Return the table of a run without faults, and what it cost the server."""
    quarters = (looks[len(looks) * part // 4 - 1][0] for part in (1, 2, 3, 4))
    parts = [
        LOAD.format(
            events=events, rate=rate, seconds=seconds, answers=tally.answers / seconds
        ).strip(),
        latencies(tally),
        OUTCOME.format(
            errors=tally.faults.total() + tally.broken.total(),
            memory=", ".join(map(_mebibytes, quarters)),
            connections=max(connections for _, connections in looks),
        ).strip(),
        *(f"Error: {what}, {times} times." for what, times in tally.faults.items()),
        promises(found, tried),
    ]
    return "\n\n".join(parts) + "\n"


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
