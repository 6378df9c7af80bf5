"""The feed of changes: what a hundred changed events cost, and an answer without any."""

import json
from collections.abc import Iterator
from typing import Final

import psycopg

from benchmarks import client, messages, paths
from benchmarks.bench import Bench
from benchmarks.measure import Variant, percentile
from benchmarks.report import Goal, Section, figure, table

CHANGES: Final = 100
LIMIT: Final = 1.0
"""A hundred whole events should cost no more than a list of ten."""
TEXT: Final = """
`GET /changes` for anybody, {label}: a hundred events that changed, whole; the same, only
which they are (`_fields`); and an answer without changes. L is the list of ten in the
same run.
"""
COLUMNS: Final = ("answer", "changes", "kB", "CPU, L", "CPU a change, L", "p50 ms")
WHICH: Final = "changes.type,changes.id,changes.change,next,more"
LOG: Final = """INSERT INTO calendar_events_change
  (at, kind, record, institution, version, created, deleted, embedded)
SELECT now(), 'event', e.id, e.institution, e.version, false, false, false
FROM calendar_events_event e WHERE e.status = 'publish' AND NOT e.hide_from_listings
  AND e.published_at <= now()
ORDER BY e.id DESC LIMIT %s"""


def measure(bench: Bench) -> Iterator[Section]:
    """Read a hundred changes, and none."""
    url = bench.copy_of_calendar(bench.main.label, "bench_changes")
    server = bench.serve("changes", url)
    listed = bench.cost_of_a_list(server)
    since = _token(server.port)
    with psycopg.connect(url) as connection:
        connection.execute(LOG, [CHANGES])
    whole = f"{paths.CHANGES}?since={since}"
    answers = {
        "whole": whole,
        "only which": f"{whole}&_fields={WHICH}",
        "none": f"{paths.CHANGES}?since={_token(server.port)}",
    }
    rows, costs = [], {}
    for name, path in answers.items():
        answer = client.ask(server.port, messages.get(path))
        number = len(json.loads(answer.body)["changes"])
        variant = Variant(name, server, messages.in_turns(path))
        cost = bench.compare([variant])[name]
        costs[name] = cost.cpu / listed
        each = figure(costs[name] / number) if number else ""
        size = figure(len(answer.body) / 1e3)
        p50 = figure(percentile(cost.alone, 0.5))
        rows.append([name, str(number), size, figure(costs[name]), each, p50])
    yield Section(
        "Changes",
        TEXT.format(label=bench.main.label),
        table(COLUMNS, rows),
        [
            Goal("a hundred changes", "L", LIMIT, costs["whole"]),
            Goal("no change", "L", 1.0, costs["none"]),
        ],
    )


def _token(port: int) -> str:
    """Return a new token."""
    answer = client.ask(port, messages.get(paths.CHANGES))
    return str(json.loads(answer.body)["next"])
