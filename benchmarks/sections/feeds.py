"""Complete feeds: what an event of one costs, and what a worker keeps of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks import messages, paths, processes, servers
from benchmarks.goals import Verdict, figure
from benchmarks.measure import Effort, Repeated, Variant, compare
from benchmarks.report import Section, table
from benchmarks.seed.credentials import INSTITUTIONS

if TYPE_CHECKING:
    from benchmarks.bench import Bench, Calendar
    from benchmarks.measure import Cost
    from benchmarks.servers import Server

FEEDS: Final = {
    "default window": paths.FEED,
    "all time": f"{paths.FEED}?start_date=2000-01-01&end_date=2100-01-01",
    "one institution": f"{paths.FEED}?institution={INSTITUTIONS[0]}",
}
EFFORT: Final = Effort(
    rounds=3, alone=2, together=4, connections=2, max_seconds=60, warm_up=2
)
PER_EVENT_LIMIT: Final = 0.02
MEMORY_LIMIT: Final = 1.05
TEXT: Final = """
`GET /events.ics` for anybody, {label}, read to its end. CPU per event is compared with the
CPU of one list of ten (`GET /events`: {listed} ms) in the same run. Resident memory is the
largest worker's.
"""


def measure(bench: Bench, calendar: Calendar) -> Section:
    """Read feeds to their end."""
    bench.say("feeds")
    server = bench.serve("ours", calendar.url)
    listed = bench.compare(
        [Variant(name="list", server=server, requests=Repeated((_get(paths.EVENTS),)))]
    )["list"].cpu
    rows, ratios, sizes = [], [], []
    for name, path in FEEDS.items():
        message = _get(path)
        _, _, body = servers.answer(server, message)
        events = max(body.count(b"BEGIN:VEVENT"), 1)
        sizes.append(_largest(server))
        cost = compare(
            [Variant(name=name, server=server, requests=Repeated((message,)))],
            effort=EFFORT,
            database=bench.cluster.pid if bench.cluster else None,
        )[name]
        sizes.append(_largest(server))
        ratios.append(cost.cpu / events / listed)
        rows.append(_row(name, events, body, cost, ratio=ratios[-1], memory=sizes[-1]))
    columns = (
        "feed",
        "events",
        "MB",
        "app CPU µs an event",
        "db CPU µs an event",
        "CPU an event / list",
        "p50 s",
        "memory MiB",
    )
    return Section(
        title="Feeds",
        text=TEXT.strip().format(label=calendar.label, listed=figure(listed)),
        tables=[table(columns, rows)],
        verdicts=[
            Verdict(
                subject="an event of a feed",
                of="GET /events, 10 per page, CPU",
                limit=PER_EVENT_LIMIT,
                measured=max(ratios[:2]),  # the small one is mostly its request
            ),
            Verdict(
                subject="feeds, memory",
                of="after the first feed",
                limit=MEMORY_LIMIT,
                measured=sizes[-1] / sizes[0],
            ),
        ],
    )


def _get(path: str) -> bytes:
    return messages.get(path).replace(b"application/json", b"*/*")


def _largest(server: Server) -> float:
    return max(processes.resident_mebibytes(pid) for pid in server.workers())


def _row(  # noqa: PLR0913 -- the columns
    name: str, events: int, body: bytes, cost: Cost, *, ratio: float, memory: float
) -> list[str]:
    return [
        name,
        f"{events:,}",
        figure(len(body) / 1e6),
        figure(1000 * cost.cpu_application / events),
        figure(1000 * cost.cpu_database / events),
        figure(ratio),
        figure(cost.wall(0.5) / 1000),
        figure(memory),
    ]
