"""Events that repeat: a weekly series for two years, and lists that a third of it fills."""

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any, Final

import orjson
import psycopg

from benchmarks import client, messages, paths
from benchmarks.bench import Bench
from benchmarks.measure import Effort, Variant
from benchmarks.report import Goal, Section, cost_table
from benchmarks.seed.constants import COMMON
from benchmarks.servers import Server

SERIES_LIMIT: Final = 100.0
LISTS_LIMIT: Final = 1.1
ONCE_LIMIT: Final = 60.0
WEEKLY: Final = "FREQ=WEEKLY;COUNT=105"
EFFORT: Final = Effort(rounds=2, alone=2, together=1, connections=1, seconds=120, warm_up=1)
SINGLE: Final = Effort(
    rounds=3, alone=20, together=10, connections=1, seconds=30, warm_up=5
)
WRITES: Final = """
`POST /events` with and without `rrule` ({rule}), by bearer token, and `PATCH` with
`scope=all` beside `PATCH` of one event, on {label}. Each is one transaction.
"""
LISTS: Final = """
`GET /events` on {label} as it is, and where every third event is one of a hundred dates of
a series, which its answer says.
"""
ONCE: Final = """
`GET /events` on {label} as it is, beside `expand=false` where every third event is one of a
hundred dates of a series.
"""
WORKS: Final = {
    "List, pages 1 to 20": paths.first_pages(),
    "Search, 5 % match": [paths.search(COMMON)],
    "Search, 5 % match, all time": [paths.search(COMMON, f"&{paths.ALL_TIME}")],
    "Total": [f"{paths.EVENTS}?per_page=1"],
    "Total of all time": [f"{paths.ALL}&per_page=1"],
}
# What a third of the rows gets; the text is as long as that of a real occurrence.
_SERIES = """INSERT INTO calendar_events_series (id, institution, rule, rdates, exdates,
  timezone, all_day, start_local, end_local, dates, horizon, sequence, created_at,
  modified_at)
SELECT n, '1001', 'FREQ=WEEKLY', '[]', '[]', 'UTC', false, now(), now(), 100, now(), 0,
  now(), now()
FROM generate_series(1, (SELECT max(id) / 300 + 1 FROM calendar_events_event)) AS n"""
_NEXT = """SELECT setval(pg_get_serial_sequence('calendar_events_series', 'id'), max(id))
FROM calendar_events_series"""
_OCCURRENCES = """UPDATE calendar_events_event SET series_id = id / 300 + 1,
  original_start_local = start_local, original_start_utc = start_utc,
  position = id %% 100 + 1, fragment = fragment || %s
WHERE id %% 3 = 0"""
_MEMBER = (
    ',"recurrence":'
    + orjson.dumps(
        {
            "series": 1,
            "rule": "FREQ=WEEKLY",
            "words": "Every week",
            "original_start": "2027-03-01 18:00:00",
            "original_start_utc": "2027-03-01 17:00:00",
            "position": 1,
            "total": None,
            "overridden": [],
            "links": dict.fromkeys(("series", "occurrences", "calendar"), "x" * 70),
        }
    ).decode()
)


def measure(bench: Bench) -> Iterator[Section]:
    """Write series and events in turns, then read a calendar that is full of them."""
    label, url = bench.main
    copy = bench.copy_of_calendar(label, "bench_series")
    with psycopg.connect(copy, autocommit=True) as connection:
        connection.execute(_SERIES)
        connection.execute(_NEXT)
        connection.execute(_OCCURRENCES, [_MEMBER])
        connection.execute("VACUUM ANALYZE calendar_events_event")
    plain = bench.serve("plain", url)
    repeating = bench.serve("a third repeats", copy)
    for work, addresses in WORKS.items():
        costs = bench.compare(
            [
                Variant(one.name, one, messages.in_turns(*addresses))
                for one in (plain, repeating)
            ]
        )
        ratio = costs["a third repeats"].cpu / costs["plain"].cpu
        yield Section(
            f"{work}, with series",
            LISTS.format(label=label),
            cost_table(costs, baseline="plain"),
            [Goal(f"{work}, a third repeats", "without series, CPU", LISTS_LIMIT, ratio)],
        )
    yield _once(bench, plain, repeating, label)
    yield _writes(bench, repeating, label)


def _once(bench: Bench, plain: Server, repeating: Server, label: str) -> Section:
    """Compare a list that shows each series once with a list of a calendar without any."""
    costs = bench.compare(
        [
            Variant("page one", plain, messages.in_turns(paths.EVENTS)),
            Variant(
                "expand=false",
                repeating,
                messages.in_turns(f"{paths.EVENTS}?expand=false"),
            ),
        ]
    )
    ratio = costs["expand=false"].cpu / costs["page one"].cpu
    return Section(
        "Each series once",
        ONCE.format(label=label),
        cost_table(costs, baseline="page one"),
        [Goal("GET /events?expand=false", "L", ONCE_LIMIT, ratio)],
    )


def _writes(bench: Bench, server: Server, label: str) -> Section:
    ids = [_created(server, rule) for rule in ("", WEEKLY)]
    single, series = (
        [
            Variant("create one", server, _creates(""), status=201),
            Variant("change one", server, _changes(ids[0], "")),
        ],
        [
            Variant("create a series", server, _creates(WEEKLY), status=201),
            Variant("change a series", server, _changes(ids[1], "?scope=all")),
        ],
    )
    costs = bench.compare(single, SINGLE) | bench.compare(series, EFFORT)
    goals = [
        Goal(
            f"{verb} a weekly series of two years",
            "one event, CPU",
            SERIES_LIMIT,
            costs[f"{verb} a series"].cpu / costs[f"{verb} one"].cpu,
        )
        for verb in ("create", "change")
    ]
    text = WRITES.format(rule=WEEKLY, label=label)
    return Section("Writing series", text, cost_table(costs, baseline="create one"), goals)


def _bodies(rule: str) -> Iterator[dict[str, Any]]:
    """Yield events as ``messages.creates`` has them, a Monday evening each."""
    for message in messages.creates(f"series {rule}"):
        event = orjson.loads(message.partition(b"\r\n\r\n")[2])
        event |= {"start_date": "2027-01-04 19:30:00", "end_date": "2027-01-04 21:00:00"}
        yield event | ({"rrule": rule} if rule else {})


def _creates(rule: str) -> Iterator[bytes]:
    return map(messages.create, _bodies(rule))


def _created(server: Server, rule: str) -> int:
    (body,) = islice(_creates(rule), 1)
    return int(orjson.loads(client.ask(server.port, body).body)["id"])


def _changes(pk: int, query: str) -> Iterator[bytes]:
    """Yield requests without end that change the title."""
    headers = {**messages.BEARER, **messages.JSON}
    for number in cycle(range(1000)):
        body = orjson.dumps({"title": f"Title {number}"})
        path = f"{paths.event(pk)}{query}"
        yield messages.request("PATCH", path, headers=headers, body=body)
