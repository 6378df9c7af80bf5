"""Creating events with everything that belongs to them."""

from collections.abc import Iterator
from typing import Final

from benchmarks import client, messages, paths
from benchmarks.bench import Bench
from benchmarks.measure import Variant
from benchmarks.report import AT_LEAST, Goal, Section, cost_table
from benchmarks.servers import Server

LIMIT: Final = 8.0
GROWTH_LIMIT: Final = 1.5
WRITERS: Final = 8
WRITERS_LIMIT: Final = 1.3
TEXT: Final = """
`POST /events` by bearer token: a title, a kilobyte of description, dates in a zone, a
cost, one venue, two organizers, two categories and three tags of the same institution.
Every answer is a 201, committed. L is the list of ten on
the largest calendar, in turns with the creates. Eight writers
and one, for {seconds} seconds each on the smallest calendar: {eight:.0f} and {one:.0f}
creates a second.
"""


def measure(bench: Bench) -> Iterator[Section]:
    """Create events in turns on every calendar."""
    running = [bench.serve(found.label, found.url) for found in bench.calendars]
    variants = [
        Variant(one.name, one, messages.creates(one.name), status=201) for one in running
    ]
    variants.append(Variant("list", running[-1], messages.in_turns(paths.EVENTS)))
    costs = bench.compare(variants)
    listed = costs["list"].cpu
    one, eight = (_rate(running[0], number, bench.seconds) for number in (1, WRITERS))
    smallest, largest = running[0].name, running[-1].name
    cost = costs[largest].cpu
    goals = [
        Goal(f"create an event, {largest}", "L", LIMIT, cost / listed),
        Goal(f"{WRITERS} writers", "one, rate", WRITERS_LIMIT, eight / one, *AT_LEAST),
    ]
    if smallest != largest:
        of, growth = f"{largest} over {smallest}, CPU", cost / costs[smallest].cpu
        goals.append(Goal("create an event", of, GROWTH_LIMIT, growth))
    yield Section(
        "Creating events",
        TEXT.format(seconds=bench.seconds, one=one, eight=eight),
        cost_table(costs, baseline=smallest),
        goals,
    )


def _rate(server: Server, connections: int, seconds: float) -> float:
    requests = messages.creates(f"{connections} writers")
    load = {"connections": connections, "seconds": seconds, "status": 201}
    return client.send(server.port, requests, **load).rate
