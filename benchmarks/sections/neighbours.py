"""What lists keep beside callers that stall, ask for much, write, or take whole feeds."""

from __future__ import annotations

import contextlib
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchmarks import client, messages, paths, processes, servers
from benchmarks.goals import Verdict, figure
from benchmarks.measure import Repeated, percentile
from benchmarks.report import Section, table
from benchmarks.sections import writes
from benchmarks.seed import odds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.bench import Bench, Calendar
    from benchmarks.measure import Requests
    from benchmarks.servers import Server

SECONDS: Final = 6.0
PLENTY: Final = 100_000
ALL_TIME: Final = "start_date=2000-01-01&end_date=2100-01-01"
STALLED: Final = 24
"""Connections that stop in the middle, on two workers."""
HOST: Final = b" HTTP/1.1\r\nHost: 127.0.0.1\r\n"
FORM: Final = b"Content-Type: application/x-www-form-urlencoded\r\n"
STALLS: Final = tuple(
    HOST.join(parts)
    for parts in (
        (b"GET /", b"X-Slow: "),
        (b"POST /oauth2/token", FORM + b"Content-Length: 1000\r\n\r\na"),
        (b"POST /nope", b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
        (
            f"POST {paths.EVENTS}".encode(),
            b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
        ),
        (f"GET {paths.EVENTS}.ics?{ALL_TIME}".encode(), b"\r\n"),
    )
)
LIST: Final = Repeated((messages.get(paths.EVENTS),))
SINGLES: Final = Repeated(tuple(messages.get(paths.event(pk)) for pk in range(1, 101)))
FEED: Final = messages.get(f"{paths.EVENTS}.ics?{ALL_TIME}").replace(
    b"application/json", b"text/calendar"
)
TEXT: Final = """
Four connections ask for the list of ten without pause, for six seconds, alone and beside
others; the same server, one round each. "Worst reads": two connections that send, without
pause, an order by title over a stop word, ten categories over all time, and a radius of
5,000 km in turns; what is not answered with 200 is refused. "Writers" create events.
"Stalled": 24 connections without credentials that stop in a head, in a form, in chunks, in
JSON, or do not read a feed. "Feeds": one more than two for each worker, complete, over
all time, one after the other on each connection.
"""


def worst_reads() -> Repeated:
    """Return the reads that cost the database most."""
    categories = ",".join(str(pk) for pk in range(1, 11))
    return Repeated(
        (
            messages.get(
                f"{paths.EVENTS}?search={odds.STOP_WORD}&orderby=title&{ALL_TIME}"
            ),
            messages.get(f"{paths.EVENTS}?categories={categories}&{ALL_TIME}"),
            messages.get(
                f"{paths.EVENTS}?geoloc_lat=40.0&geoloc_lng=-83.0&radius=5000&{ALL_TIME}"
            ),
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """Connections that send the same kind of request at the same time."""

    requests: Requests
    connections: int
    status: int | None = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one crowd got: its rate, its times in milliseconds, and the statuses."""

    rate: float
    milliseconds: Sequence[float]
    statuses: str

    @property
    def p99(self) -> float:
        """The 99th percentile of the times."""
        return percentile(self.milliseconds, 0.99)

    def row(self, name: str) -> list[str]:
        """Return a row of the table."""
        times = [figure(percentile(self.milliseconds, share)) for share in (0.5, 0.99)]
        return [name, figure(self.rate), *times, self.statuses]


def together(server: Server, crowds: Sequence[Crowd]) -> list[Seen]:
    """Let crowds ask at the same time for ``SECONDS``; return what each saw."""

    def play(crowd: Crowd) -> Seen:
        unique = 2_000 if crowd.status == 201 else PLENTY
        outcome = client.run(
            client.Job(
                port=server.port,
                requests=crowd.requests.take(unique),
                count=unique,
                status=crowd.status,
                connections=crowd.connections,
                max_seconds=SECONDS,
            )
        )
        if outcome.unexpected:
            raise RuntimeError(outcome.unexpected[:2000])
        return Seen(
            rate=len(outcome.seconds) / outcome.elapsed,
            milliseconds=[second * 1000 for second in outcome.seconds],
            statuses=", ".join(
                f"{status}: {count}" for status, count in sorted(outcome.statuses.items())
            ),
        )

    with ThreadPoolExecutor(len(crowds)) as pool:
        return list(pool.map(play, crowds))


@contextlib.contextmanager
def stalled(server: Server) -> Iterator[None]:
    """Hold connections that stopped in the middle."""
    with contextlib.ExitStack() as held:
        for number in range(STALLED):
            connection = held.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", server.port))
            connection.sendall(STALLS[number % len(STALLS)])
        yield


def measure(bench: Bench, calendar: Calendar) -> Section:
    """Measure lists beside every kind of neighbour."""
    bench.say("neighbours")
    server = bench.serve("ours", calendar.url)
    lists = Crowd(requests=LIST, connections=4)
    # Some are not published; what matters is how long an answer takes.
    singles = Crowd(requests=SINGLES, connections=4, status=None)
    together(server, [lists, singles])  # warm
    rows = []

    def seen(name: str, of: str, crowds: Sequence[Crowd]) -> Seen:
        bench.say(f"neighbours: {name}")
        first, *others = together(server, crowds)
        rows.append(first.row(f"{of}, {name}"))
        rows.extend(other.row(f"… beside: {name}") for other in others)
        return first

    alone = seen("alone", "lists", [lists])
    with stalled(server):
        beside_stalled = seen("24 stalled connections", "lists", [lists])
    worst = Crowd(requests=worst_reads(), connections=2, status=None)
    beside_worst = seen("two of the worst reads", "lists", [lists, worst])
    beside_readers = seen("four readers", "lists", [lists, lists])
    creating = Crowd(
        requests=writes.creates(2_000, seed="neighbours"), connections=4, status=201
    )
    beside_writers = seen("four writers", "lists", [lists, creating])
    one_writer = seen(
        "alone",
        "one writer",
        [Crowd(requests=writes.creates(2_000, seed="one"), connections=1, status=201)],
    )
    eight_writers = seen(
        "together",
        "eight writers",
        [Crowd(requests=writes.creates(2_000, seed="eight"), connections=8, status=201)],
    )
    seen("alone", "singles", [singles])
    feeds = Crowd(requests=Repeated((FEED,)), connections=servers.WORKERS + 2, status=None)
    memory_before = _memory(server)
    beside_feeds = seen("complete feeds", "singles", [singles, feeds])
    verdicts = [
        Verdict(
            subject="lists beside 24 stalled connections",
            of="alone, p99",
            limit=5,
            measured=beside_stalled.p99 / alone.p99,
        ),
        Verdict(
            subject="lists beside two of the worst reads",
            of="alone, rate",
            limit=0.5,
            measured=beside_worst.rate / alone.rate,
            at_least=True,
        ),
        Verdict(
            subject="lists beside four writers",
            of="beside four readers, rate",
            limit=0.5,
            measured=beside_writers.rate / beside_readers.rate,
            at_least=True,
        ),
        Verdict(
            subject="eight writers",
            of="one writer, rate",
            limit=2,
            measured=eight_writers.rate / one_writer.rate,
            at_least=True,
        ),
        Verdict(
            subject="singles beside complete feeds",
            of="p99",
            limit=500,
            measured=beside_feeds.p99,
            unit="ms",
        ),
        Verdict(
            subject="memory of the workers beside complete feeds",
            of="before",
            limit=1.2,
            measured=_memory(server) / memory_before,
        ),
    ]
    return Section(
        title="Neighbours",
        text=TEXT.strip(),
        tables=[
            table(("who", "req/s", "p50 ms", "p99 ms", "statuses"), rows),
        ],
        verdicts=verdicts,
    )


def _memory(server: Server) -> float:
    """Return the resident memory of the workers, in MiB."""
    return sum(processes.resident_mebibytes(pid) for pid in server.workers())
