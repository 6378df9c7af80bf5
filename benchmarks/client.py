"""The load generator: HTTP over persistent connections of the loopback, on asyncio.

A closed loop sends the next request when the last one is answered, as fast as the server
allows. The open loop of journeys is ``benchmarks.load.generator``.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

ANSWER_SECONDS = 120


class UnexpectedAnswer(Exception):
    """A server answered with another status than the work is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer; names of headers are in lower case, repeated ones a line each."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What came back. Times are wall-clock milliseconds, one for each answer."""

    milliseconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    refused: int = 0
    """Answers 503 with Retry-After, which have no time above; they were waited for."""
    body_bytes: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Answers per second, without the refused."""
        return len(self.milliseconds) / self.seconds

    @property
    def refused_share(self) -> float:
        """How many of all requests were refused, from 0 to 1."""
        return self.refused / max(self.refused + len(self.milliseconds), 1)

    def take(self, answer: Answer, begun: float, expected: int | None) -> float:
        """Record an answer; return the seconds to wait before the next request.

        Raises ``UnexpectedAnswer`` unless its status is the expected one, if there is one.
        """
        if answer.status == 503 and (pause := answer.headers.get("retry-after")):
            self.refused += 1
            return float(pause)
        if expected not in {None, answer.status}:
            raise UnexpectedAnswer(f"{answer.status}: {answer.body[:1000]!r}")
        self.milliseconds.append((time.perf_counter() - begun) * 1000)
        self.statuses[answer.status] += 1
        self.body_bytes = len(answer.body)
        return 0.0


class Connection:
    """One persistent connection of the loopback, with one request under way."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def _open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", self.port, limit=2**20
        )
        self.is_closed = False

    async def __aexit__(self, *_details: object) -> None:
        self.writer.close()

    async def send(self, request: bytes) -> Answer:
        """Return the complete answer to a request.

        Raises ``TimeoutError`` when it takes minutes, ``asyncio.IncompleteReadError`` when
        the server hangs up.
        """
        async with asyncio.timeout(ANSWER_SECONDS):
            if self.is_closed:
                await self._open()
            self.writer.write(request)
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = head.split("\r\n")[:-2]
            pairs = (line.partition(":") for line in lines)
            headers: dict[str, str] = {}
            for name, _, value in pairs:
                before = headers.get(name.lower())
                joined = value.strip() if before is None else f"{before}\n{value.strip()}"
                headers[name.lower()] = joined
            status = int(first.split(" ")[1])
            # As after each answer whose length was not known beforehand.
            self.is_closed = headers.get("connection") == "close"
            return Answer(status=status, headers=headers, body=await self._body(headers))

    async def _body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return await self.reader.readexactly(int(headers.get("content-length", 0)))
        chunks = []
        while size := int(await self.reader.readline(), 16):
            chunks.append(await self.reader.readexactly(size))
            await self.reader.readline()
        await self.reader.readline()
        return b"".join(chunks)


async def closed_loop(  # noqa: PLR0913 -- what a load is made of
    port: int,
    requests: Iterator[bytes],
    *,
    connections: int,
    seconds: float,
    count: int | None = None,
    status: int | None = 200,
) -> Outcome:
    """Send until ``seconds`` are over, ``count`` are sent, or there are no more."""
    outcome = Outcome()
    begin = time.perf_counter()
    left = count if count is not None else 10**9

    async def send_in_turn() -> None:
        nonlocal left
        async with Connection(port) as connection:
            while left > 0 and time.perf_counter() < begin + seconds:
                left -= 1
                request = next(requests, None)
                if request is None:
                    return
                begun = time.perf_counter()
                pause = outcome.take(await connection.send(request), begun, status)
                await asyncio.sleep(min(pause, seconds))

    await asyncio.gather(*(send_in_turn() for _ in range(connections)))
    outcome.seconds = time.perf_counter() - begin
    return outcome


def send(port: int, requests: Iterator[bytes], **load: Any) -> Outcome:
    """Run one closed loop to its end."""
    return play(closed_loop(port, requests, **load))[0]


def play(*loads: Coroutine[None, None, Outcome]) -> list[Outcome]:
    """Run loads at the same time, to their ends; raise what the first that fails raises."""

    async def together() -> list[Outcome]:
        return list(await asyncio.gather(*loads))

    return asyncio.run(together())


def ask(port: int, request: bytes) -> Answer:
    """Send one request on a connection of its own."""

    async def once() -> Answer:
        async with Connection(port) as connection:
            return await connection.send(request)

    return asyncio.run(once())
