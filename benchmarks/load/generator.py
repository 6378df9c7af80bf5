"""Journeys that begin at random times, whatever the server does."""

import asyncio
import re
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from random import Random
from typing import Final

from benchmarks.client import Answer, UnexpectedAnswer
from benchmarks.load.journeys import Journey, Mixture
from benchmarks.load.visits import BROKEN, Line, Visit

LINES: Final = 128
"""Callers at the same time; who finds none idle waits, which counts."""
PATIENCE_SECONDS: Final = 15.0
REASON: Final = re.compile(rb'"(?:detail|message)": ?"([^"]+)"|<h1[^>]*>\s*([^<]+)')
UNEXPECTED: Final = "a page that asks for something else"
EXPECTED: Final = {200, 201, 302, 304}
"""What every request of the mixture asks for."""


@dataclass(slots=True)
class Tally:
    """What came back, by the work that it was part of."""

    milliseconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Of requests that got the answer they asked for, from when they were due."""
    statuses: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    refused: Counter[str] = field(default_factory=Counter)
    """Answers 503 that say when to come again."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Why those were given, in the server's words."""
    faults: Counter[str] = field(default_factory=Counter)
    """Any other answers, by status and work."""
    broken: Counter[str] = field(default_factory=Counter)
    """Requests without a whole answer."""

    def take(self, work: str, answer: Answer, milliseconds: float) -> None:
        """Record an answer."""
        self.statuses[work][answer.status] += 1
        if answer.status == BROKEN:
            self.broken[work] += 1
        elif answer.status == 503 and "retry-after" in answer.headers:
            self.refused[work] += 1
            self.reasons[reason_of(answer)] += 1
        elif answer.status not in EXPECTED:
            self.faults[f"{answer.status} {work}"] += 1
        else:
            self.milliseconds[work].append(milliseconds)

    @property
    def answers(self) -> int:
        """How many requests got what they asked for."""
        return sum(map(len, self.milliseconds.values()))


def reason_of(answer: Answer) -> str:
    """Return the last sentence of an error's document, or the heading of its page."""
    found = REASON.findall(answer.body)
    return b"".join(found[-1]).decode().strip() if found else answer.body[:60].decode()


@dataclass(slots=True)
class Load:
    """An open loop: ``rate`` journeys a second begin, until ``stopping`` is set."""

    port: int
    mixture: Mixture
    rate: float
    tally: Tally = field(default_factory=Tally)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    _random: Random = field(default_factory=lambda: Random("arrivals"))  # noqa: S311 -- repeatable

    async def run(self) -> None:
        """Begin journeys until ``stopping`` is set; return when the last has ended."""
        kinds = self.mixture.kinds().values()
        journeys = [journey for _, journey in kinds]
        weights = [weight for weight, _ in kinds]
        idle: asyncio.LifoQueue[Line] = asyncio.LifoQueue()
        lines = [Line(self.port, PATIENCE_SECONDS) for _ in range(LINES)]
        for line in lines:
            idle.put_nowait(line)
        at = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            while not self.stopping.is_set():
                at += self._random.expovariate(self.rate)
                await asyncio.sleep(at - time.perf_counter())
                (journey,) = self._random.choices(journeys, weights)
                group.create_task(self._begin(journey, idle, at))
        for line in lines:
            await line.close()

    async def _begin(
        self, journey: Journey, idle: asyncio.LifoQueue[Line], due: float
    ) -> None:
        line = await idle.get()
        try:
            await journey(Visit(line, due, self.tally.take))
        except UnexpectedAnswer:
            self.tally.faults[UNEXPECTED] += 1
        finally:
            idle.put_nowait(line)


async def once(port: int, journey: Journey) -> Tally:
    """Run one journey on a connection of its own; return what came back."""
    tally, line = Tally(), Line(port, PATIENCE_SECONDS)
    await journey(Visit(line, time.perf_counter(), tally.take))
    await line.close()
    return tally
