"""Creating events with everything that belongs to them, on calendars of several sizes."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

import orjson

from benchmarks import messages, paths
from benchmarks.goals import Verdict
from benchmarks.measure import Repeated, Unique, Variant
from benchmarks.report import Section, cost_table
from benchmarks.seed import credentials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.bench import Bench, Calendar

LIMIT: Final = 4.0
GROWTH_LIMIT: Final = 1.5
LIST: Final = Repeated((messages.get(paths.EVENTS),))
TEXT: Final = """
`POST /events` by bearer token: a title, a kilobyte of description, dates in a zone, a
cost, one venue, two organizers, two categories and three tags of the same institution.
Every answer is a 201, committed.
"""


def bodies(count: int, *, seed: str) -> list[bytes]:
    """Return bodies with different titles, days and words."""
    random = Random(seed)  # noqa: S311 -- repeatable is the point
    return [
        orjson.dumps(
            {
                "title": f"Reading {number} of {random.getrandbits(40):x}",
                "description": "<p>"
                + " ".join(f"word{random.randrange(5000)}" for _ in range(110))
                + "</p>",
                "start_date": f"2027-{random.randint(1, 12):02}-12 19:30:00",
                "end_date": "2028-01-01 21:00:00",
                "timezone": "Europe/Berlin",
                "cost": "$10 - $20",
                "venue": [random.randint(1, 8)],
                "organizer": random.sample(range(1, 7), 2),
                "categories": random.sample(range(1, 41), 2),
                "tags": random.sample(range(41, 141), 3),
            }
        )
        for number in range(count)
    ]


def creates(count: int, *, seed: str) -> Unique:
    """Return one create per body."""
    headers = {
        **messages.bearer(credentials.BEARER),
        "Content-Type": "application/json",
    }
    return Unique(
        [
            messages.request("POST", paths.EVENTS, headers=headers, body=body)
            for body in bodies(count, seed=seed)
        ]
    )


def measure(bench: Bench, calendars: Sequence[Calendar]) -> Section:
    """Create events in turns on every calendar."""
    bench.say("creating events")
    servers = {
        calendar.label: bench.serve(calendar.label, calendar.url) for calendar in calendars
    }
    costs = bench.compare(
        [
            Variant(
                name=label,
                server=server,
                requests=creates(bench.effort.unique, seed=label),
                status=201,
            )
            for label, server in servers.items()
        ]
    )
    lists = bench.compare(
        [
            Variant(name=label, server=server, requests=LIST)
            for label, server in servers.items()
        ]
    )
    smallest, largest = calendars[0].label, calendars[-1].label
    verdicts = [
        Verdict(
            subject=f"create an event, {label}",
            of="GET /events, 10 per page, CPU",
            limit=LIMIT,
            measured=costs[label].cpu / lists[label].cpu,
        )
        for label in costs
        if label != smallest or len(costs) == 1
    ]
    if smallest != largest:
        verdicts.append(
            Verdict(
                subject="create an event",
                of=f"{largest} over {smallest}, CPU",
                limit=GROWTH_LIMIT,
                measured=costs[largest].cpu / costs[smallest].cpu,
            )
        )
    return Section(
        title="Creating events",
        text=TEXT.strip(),
        tables=[cost_table(costs)],
        verdicts=verdicts,
    )
