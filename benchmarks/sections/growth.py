"""What a request costs on ever larger calendars, in lists of ten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchmarks import client, messages, paths, plot
from benchmarks.measure import Effort, Variant, percentile
from benchmarks.report import Goal, Section, figure, percent, table
from benchmarks.seed import constants

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.bench import Bench
    from benchmarks.measure import Cost
    from benchmarks.servers import Server

    Costs = Mapping[str, Mapping[str, Cost]]
    """By request and size."""

EFFORT: Final = Effort(rounds=3, alone=20, together=0, seconds=1.5, warm_up=4)
LIST: Final = "page one"
GROWTH_LIMIT: Final = 1.5
WORST_SEARCH_LIMIT: Final = 180.0
TEN_CATEGORIES: Final = ",".join(map(str, range(1, 11)))
TEN_WORDS: Final = "+".join(constants.STOP_WORD for _ in range(10))
TEXT: Final = """
One client, {sizes} events. L is what the list of ten costs ("page one", default window) on
the same calendar in the same run; "all time" is `{all_time}`. Every page carries its exact
total. What has no goal skips, counts or sorts what grows with the calendar. "refused" is
the share of requests that were answered 503 with `Retry-After`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A request, and its goals: growth by size, and cost in L on the largest calendar."""

    path: str
    growth: float | None = None
    lists: float | None = None
    is_bearer: bool = False
    is_plotted: bool = False


def works(last_page: int) -> dict[str, Work]:
    """Return the requests by name, on a calendar with so many pages."""
    search, everything = paths.search, f"&{paths.ALL_TIME}"
    at_most, events = 1.5, paths.EVENTS
    return {
        LIST: Work(path=events, growth=GROWTH_LIMIT, is_plotted=True),
        "last page": Work(path=paths.page(last_page), growth=GROWTH_LIMIT),
        "default total": Work(path=f"{events}?per_page=1", growth=GROWTH_LIMIT),
        "within 10 km": Work(path=paths.around(10), growth=GROWTH_LIMIT, is_plotted=True),
        "category": Work(path=f"{events}?categories=20", lists=at_most),
        "tag": Work(path=f"{events}?tags=60", lists=at_most),
        "search, 5 % match, all time": Work(
            path=search(constants.COMMON, everything), lists=40, is_plotted=True
        ),
        "search, 5 % match": Work(path=search(constants.COMMON)),
        "search, 5 % match, by bearer": Work(
            path=search(constants.COMMON, "&status=publish"), is_bearer=True
        ),
        "search, 0.1 % match, all time": Work(path=search(constants.RARE, everything)),
        "search, nothing matches, all time": Work(
            path=search(constants.ABSENT, everything), lists=1.5
        ),
        "search, two characters, all time": Work(
            path=search(constants.TWO_CHARACTERS, everything)
        ),
        "search, a stop word, all time": Work(
            path=search(constants.STOP_WORD, everything), is_plotted=True
        ),
        "search, a phrase, all time": Work(path=search("%22the+quick%22", everything)),
        "search, ten words, all time": Work(path=search(TEN_WORDS, everything)),
        "middle page": Work(path=paths.page(last_page // 2), is_plotted=True),
        "ordered by title": Work(path=f"{events}?orderby=title", is_plotted=True),
        "category with children": Work(path=f"{events}?categories=1"),
        "ten categories, all time": Work(path=f"{paths.ALL}&categories={TEN_CATEGORIES}"),
        "category and tag": Work(path=f"{events}?categories=1&tags=41"),
        "featured": Work(path=f"{events}?featured=true"),
        "within 500 km": Work(path=paths.around(500)),
        "modified after": Work(path=f"{events}?modified_after=2020-01-01"),
        "overlaps": Work(
            path=f"{events}?start_date=2027-01-01&end_date=2027-01-02&overlaps=true"
        ),
        "ends before, all time": Work(path=f"{paths.ALL}&ends_before=2027-01-01"),
        "every status, by bearer": Work(path=events, is_bearer=True),
    }


def measure(bench: Bench) -> Iterator[Section]:
    """Compare the calendars request by request."""
    running = [bench.serve(found.label, found.url) for found in bench.calendars]
    by_size = {server.name: works(_pages(server)) for server in running}
    costs: dict[str, dict[str, Cost]] = {}
    for name in works(1):
        bench.say(f"growth: {name}")
        variants = [_variant(server, by_size[server.name][name]) for server in running]
        costs[name] = bench.compare(variants, EFFORT)
    sizes = [server.name for server in running]
    plotted = {
        name: [
            (plot.number(size), cost.cpu)
            for size, cost in costs[name].items()
            if cost.is_answered
        ]
        for name, work in works(1).items()
        if work.is_plotted
    }
    title = "CPU by size of the calendar"
    drawing = plot.lines(plotted, title=title, x="events", y="ms", is_log=True)
    columns = ["request", *(f"{size} CPU ms" for size in sizes)]
    columns += [f"{sizes[-1]} p50 ms", "growth", f"{sizes[-1]}, L", "refused"]
    yield Section(
        "Growth",
        TEXT.format(sizes=", ".join(sizes), all_time=paths.ALL_TIME),
        table(columns, (_row(name, costs, sizes) for name in costs)),
        _goals(costs, sizes),
        {"growth": drawing} if len(sizes) > 1 else {},
    )


def _pages(server: Server) -> int:
    answer = client.ask(server.port, messages.get(paths.EVENTS))
    return int(answer.headers["x-tec-totalpages"])


def _variant(server: Server, work: Work) -> Variant:
    headers = messages.BEARER if work.is_bearer else None
    return Variant(server.name, server, messages.in_turns(work.path, headers=headers))


def _row(name: str, costs: Costs, sizes: list[str]) -> list[str]:
    each = [costs[name][size] for size in sizes]
    last = each[-1]
    row = [name, *(figure(one.cpu) if one.is_answered else "-" for one in each)]
    if all(one.is_answered for one in each):
        listed = costs[LIST][sizes[-1]].cpu
        row.append(figure(percentile(last.alone, 0.5)))
        row += [figure(last.cpu / each[0].cpu), figure(last.cpu / listed)]
    else:
        row += ["-"] * 3
    return [*row, percent(last.refused_share)]


def _goals(costs: Costs, sizes: list[str]) -> list[Goal]:
    smallest, largest = sizes[0], sizes[-1]
    in_lists = {
        name: each[largest].cpu / costs[LIST][largest].cpu
        for name, each in costs.items()
        if all(cost.is_answered for cost in each.values())
    }
    goals = []
    for name, work in works(1).items():
        if name in in_lists and work.growth and smallest != largest:
            growth = costs[name][largest].cpu / costs[name][smallest].cpu
            goals.append(Goal(name, f"{largest} over {smallest}, CPU", work.growth, growth))
        if name in in_lists and work.lists:
            goals.append(Goal(name, f"L, {largest}", work.lists, in_lists[name]))
    worst = max(value for name, value in in_lists.items() if name.startswith("search"))
    goals.append(Goal("search, the worst", f"L, {largest}", WORST_SEARCH_LIMIT, worst))
    return goals
