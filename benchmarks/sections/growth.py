"""What a request costs on ever larger calendars, in lists of ten."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from benchmarks import client, messages, paths
from benchmarks.bench import Bench
from benchmarks.measure import Cost, Effort, Variant, percentile
from benchmarks.paths import ALL_TIME, EVENTS
from benchmarks.report import Goal, Section, figure, percent, table
from benchmarks.seed.constants import ABSENT, COMMON, RARE, STOP_WORD, TWO_CHARACTERS
from benchmarks.servers import Server

Costs = Mapping[str, Mapping[str, Cost]]
"""By request and size."""

EFFORT: Final = Effort(rounds=3, alone=20, together=0, seconds=1.5, warm_up=4)
LIST: Final = "page one"
LIMIT: Final = 1.5
LISTS_LIMIT: Final = 2.0
DAILY_MILLISECONDS: Final = 20.0
"""What calendars ask all day may cost at a million events."""
WORST_MILLISECONDS: Final = 300.0
TEXT: Final = """
One client, {sizes} events. L is what the list of ten costs ("page one", default window) on
the same calendar in the same run; "all time" is `{all_time}`. Every page carries its exact
total. Goals in milliseconds hold for a million events, and are
only checked there. "refused" is
the share of requests that were answered 503 with `Retry-After`.
"""


@dataclass(frozen=True, slots=True)
class Work:
    """A request, and its goals: growth by size, and cost on the largest calendar."""

    path: str
    growth: float | None = None
    lists: float | None = None
    """In L."""
    milliseconds: float = WORST_MILLISECONDS
    """At a million events."""
    is_bearer: bool = False


def works(last_page: int) -> dict[str, Work]:
    """Return the requests by name, on a calendar with so many pages."""
    search, ever = paths.search, f"&{ALL_TIME}"
    ten_categories = ",".join(map(str, range(1, 11)))
    ten_words = "+".join([STOP_WORD] * 10)
    day = "start_date=2027-01-01&end_date=2027-01-01"
    month = "start_date=2027-03-01&end_date=2027-03-31"
    daily = DAILY_MILLISECONDS
    return {
        LIST: Work(EVENTS, growth=LIMIT),
        "last page": Work(paths.page(last_page)),
        "default total": Work(f"{EVENTS}?per_page=1", growth=LIMIT),
        "within 10 km": Work(paths.around(10), growth=LIMIT),
        "category": Work(f"{EVENTS}?categories=20", lists=LISTS_LIMIT),
        "a day": Work(f"{EVENTS}?{day}", milliseconds=daily),
        "a month": Work(f"{EVENTS}?{month}", milliseconds=daily),
        "a month of a category": Work(
            f"{EVENTS}?{month}&categories=20", milliseconds=daily
        ),
        "tag": Work(f"{EVENTS}?tags=60", lists=LISTS_LIMIT),
        "search, 5 % match, all time": Work(search(COMMON, ever)),
        "search, 5 % match": Work(search(COMMON)),
        "search, 5 % match, by bearer": Work(
            search(COMMON, "&status=publish"), is_bearer=True
        ),
        "search, 0.1 % match, all time": Work(search(RARE, ever)),
        "search, nothing matches, all time": Work(search(ABSENT, ever)),
        "search, two characters, all time": Work(search(TWO_CHARACTERS, ever)),
        "search, a stop word, all time": Work(search(STOP_WORD, ever)),
        "search, a phrase, all time": Work(search("%22the+quick%22", ever)),
        "search, ten words, all time": Work(search(ten_words, ever)),
        "middle page": Work(paths.page(last_page // 2)),
        "ordered by title": Work(f"{EVENTS}?orderby=title"),
        "category with children": Work(f"{EVENTS}?categories=1"),
        "ten categories, all time": Work(f"{paths.ALL}&categories={ten_categories}"),
        "category and tag": Work(f"{EVENTS}?categories=1&tags=41"),
        "featured": Work(f"{EVENTS}?featured=true", milliseconds=daily),
        "within 500 km": Work(paths.around(500)),
        "modified after": Work(f"{EVENTS}?modified_after=2020-01-01"),
        "overlaps": Work(f"{EVENTS}?{day}&overlaps=true", milliseconds=daily),
        "ends before, all time": Work(f"{paths.ALL}&ends_before=2027-01-01"),
        "every status, by bearer": Work(EVENTS, milliseconds=daily, is_bearer=True),
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
    columns = ["request", *(f"{size} CPU ms" for size in sizes)]
    columns += [f"{sizes[-1]} p50 ms", "growth", f"{sizes[-1]}, L", "refused"]
    yield Section(
        "Growth",
        TEXT.format(sizes=", ".join(sizes), all_time=ALL_TIME),
        table(columns, (_row(name, costs, sizes) for name in costs)),
        _goals(costs, sizes),
    )


def _pages(server: Server) -> int:
    answer = client.ask(server.port, messages.get(EVENTS))
    return int(answer.headers["x-tec-totalpages"])


def _variant(server: Server, work: Work) -> Variant:
    headers = messages.BEARER if work.is_bearer else None
    return Variant(server.name, server, messages.in_turns(work.path, headers=headers))


def _row(name: str, costs: Costs, sizes: list[str]) -> list[str]:
    each = [costs[name][size] for size in sizes]
    row = [name, *(figure(one.cpu) if one.is_answered else "-" for one in each)]
    if all(one.is_answered for one in each):
        listed = costs[LIST][sizes[-1]].cpu
        row.append(figure(percentile(each[-1].alone, 0.5)))
        row += [figure(each[-1].cpu / each[0].cpu), figure(each[-1].cpu / listed)]
    else:
        row += ["-"] * 3
    return [*row, percent(each[-1].refused_share)]


def _goals(costs: Costs, sizes: list[str]) -> list[Goal]:
    """Return the goals that these sizes decide: milliseconds only at a million events."""
    smallest, largest = sizes[0], sizes[-1]
    listed, goals = costs[LIST][largest].cpu, []
    for name, work in works(1).items():
        first, last = costs[name][smallest], costs[name][largest]
        if not (first.is_answered and last.is_answered):
            continue
        if work.growth and smallest != largest:
            of = f"{largest} over {smallest}, CPU"
            goals.append(Goal(name, of, work.growth, last.cpu / first.cpu))
        if work.lists:
            goals.append(Goal(name, f"L, {largest}", work.lists, last.cpu / listed))
        if largest == "1M":
            goals.append(Goal(name, "CPU, 1M", work.milliseconds, last.cpu, "ms"))
    return goals
