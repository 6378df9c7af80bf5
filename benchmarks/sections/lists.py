"""The list and the single event against the yardsticks, and what a 304 saves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import orjson

from benchmarks import messages, paths, servers
from benchmarks.goals import Verdict
from benchmarks.measure import Repeated, Variant
from benchmarks.report import Section, cost_table
from benchmarks.sameness import require_same

if TYPE_CHECKING:
    from benchmarks.bench import Bench, Calendar
    from benchmarks.measure import Cost
    from benchmarks.servers import Server

FLOOR: Final = "benchmarks.yardsticks.floor:application"
IDIOMATIC: Final = "benchmarks.yardsticks.idiomatic.settings"
LIST_TEXT: Final = """
`GET {path}` for anybody, {label}. All variants answer the same JSON (compared before the
measurement), total and links included, behind the same server program.
"""
SINGLE_TEXT: Final = """
`GET /events/{{id}}` for anybody, {label}, over a hundred events in turns; the same JSON.
"""
UNCHANGED_TEXT: Final = """
The same requests with `If-None-Match`: nothing changed since.
"""


def yardsticks(bench: Bench, calendar: Calendar) -> dict[str, Server]:
    """Start ours and every yardstick on one calendar."""
    started = {"ours": bench.serve("ours", calendar.url)}
    if bench.cluster is not None:
        for name in ("floor_rows", "floor_documents"):
            started[name] = bench.serve(
                name,
                calendar.url,
                application=FLOOR.replace("application", name),
            )
    started["idiomatic"] = bench.serve(
        "idiomatic", calendar.url, settings=IDIOMATIC, application=servers.STOCK
    )
    return started


def list_section(
    bench: Bench, running: dict[str, Server], calendar: Calendar, path: str, title: str
) -> tuple[Section, dict[str, Cost]]:
    """Compare one list."""
    bench.say(title)
    message = messages.get(path)
    require_same(running, message)
    costs = bench.compare(
        [
            Variant(name=name, server=server, requests=Repeated((message,)))
            for name, server in running.items()
        ]
    )
    section = Section(
        title=title,
        text=LIST_TEXT.strip().format(path=path, label=calendar.label),
        tables=[cost_table(costs, baseline="ours")],
    )
    return section, costs


def single_section(
    bench: Bench, running: dict[str, Server], calendar: Calendar
) -> tuple[Section, dict[str, Cost]]:
    """Compare single events; the floors have no such page."""
    bench.say("single event")
    compared = {name: running[name] for name in ("ours", "idiomatic")}
    asked = [messages.get(paths.event(number)) for number in some_events(running["ours"])]
    for message in asked[:10]:
        require_same(compared, message)
    costs = bench.compare(
        [
            Variant(name=name, server=server, requests=Repeated(tuple(asked)))
            for name, server in compared.items()
        ]
    )
    section = Section(
        title="Single event",
        text=SINGLE_TEXT.strip().format(label=calendar.label),
        tables=[cost_table(costs, baseline="ours")],
        verdicts=[
            ratio("GET /events/{id}", "ours", "idiomatic", costs, limit=1 / 6),
        ],
    )
    return section, costs


def unchanged_section(bench: Bench, server: Server) -> Section:
    """Compare 200 and 304, for the list and for one event."""
    bench.say("304")
    variants = []
    identifier = some_events(server)[0]
    for name, path in (("list", paths.EVENTS), ("single", paths.event(identifier))):
        plain = messages.get(path)
        _, headers, _ = servers.answer(server, plain)
        conditional = messages.get(path, {"If-None-Match": headers["etag"]})
        variants += [
            Variant(name=f"{name}, 200", server=server, requests=Repeated((plain,))),
            Variant(
                name=f"{name}, 304",
                server=server,
                requests=Repeated((conditional,)),
                status=304,
            ),
        ]
    costs = bench.compare(variants)
    return Section(
        title="Unchanged",
        text=UNCHANGED_TEXT.strip(),
        tables=[cost_table(costs)],
        verdicts=[
            ratio(
                f"304 on an unchanged {name}",
                f"{name}, 304",
                f"{name}, 200",
                costs,
                limit=limit,
            )
            for name, limit in (("list", 0.5), ("single", 0.75))
        ],
    )


def ratio(
    subject: str, ours: str, other: str, costs: dict[str, Cost], *, limit: float
) -> Verdict:
    """Judge one CPU ratio."""
    return Verdict(
        subject=subject,
        of=f"{other}, CPU",
        limit=limit,
        measured=costs[ours].cpu / costs[other].cpu,
    )


def some_events(server: Server) -> list[int]:
    """Return identifiers of a hundred events that anybody may see."""
    found: list[int] = []
    for page in (1, 2):
        path = f"{paths.FIFTY}&page={page}"
        _, _, body = servers.answer(server, messages.get(path))
        found += [event["id"] for event in orjson.loads(body)["events"]]
    return found
