"""Lists, the single event and the 304, beside yardsticks that answer the same."""

import itertools
from collections.abc import Iterable, Iterator
from typing import Final

import orjson

from benchmarks import client, messages, paths, servers
from benchmarks.bench import Bench
from benchmarks.measure import Cost, Variant
from benchmarks.report import Goal, Section, cost_table
from benchmarks.servers import Server

ROW_LIMITS: Final = {10: 1.6, 50: 1.1}
PAGES_LIMIT: Final = 1.3
IDIOMATIC_LIMIT: Final = 1 / 7
SINGLE_LIMIT: Final = 1 / 6
UNCHANGED_LIMITS: Final = {"list": 0.6, "single": 0.85}
LIST_TEXT: Final = """
`GET /events?per_page={size}` for anybody, {label}; goals are about page one, "pages" are 1
to 20 in turns. All variants answer the same JSON (compared before), total and links
included.
"""
SINGLE_TEXT: Final = """
`GET /events/{{id}}` for anybody, {label}, a hundred events in turns; the same JSON.
"""
UNCHANGED_TEXT: Final = """
The same with `If-None-Match`, nothing changed since; one list, a hundred singles in turns.
"""


def measure(bench: Bench) -> Iterator[Section]:
    """Start ours and every yardstick on one calendar, and compare them."""
    label, url = bench.main
    floor = "benchmarks.yardsticks.floor"
    ours = bench.serve("ours", url)
    rows = bench.serve("floor_rows", url, application=f"{floor}:floor_rows")
    urls = "benchmarks.yardsticks.idiomatic.urls"
    idiomatic = bench.serve("idiomatic", url, application=servers.DJANGO, urls=urls)
    for size, limit in ROW_LIMITS.items():
        pages = [paths.page(number, f"&per_page={size}") for number in paths.PAGES]
        costs = _same(bench, [ours, rows, idiomatic], pages[:1])
        turns = _same(bench, [ours, rows], pages)
        work = f"GET /events, {size} per page"
        yield Section(
            f"List, {size} per page",
            LIST_TEXT.format(size=size, label=label),
            cost_table(
                costs | {f"{name}, pages": cost for name, cost in turns.items()},
                baseline="ours",
            ),
            [
                _ratio(work, costs, "ours", "floor_rows", limit),
                _ratio(work, costs, "ours", "idiomatic", IDIOMATIC_LIMIT),
                Goal(
                    f"{work}, pages 1 to 20",
                    "page one, CPU",
                    PAGES_LIMIT,
                    turns["ours"].cpu / costs["ours"].cpu,
                ),
            ],
        )
    singles = _some_events(ours)
    costs = _same(bench, [ours, idiomatic], singles)
    yield Section(
        "Single event",
        SINGLE_TEXT.format(label=label),
        cost_table(costs, baseline="ours"),
        [_ratio("GET /events/{id}", costs, "ours", "idiomatic", SINGLE_LIMIT)],
    )
    yield _unchanged(bench, ours, {"list": [paths.EVENTS], "single": singles})


def _same(bench: Bench, running: list[Server], addresses: list[str]) -> dict[str, Cost]:
    """Compare what servers answer, then what it costs."""
    for path in addresses[:5]:
        require_same(running, messages.get(path))
    return bench.compare(
        [Variant(one.name, one, messages.in_turns(*addresses)) for one in running]
    )


def _unchanged(bench: Bench, ours: Server, kinds: dict[str, list[str]]) -> Section:
    variants = []
    for name, addresses in kinds.items():
        conditional = itertools.cycle([_conditional(ours, path) for path in addresses])
        variants += [
            Variant(f"{name}, 200", ours, messages.in_turns(*addresses)),
            Variant(f"{name}, 304", ours, conditional, status=304),
        ]
    costs = bench.compare(variants)
    goals = [
        _ratio(f"304, unchanged {name}", costs, f"{name}, 304", f"{name}, 200", limit)
        for name, limit in UNCHANGED_LIMITS.items()
    ]
    table = cost_table(costs, baseline="list, 200")
    return Section("Unchanged", UNCHANGED_TEXT, table, goals)


def _conditional(server: Server, path: str) -> bytes:
    tag = client.ask(server.port, messages.get(path)).headers["etag"]
    return messages.get(path, {"If-None-Match": tag})


def _ratio(
    work: str, costs: dict[str, Cost], measured: str, other: str, limit: float
) -> Goal:
    return Goal(work, f"{other}, CPU", limit, costs[measured].cpu / costs[other].cpu)


def _some_events(server: Server) -> list[str]:
    """Return the paths of a hundred events that anybody may see."""
    found = []
    for number in (1, 2):
        message = messages.get(paths.page(number, "&per_page=50"))
        body = client.ask(server.port, message).body
        found += [paths.event(event["id"]) for event in orjson.loads(body)["events"]]
    return found


def require_same(running: Iterable[Server], message: bytes) -> None:
    """Raise ``UnexpectedAnswer`` unless all give the same JSON: others measure nothing."""
    first, *others = ((each, client.ask(each.port, message)) for each in running)
    for server, answer in others:
        if orjson.loads(answer.body) != orjson.loads(first[1].body):
            raise client.UnexpectedAnswer(f"{server.name} differs from {first[0].name}")
