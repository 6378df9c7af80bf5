"""Searches with known odds, page and exact total in one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks import messages, paths, servers
from benchmarks.goals import Verdict, figure
from benchmarks.measure import Effort, Repeated, Variant, compare
from benchmarks.report import Section, table
from benchmarks.seed import odds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.bench import Bench, Calendar
    from benchmarks.measure import Cost

ALL_TIME: Final = "start_date=2000-01-01&end_date=2100-01-01"
SEARCHES: Final = {
    "one word, 5 % match": odds.COMMON,
    "one word, 0.1 % match": odds.RARE,
    "two words, 5 % match": f"{odds.COMMON}+{odds.STOP_WORD}",
    "a phrase, all match": "%22the+quick%22",
    "a stop word, all match": odds.STOP_WORD,
    "two characters, all match": odds.TWO_CHARACTERS,
    "nothing matches": odds.ABSENT,
}
LIMITS: Final = {"one word, 5 % match": 40.0, "nothing matches": 1.5}
"""In lists of ten on the same calendar; they are set for a million events."""
NEVER_ABOVE: Final = 180.0
LIST: Final = Repeated((messages.get(paths.EVENTS),))
TEXT: Final = """
Over all time (`{window}`), so that every match of the calendar is counted, and in the
default window. Wall time of one client, in milliseconds; the total is exact.
"""


def measure(bench: Bench, calendars: Sequence[Calendar]) -> Section:
    """Search every calendar."""
    # Some take a second each; what is left out here is no news about them.
    effort = Effort(
        rounds=min(bench.effort.rounds, 3), alone=10, together=4, max_seconds=3, warm_up=4
    )
    rows, verdicts = [], []
    worst = {"all time": 0.0, "default window": 0.0}
    largest = calendars[-1]
    for calendar in calendars:
        server = bench.serve(calendar.label, calendar.url)
        listed = bench.compare(
            [Variant(name="list", server=server, requests=LIST)],
        )["list"].cpu
        for name, text in SEARCHES.items():
            bench.say(f"search: {name}, {calendar.label}")
            windows = {
                "all time": f"{paths.search(text)}&{ALL_TIME}",
                "default window": paths.search(text),
            }
            costs = compare(
                [
                    Variant(
                        name=window,
                        server=server,
                        requests=Repeated((messages.get(path),)),
                    )
                    for window, path in windows.items()
                ],
                effort=effort,
                database=bench.cluster.pid if bench.cluster else None,
            )
            _, headers, _ = servers.answer(server, messages.get(windows["all time"]))
            rows.append(_row(name, calendar, costs, int(headers["x-tec-total"])))
            if calendar is largest:
                for window, cost in costs.items():
                    worst[window] = max(worst[window], cost.cpu / listed)
                if limit := LIMITS.get(name):
                    verdicts.append(
                        Verdict(
                            subject=f"search, {name}",
                            of=f"GET /events, {calendar.label}, CPU",
                            limit=limit,
                            measured=costs["all time"].cpu / listed,
                        )
                    )
    verdicts += [
        Verdict(
            subject=f"search, the worst, {window}",
            of=f"GET /events, {largest.label}, CPU",
            limit=NEVER_ABOVE,
            measured=lists,
        )
        for window, lists in worst.items()
    ]
    columns = (
        "search",
        "calendar",
        "total",
        "p50, all time",
        "p99, all time",
        "CPU ms, all time",
        "p50, default window",
        "p99, default window",
    )
    return Section(
        title="Search",
        text=TEXT.strip().format(window=ALL_TIME),
        tables=[table(columns, rows)],
        verdicts=verdicts,
    )


def _row(name: str, calendar: Calendar, costs: dict[str, Cost], total: int) -> list[str]:
    everything, window = costs["all time"], costs["default window"]
    return [
        name,
        calendar.label,
        f"{total:,}",
        figure(everything.wall(0.5)),
        figure(everything.wall(0.99)),
        figure(everything.cpu),
        figure(window.wall(0.5)),
        figure(window.wall(0.99)),
    ]
