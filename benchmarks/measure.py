"""Measure variants of one work in turns, so that they share the machine's moods."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks import client, processes
from benchmarks.client import Outcome
from benchmarks.servers import Server

WARM_UP_CONNECTIONS = 12


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to do the work; ``requests`` never ends, or has ``Effort.total``."""

    name: str
    server: Server
    requests: Iterator[bytes]
    status: int | None = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much to send: ``rounds`` times these counts per variant, each within seconds."""

    rounds: int = 5
    alone: int = 100
    together: int = 200
    connections: int = 8
    seconds: float = 3.0
    warm_up: int = 40

    @property
    def total(self) -> int:
        """How many single-use requests a variant needs."""
        return self.warm_up + self.rounds * (self.alone + self.together)


@dataclass(slots=True, kw_only=True)
class Cost:
    """What one variant cost; CPU figures are per answer, times are milliseconds."""

    application: list[float] = field(default_factory=list)
    database: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    together: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    refused: int = 0
    body: int = 0

    @property
    def cpu(self) -> float:
        """Application and database together, median over the rounds."""
        pairs = zip(self.application, self.database, strict=True)
        return statistics.median(map(sum, pairs))

    @property
    def is_answered(self) -> bool:
        """Whether there is any figure: all requests may have been refused."""
        return bool(self.application and self.alone)

    @property
    def refused_share(self) -> float:
        """How many of the requests were refused for the moment, from 0 to 1."""
        answered = len(self.alone) + len(self.together)
        return self.refused / max(self.refused + answered, 1)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that ``share`` of them do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def compare(
    variants: Sequence[Variant], *, effort: Effort, database: int
) -> dict[str, Cost]:
    """Measure the variants in turns; ``database`` is the process whose tree is PostgreSQL.

    Raises ``UnexpectedAnswer`` as soon as one does not answer what it should.
    """
    costs = {variant.name: Cost() for variant in variants}
    for variant in variants:
        _play(variant, effort.warm_up, WARM_UP_CONNECTIONS, effort.seconds)
    for _ in range(effort.rounds):
        for variant in variants:
            _round(variant, costs[variant.name], effort, database)
    return costs


def _round(variant: Variant, cost: Cost, effort: Effort, database: int) -> None:
    before = _cpu(variant, database)
    alone = _play(variant, effort.alone, 1, effort.seconds)
    outcomes = [alone]
    if effort.together:
        outcomes.append(_play(variant, effort.together, effort.connections, effort.seconds))
        cost.together += outcomes[1].milliseconds
        cost.rates.append(outcomes[1].rate)
    after = _cpu(variant, database)
    cost.alone += alone.milliseconds
    cost.refused += sum(outcome.refused for outcome in outcomes)
    cost.body = alone.body_bytes
    if answered := sum(len(outcome.milliseconds) for outcome in outcomes):
        cost.application.append((after[0] - before[0]) / answered)
        cost.database.append((after[1] - before[1]) / answered)


def _cpu(variant: Variant, database: int) -> tuple[float, float]:
    return (
        processes.cpu_milliseconds(variant.server.pid),
        processes.cpu_milliseconds(database),
    )


def _play(variant: Variant, count: int, connections: int, seconds: float) -> Outcome:
    try:
        return client.send(
            variant.server.port,
            variant.requests,
            connections=min(connections, count),
            count=count,
            seconds=seconds,
            status=variant.status,
        )
    except client.UnexpectedAnswer as error:
        raise client.UnexpectedAnswer(f"{variant.name}: {error}") from None
