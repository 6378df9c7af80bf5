"""The load generator: a process of its own, a closed loop, loopback only.

Reads a pickled ``Job`` from its standard input, plays it, and writes a pickled
``Outcome``. Requests are bytes made beforehand, connections persist, and one selector
serves all of them, so that the generator takes as little of the machine as Python can.
"""

from __future__ import annotations

import contextlib
import pickle
import selectors
import socket
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

HEAD_END = b"\r\n\r\n"
LENGTH = b"content-length:"
CHUNKED = b"transfer-encoding: chunked"
LAST_CHUNK = b"\r\n0\r\n\r\n"
ANSWER_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to send: the requests in order, from the start again while ``count`` lasts."""

    port: int
    requests: list[bytes]
    count: int
    status: int | None = None
    """What every answer must have; ``None`` where they differ."""
    connections: int = 1
    max_seconds: float = 30.0


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What came back; ``seconds`` holds one wall-clock time per answer."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    bytes_received: int = 0
    elapsed: float = 0.0
    unexpected: bytes = b""
    """The first answer with another status than the job's; it ends the job."""


class Connection:
    """One persistent connection with one request under way."""

    def __init__(self, port: int) -> None:
        """Connect to the loopback."""
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.started = 0.0
        self.received = bytearray()
        self.body_at = -1
        self.length: int | None = None
        self.status = 0

    def send(self, request: bytes) -> None:
        """Start a request; small enough for the socket's buffer."""
        self.received.clear()
        self.body_at = -1
        self.started = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Read what is there; return whether the answer is complete.

        Raises ``ConnectionError`` when the server hangs up.
        """
        piece = self.socket.recv(262_144)
        if not piece:
            raise ConnectionError("the server closed the connection")
        self.received += piece
        if self.body_at < 0 and (end := self.received.find(HEAD_END)) >= 0:
            self._read_head(bytes(self.received[:end]).lower())
            self.body_at = end + len(HEAD_END)
        if self.body_at < 0:
            return False
        if self.length is None:
            # Neither JSON nor a calendar has such a line, which looks like the last chunk.
            return self.received.endswith(LAST_CHUNK)
        return len(self.received) >= self.body_at + self.length

    def _read_head(self, head: bytes) -> None:
        self.status = int(head[9:12])
        position = head.find(LENGTH)
        if position >= 0:
            self.length = int(head[position + len(LENGTH) :].split(b"\r\n", 1)[0])
        elif CHUNKED in head:
            self.length = None
        elif self.status in {204, 304}:
            self.length = 0
        else:
            raise ConnectionError("an answer without a length")

    @property
    def body(self) -> bytes:
        """Return the body of a complete answer, chunks joined."""
        sent = bytes(self.received[self.body_at :])
        if self.length is not None:
            return sent
        joined = b""
        while sent:
            size, _, sent = sent.partition(b"\r\n")
            joined += sent[: int(size, 16)]
            sent = sent[int(size, 16) + 2 :]
        return joined


def play(job: Job) -> Outcome:
    """Send the requests, never more than one per connection at a time."""
    with contextlib.ExitStack() as opened:
        selector = opened.enter_context(selectors.DefaultSelector())
        connections = [Connection(job.port) for _ in range(min(job.connections, job.count))]
        for connection in connections:
            opened.callback(connection.socket.close)
        return _exchange(job, selector, connections)


def _exchange(
    job: Job, selector: selectors.BaseSelector, connections: list[Connection]
) -> Outcome:
    outcome = Outcome()
    sent = 0
    begin = time.perf_counter()
    deadline = begin + job.max_seconds
    for connection in connections:
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send(job.requests[sent % len(job.requests)])
        sent += 1
    under_way = len(connections)
    while under_way:
        ready = selector.select(timeout=ANSWER_SECONDS)
        if not ready:
            raise TimeoutError(f"no answer within {ANSWER_SECONDS} s")
        for key, _ in ready:
            connection = key.data
            if not connection.receive():
                continue
            now = time.perf_counter()
            outcome.seconds.append(now - connection.started)
            outcome.statuses[connection.status] += 1
            if job.status not in {None, connection.status}:
                outcome.unexpected = bytes(connection.received)
                return outcome
            outcome.bytes_received += len(connection.received)
            if sent < job.count and now < deadline:
                connection.send(job.requests[sent % len(job.requests)])
                sent += 1
            else:
                under_way -= 1
    outcome.elapsed = time.perf_counter() - begin
    return outcome


def run(job: Job) -> Outcome:
    """Play a job in a process of its own."""
    finished = subprocess.run(
        [sys.executable, "-c", "from benchmarks.client import main; main()"],
        input=pickle.dumps(job),
        stdout=subprocess.PIPE,
        timeout=job.max_seconds * 3 + 60,
        check=True,
    )
    outcome: Outcome = pickle.loads(finished.stdout)  # noqa: S301 -- our own child wrote it
    return outcome


def main() -> None:
    """Play the job of the parent process."""
    job: Job = pickle.load(sys.stdin.buffer)  # noqa: S301 -- our own parent wrote it
    sys.stdout.buffer.write(pickle.dumps(play(job)))
