"""The whole run: which calendars, which parts, which goals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchmarks import paths
from benchmarks.sections import (
    authentication,
    growth,
    lists,
    memory,
    plans,
    search,
    signed,
    tokens,
    writes,
)
from benchmarks.seed import credentials

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.bench import Bench, Calendar
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
    memory_requests: int = memory.REQUESTS


def on_postgres(bench: Bench, plan: Plan) -> Iterator[Section]:
    """Measure everything, part by part; needs a cluster."""
    cluster = bench.cluster
    if cluster is None:
        raise ValueError("needs a PostgreSQL cluster")
    calendars = {
        label: bench.seed(
            label,
            SIZES[label],
            cluster.create(f"bench_{label.lower()}", is_kept=bench.is_reusing),
        )
        for label in plan.labels
    }
    main = calendars[plan.main]
    bench.say("documents of the floor")
    bench.inside(main.url, "benchmarks.yardsticks.floor:build_documents")
    stock_url = cluster.create("bench_stock")
    bench.say("stock django-oauth-toolkit")
    bench.inside(
        stock_url,
        "benchmarks.yardsticks.stock.accounts:prepare",
        settings=tokens.STOCK_SETTINGS,
        token=credentials.BEARER,
        other_tokens=credentials.OTHER_TOKENS,
        client_id=credentials.PUBLIC_KEY,
        redirect=credentials.REDIRECT,
    )
    yield from reading(bench, main)
    every = list(calendars.values())
    with bench.part() as part:
        yield signed.measure(part, main)
    with bench.part() as part:
        yield authentication.measure(part, main, stock_url)
    with bench.part() as part:
        yield tokens.measure(part, main, stock_url)
    with bench.part() as part:
        yield growth.measure(part, every)
    with bench.part() as part:
        yield search.measure(part, every)
    with bench.part() as part:
        yield memory.measure(part, main, requests=plan.memory_requests)
    with bench.part() as part:
        yield writes.measure(part, every)
    yield plans.explain(bench, every[-1])


def on_sqlite(bench: Bench, plan: Plan, url: str) -> Iterator[Section]:
    """Measure what an embedded database is for: one calendar, one machine."""
    calendar = bench.seed(plan.main, SIZES[plan.main], url)
    yield from reading(bench, calendar)
    with bench.part() as part:
        yield signed.measure(part, calendar)
    with bench.part() as part:
        yield search.measure(part, [calendar])
    with bench.part() as part:
        yield growth.measure(part, [calendar])
    with bench.part() as part:
        yield writes.measure(part, [calendar])


def reading(bench: Bench, calendar: Calendar) -> list[Section]:
    """Compare lists and singles with the yardsticks."""
    with bench.part() as part:
        running = lists.yardsticks(part, calendar)
        ten, ten_costs = lists.list_section(
            part, running, calendar, paths.EVENTS, "List, 10 per page"
        )
        fifty, fifty_costs = lists.list_section(
            part, running, calendar, paths.FIFTY, "List, 50 per page"
        )
        single, _ = lists.single_section(part, running, calendar)
        unchanged = lists.unchanged_section(part, running["ours"])
    ten.verdicts += _list_goals("10 per page", ten_costs, rows=0.9, idiomatic=1 / 10)
    fifty.verdicts += _list_goals("50 per page", fifty_costs, rows=0.8, idiomatic=1 / 12)
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
