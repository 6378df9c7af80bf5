"""Complete feeds: what an event of one costs, and what a worker keeps of many."""

from collections.abc import Iterator
from typing import Final

from benchmarks import client, messages, paths
from benchmarks.bench import Bench
from benchmarks.measure import Effort, Variant, percentile
from benchmarks.report import Goal, Section, figure, percent, table
from benchmarks.seed.constants import INSTITUTIONS

FEEDS: Final = {
    "default window": paths.FEED,
    "all time": f"{paths.FEED}?{paths.ALL_TIME}",
    "one institution": f"{paths.FEED}?institution={INSTITUTIONS[0]}",
}
EFFORT: Final = Effort(rounds=2, alone=2, together=4, connections=2, seconds=30, warm_up=1)
PER_EVENT_LIMIT: Final = 0.03
MEMORY_LIMIT: Final = 1.05
TEXT: Final = """
`GET /events.ics` for anybody, {label}, read to its end. L is the list of ten in the same
run. Memory is the largest worker's, resident.
"""
COLUMNS: Final = (
    "feed",
    "events",
    "MB",
    "app CPU µs an event",
    "db CPU µs an event",
    "CPU an event, L",
    "p50 s",
    "memory MiB",
    "refused",
)


def measure(bench: Bench) -> Iterator[Section]:
    """Read feeds to their end."""
    server = bench.serve("ours", bench.main.url)
    listed = bench.cost_of_a_list(server)
    rows, ratios, sizes = [], [], []
    for name, path in FEEDS.items():
        headers = {"Accept": "text/calendar"}
        body = client.ask(server.port, messages.get(path, headers)).body
        events = max(body.count(b"BEGIN:VEVENT"), 1)
        sizes.append(max(server.worker_mebibytes()))
        variant = Variant(name, server, messages.in_turns(path, headers=headers))
        cost = bench.compare([variant], EFFORT)[name]
        sizes.append(max(server.worker_mebibytes()))
        ratios.append(cost.cpu / events / listed)
        figures = (
            len(body) / 1e6,
            1000 * percentile(cost.application, 0.5) / events,
            1000 * percentile(cost.database, 0.5) / events,
            ratios[-1],
            percentile(cost.alone, 0.5) / 1000,
            sizes[-1],
        )
        refused = percent(cost.refused_share)
        rows.append([name, f"{events:,}", *map(figure, figures), refused])
    each = max(ratios[:2])  # the small one is mostly its request
    yield Section(
        "Feeds",
        TEXT.format(label=bench.main.label),
        table(COLUMNS, rows),
        [
            Goal("an event of a feed", "L", PER_EVENT_LIMIT, each),
            Goal("feeds, memory", "after the first", MEMORY_LIMIT, sizes[-1] / sizes[0]),
        ],
    )
