"""Measure variants of one work in turns, so that they share the machine's moods."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from benchmarks import client, processes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.servers import Server

WARM_UP_CONNECTIONS = 12


class Requests(Protocol):
    """Where requests come from; signed ones and codes can be used only once."""

    def take(self, count: int) -> list[bytes]:
        """Return requests to send ``count`` times in all."""
        ...


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same request again and again, or several in turns."""

    requests: tuple[bytes, ...]

    def take(self, count: int) -> list[bytes]:
        """Return all of them, however many are sent."""
        return list(self.requests)


@dataclass(slots=True)
class Unique:
    """Requests that are good for one use each."""

    requests: list[bytes]

    def take(self, count: int) -> list[bytes]:
        """Use up ``count``; raises ``IndexError`` when they run out."""
        if count > len(self.requests):
            raise IndexError(f"{count} requests wanted, {len(self.requests)} left")
        taken, self.requests = self.requests[:count], self.requests[count:]
        return taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to do the work."""

    name: str
    server: Server
    requests: Requests
    status: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much to send: ``rounds`` times these counts per variant, each within seconds."""

    rounds: int = 5
    alone: int = 150
    together: int = 300
    connections: int = 8
    max_seconds: float = 4.0
    warm_up: int = 60

    @property
    def unique(self) -> int:
        """How many single-use requests a variant needs, the warm-up included."""
        return self.warm_up + self.rounds * (self.alone + self.together)


@dataclass(slots=True, kw_only=True)
class Cost:
    """What one variant cost; CPU figures are per request, times are milliseconds."""

    name: str
    application: list[float] = field(default_factory=list)
    database: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    together: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    body: int = 0

    @property
    def cpu_application(self) -> float:
        """Median over the rounds."""
        return statistics.median(self.application)

    @property
    def cpu_database(self) -> float:
        """Median over the rounds."""
        return statistics.median(self.database)

    @property
    def cpu(self) -> float:
        """Application and database together, per request."""
        return statistics.median(
            application + database
            for application, database in zip(self.application, self.database, strict=True)
        )

    @property
    def rate(self) -> float:
        """Requests per second with eight connections."""
        return statistics.median(self.rates)

    def wall(self, share: float, *, together: bool = False) -> float:
        """Return a percentile of the wall-clock times, in milliseconds."""
        return percentile(self.together if together else self.alone, share)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that ``share`` of them do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


class UnexpectedAnswer(Exception):
    """A server answered with another status than the variant is about."""


def compare(
    variants: Sequence[Variant], *, effort: Effort, database: int | None
) -> dict[str, Cost]:
    """Measure the variants in turns; ``database`` is the process whose tree is PostgreSQL.

    Raises ``UnexpectedAnswer`` as soon as one does not answer what it should.
    """
    costs = {variant.name: Cost(name=variant.name) for variant in variants}
    for variant in variants:
        _play(variant, effort.warm_up, WARM_UP_CONNECTIONS, effort.max_seconds)
    for _ in range(effort.rounds):
        for variant in variants:
            _round(variant, costs[variant.name], effort, database)
    return costs


def _round(variant: Variant, cost: Cost, effort: Effort, database: int | None) -> None:
    before = _cpu(variant, database)
    alone = _play(variant, effort.alone, 1, effort.max_seconds)
    together = _play(variant, effort.together, effort.connections, effort.max_seconds)
    after = _cpu(variant, database)
    answered = len(alone.seconds) + len(together.seconds)
    cost.application.append((after[0] - before[0]) / answered)
    cost.database.append((after[1] - before[1]) / answered)
    cost.alone.extend(second * 1000 for second in alone.seconds)
    cost.together.extend(second * 1000 for second in together.seconds)
    cost.rates.append(len(together.seconds) / together.elapsed)
    cost.body = alone.bytes_received // len(alone.seconds)


def _cpu(variant: Variant, database: int | None) -> tuple[float, float]:
    return (
        variant.server.cpu_milliseconds(),
        processes.cpu_milliseconds(database) if database is not None else 0.0,
    )


def _play(
    variant: Variant, count: int, connections: int, max_seconds: float
) -> client.Outcome:
    outcome = client.run(
        client.Job(
            port=variant.server.port,
            requests=variant.requests.take(count),
            count=count,
            status=variant.status,
            connections=connections,
            max_seconds=max_seconds,
        )
    )
    if outcome.unexpected:
        raise UnexpectedAnswer(f"{variant.name}: {outcome.unexpected[:2000]!r}")
    return outcome
