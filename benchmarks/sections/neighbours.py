"""What lists keep beside callers that stall, ask for much, or write."""

import contextlib
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks import client, messages, paths
from benchmarks.bench import Bench
from benchmarks.client import Outcome
from benchmarks.measure import percentile
from benchmarks.report import AT_LEAST, Goal, Section, figure, percent, table
from benchmarks.seed import constants
from benchmarks.servers import Server

STALLED: Final = 24
"""Connections that stop in the middle, on two workers."""
# Heads and bodies that stop: the first line, then the rest.
STALLS: Final = (
    ("GET /", "X-Slow: "),
    (
        f"POST {paths.TOKEN}",
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\na",
    ),
    ("POST /nope", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
    (
        f"POST {paths.EVENTS}",
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
    ),
    (f"GET {paths.FEED}?{paths.ALL_TIME}", "\r\n"),
)
COLUMNS: Final = ("who, beside whom", "req/s", "p50 ms", "p99 ms", "refused")
WORST_READS: Final = (
    paths.search(constants.STOP_WORD, f"&orderby=title&{paths.ALL_TIME}"),
    f"{paths.ALL}&categories={','.join(map(str, range(1, 11)))}",
    paths.around(5000, f"&{paths.ALL_TIME}"),
)
TEXT: Final = """
Four connections ask for lists of ten (pages 1 to 20 in turns) without pause, {seconds}
seconds, alone and beside others, {label}; the same server, one round each. "Worst reads":
two connections that send, without pause, an order by title over a stop word, ten
categories over all time, and a radius of 5,000 km in turns. "Writers" create events.
"Stalled": 24 connections without credentials that stop in a head, in a form, in chunks, in
JSON, or do not read a feed. "refused" is the share of answers 503 with `Retry-After`.
"""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Connections that send the same kind of request at the same time."""

    requests: Iterator[bytes]
    connections: int
    status: int | None = None


def _lists() -> Crowd:
    return Crowd(messages.in_turns(*paths.first_pages()), 4, 200)


def _writers(number: int, seed: str) -> Crowd:
    return Crowd(messages.creates(seed), number, 201)


def measure(bench: Bench) -> Iterator[Section]:
    """Measure lists beside every kind of neighbour."""
    server = bench.serve("ours", bench.main.url)
    lists = _lists()
    rows: list[list[str]] = []

    def see(name: str, first: Crowd, *others: Crowd) -> Outcome:
        """Let crowds ask at the same time; return what the first one got."""
        bench.say(f"neighbours: {name}")
        loads = (
            client.closed_loop(
                server.port,
                crowd.requests,
                connections=crowd.connections,
                seconds=bench.seconds,
                status=crowd.status,
            )
            for crowd in (first, *others)
        )
        outcomes = client.play(*loads)
        names = [name, *["… the others"] * len(others)]
        rows.extend(map(_row, names, outcomes))
        return outcomes[0]

    see("warming up", lists)
    rows.clear()
    alone = see("lists, alone", lists)
    with stalled(server):
        beside_stalled = see(f"lists, {STALLED} stalled connections", lists)
    worst = Crowd(messages.in_turns(*WORST_READS), 2)
    beside_worst = see("lists, two of the worst reads", lists, worst)
    beside_readers = see("lists, four readers", lists, _lists())
    beside_writers = see("lists, four writers", lists, _writers(4, "neighbours"))
    stalling = _p99(beside_stalled) / _p99(alone)
    worst_rate = beside_worst.rate / alone.rate
    written = beside_writers.rate / beside_readers.rate
    yield Section(
        "Neighbours",
        TEXT.format(seconds=bench.seconds, label=bench.main.label),
        table(COLUMNS, rows),
        [
            Goal(f"lists beside {STALLED} stalled connections", "alone, p99", 5, stalling),
            Goal("lists beside two worst reads", "alone, rate", 0.4, worst_rate, *AT_LEAST),
            Goal(
                "lists beside four writers", "four readers, rate", 0.5, written, *AT_LEAST
            ),
        ],
    )


@contextlib.contextmanager
def stalled(server: Server) -> Iterator[None]:
    """Hold connections that stopped in the middle."""
    with contextlib.ExitStack() as held:
        for number in range(STALLED):
            connection = held.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", server.port))
            first, rest = STALLS[number % len(STALLS)]
            message = f"{first} HTTP/1.1\r\nHost: 127.0.0.1\r\n{rest}"
            connection.sendall(message.encode())
        yield


def _row(name: str, seen: Outcome) -> list[str]:
    times = ["-", "-"]
    if seen.milliseconds:
        times = [figure(percentile(seen.milliseconds, share)) for share in (0.5, 0.99)]
    return [name, figure(seen.rate), *times, percent(seen.refused_share)]


def _p99(seen: Outcome) -> float:
    return percentile(seen.milliseconds, 0.99)
