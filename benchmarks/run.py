"""The whole run: which calendars, which parts, which goals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchmarks import paths
from benchmarks.sections import (
    authentication,
    feeds,
    growth,
    lists,
    memory,
    neighbours,
    plans,
    search,
    signed,
    tokens,
    writes,
)
from benchmarks.seed import credentials

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.bench import Bench, Calendar
    from benchmarks.databases import Cluster
    from benchmarks.goals import Verdict
    from benchmarks.measure import Cost, Effort
    from benchmarks.report import Section

SIZES: Final = {"10k": 10_000, "100k": 100_000, "1M": 1_000_000}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to measure: the labels of ``SIZES``, smallest first, and the main one."""

    labels: tuple[str, ...]
    main: str
    effort: Effort
    is_reusing: bool = False
    memory_requests: int = memory.REQUESTS
    only: frozenset[str] = frozenset()
    """Names of ``PARTS``; empty means all of them."""

    def parts(self, possible: Iterable[str]) -> list[str]:
        """Return the wanted ones of these parts, in their order."""
        return [name for name in possible if not self.only or name in self.only]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What the parts are measured on."""

    calendars: Sequence[Calendar]
    main: Calendar
    memory_requests: int
    stock_url: str = ""


Part = Callable[["Bench", Ground], "list[Section]"]
PARTS: Final[dict[str, Part]] = {
    "lists": lambda bench, ground: reading(bench, ground.main),
    "signed": lambda bench, ground: [signed.measure(bench, ground.main)],
    "authentication": lambda bench, ground: [
        authentication.measure(bench, ground.main, ground.stock_url)
    ],
    "tokens": lambda bench, ground: [tokens.measure(bench, ground.main, ground.stock_url)],
    "growth": lambda bench, ground: [growth.measure(bench, ground.calendars)],
    "search": lambda bench, ground: [search.measure(bench, ground.calendars)],
    "feeds": lambda bench, ground: [feeds.measure(bench, ground.main)],
    "memory": lambda bench, ground: [
        memory.measure(bench, ground.main, requests=ground.memory_requests)
    ],
    "writes": lambda bench, ground: [writes.measure(bench, ground.calendars)],
    "neighbours": lambda bench, ground: [neighbours.measure(bench, ground.main)],
    "plans": lambda bench, ground: [plans.explain(bench, ground.calendars[-1])],
}
ON_SQLITE: Final = ("lists", "signed", "search", "growth", "feeds", "writes")
"""What an embedded database is for: one calendar, one machine."""
WITH_STOCK: Final = frozenset({"authentication", "tokens"})


def on_postgres(bench: Bench, plan: Plan) -> Iterator[Section]:
    """Measure part by part; needs a cluster."""
    cluster = bench.cluster
    if cluster is None:
        raise ValueError("needs a PostgreSQL cluster")
    wanted = plan.parts(PARTS)
    calendars = {
        label: bench.seed(
            label,
            SIZES[label],
            cluster.create(f"bench_{label.lower()}", is_kept=bench.is_reusing),
        )
        for label in plan.labels
    }
    main = calendars[plan.main]
    if "lists" in wanted:
        bench.say("documents of the floor")
        bench.inside(main.url, "benchmarks.yardsticks.floor:build_documents")
    ground = Ground(
        calendars=list(calendars.values()),
        main=main,
        memory_requests=plan.memory_requests,
        stock_url=_stock(bench, cluster) if WITH_STOCK.intersection(wanted) else "",
    )
    yield from _sections(bench, wanted, ground)


def _stock(bench: Bench, cluster: Cluster) -> str:
    """Make the database of the stock toolkit anew."""
    bench.say("stock django-oauth-toolkit")
    url = cluster.create("bench_stock")
    bench.inside(
        url,
        "benchmarks.yardsticks.stock.accounts:prepare",
        settings=tokens.STOCK_SETTINGS,
        token=credentials.BEARER,
        other_tokens=credentials.OTHER_TOKENS,
        client_id=credentials.PUBLIC_KEY,
        redirect=credentials.REDIRECT,
    )
    return url


def on_sqlite(bench: Bench, plan: Plan, url: str) -> Iterator[Section]:
    """Measure one calendar in a file, part by part."""
    calendar = bench.seed(plan.main, SIZES[plan.main], url)
    ground = Ground(
        calendars=[calendar], main=calendar, memory_requests=plan.memory_requests
    )
    yield from _sections(bench, plan.parts(ON_SQLITE), ground)


def _sections(bench: Bench, names: Iterable[str], ground: Ground) -> Iterator[Section]:
    for name in names:
        with bench.part() as part:
            yield from PARTS[name](part, ground)


def reading(bench: Bench, calendar: Calendar) -> list[Section]:
    """Compare lists and singles with the yardsticks."""
    running = lists.yardsticks(bench, calendar)
    ten, ten_costs = lists.list_section(
        bench, running, calendar, paths.EVENTS, "List, 10 per page"
    )
    fifty, fifty_costs = lists.list_section(
        bench, running, calendar, paths.FIFTY, "List, 50 per page"
    )
    single, _ = lists.single_section(bench, running, calendar)
    unchanged = lists.unchanged_section(bench, running["ours"])
    ten.verdicts += _list_goals("10 per page", ten_costs, rows=1.1, idiomatic=1 / 10)
    fifty.verdicts += _list_goals("50 per page", fifty_costs, rows=0.85, idiomatic=1 / 10)
    return [ten, fifty, single, unchanged]


def _list_goals(
    size: str, costs: dict[str, Cost], *, rows: float, idiomatic: float
) -> list[Verdict]:
    limits = {"floor_rows": rows, "idiomatic": idiomatic}
    return [
        lists.ratio(f"GET /events, {size}", "ours", name, costs, limit=limit)
        for name, limit in limits.items()
        if name in costs
    ]
