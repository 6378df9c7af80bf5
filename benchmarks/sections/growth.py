"""The same pages on ever larger calendars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks import messages, paths, servers
from benchmarks.goals import Verdict, figure
from benchmarks.measure import Repeated, UnexpectedAnswer, Variant
from benchmarks.report import Section, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.bench import Bench, Calendar
    from benchmarks.measure import Cost
    from benchmarks.servers import Server

LIMIT: Final = 1.5
WITHOUT_GOAL: Final = frozenset(
    {"page in the middle", "category with children", "geographic page, 500 km"}
)
TEXT: Final = """
Median CPU (application and database) and median wall time of one client, per request. The
geographic page asks for 10 km around a town; a larger calendar has more towns. The last
three rows have no goal: what they skip, or count exactly, grows with the calendar. Every
page carries its exact total.
"""


def works(server: Server) -> dict[str, str]:
    """Return the pages by name; the last one depends on how many there are."""
    status, headers, body = servers.answer(server, messages.get(paths.EVENTS))
    if status != 200:
        raise UnexpectedAnswer(f"{server.name}: {body[:2000]!r}")
    last = int(headers["x-tec-totalpages"])
    return {
        "page one": paths.EVENTS,
        "last page": paths.page(last),
        "category page": paths.LEAF_CATEGORY,
        "default total (one event)": f"{paths.EVENTS}?per_page=1",
        "geographic page": paths.TOWN,
        "page in the middle": paths.page(last // 2),
        "category with children": paths.TREE_CATEGORY,
        "geographic page, 500 km": paths.REGION,
    }


def measure(bench: Bench, calendars: Sequence[Calendar]) -> Section:
    """Compare the calendars page by page."""
    running = {
        calendar.label: bench.serve(calendar.label, calendar.url) for calendar in calendars
    }
    pages = {label: works(server) for label, server in running.items()}
    found: dict[str, dict[str, Cost]] = {}
    for work in next(iter(pages.values())):
        bench.say(f"growth: {work}")
        found[work] = bench.compare(
            [
                Variant(
                    name=label,
                    server=server,
                    requests=Repeated((messages.get(pages[label][work]),)),
                )
                for label, server in running.items()
            ]
        )
    return _section(found, [calendar.label for calendar in calendars])


def _section(found: dict[str, dict[str, Cost]], labels: Sequence[str]) -> Section:
    smallest, largest = labels[0], labels[-1]
    columns = [
        "page",
        *(f"{label} CPU ms" for label in labels),
        *(f"{label} p50 ms" for label in labels),
        "growth, CPU",
        "growth, p50",
    ]
    rows, verdicts = [], []
    for work, costs in found.items():
        growth = costs[largest].cpu / costs[smallest].cpu
        wall = costs[largest].wall(0.5) / costs[smallest].wall(0.5)
        rows.append(
            [
                work,
                *(figure(costs[label].cpu) for label in labels),
                *(figure(costs[label].wall(0.5)) for label in labels),
                figure(growth),
                figure(wall),
            ]
        )
        if work not in WITHOUT_GOAL:
            verdicts.append(
                Verdict(
                    subject=work,
                    of=f"{largest} over {smallest}, CPU",
                    limit=LIMIT,
                    measured=growth,
                )
            )
    verdicts.append(
        Verdict(
            subject="category page",
            of=f"page one, {largest}, CPU",
            limit=LIMIT,
            measured=found["category page"][largest].cpu / found["page one"][largest].cpu,
        )
    )
    return Section(
        title="Growth",
        text=TEXT.strip(),
        tables=[table(columns, rows)],
        verdicts=verdicts if smallest != largest else verdicts[-1:],
    )
