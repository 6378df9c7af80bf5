"""Conversations over HTTP: cookies, forms, and whatever a fault does to a connection."""

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode, urljoin, urlsplit

from benchmarks import messages
from benchmarks.client import Answer, Connection, UnexpectedAnswer
from benchmarks.messages import FORM
from benchmarks.servers import PUBLIC_URL

BROKEN: Final = 0
"""The status of a request that got no answer, or only a part of one."""
IDLE_SECONDS: Final = 5.0
"""A connection that was idle for longer is left: the server may be closing it."""
REDIRECTS: Final = {302, 303}


@dataclass(slots=True)
class Line:
    """A connection that is opened when it is needed, and again after it broke."""

    port: int
    patience: float
    """Seconds after which a request counts as broken."""
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _connection: Connection | None = None
    _used_at: float = 0.0

    async def send(self, request: bytes) -> Answer:
        """Return the answer; where none comes in time, an empty ``BROKEN`` one."""
        if time.monotonic() > self._used_at + IDLE_SECONDS:
            await self.close()
        try:
            async with asyncio.timeout(self.patience):
                if self._connection is None:
                    opened = Connection(self.port)
                    self._connection = await self._stack.enter_async_context(opened)
                answer = await self._connection.send(request)
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError):
            await self.close()
            return Answer(status=BROKEN, headers={}, body=b"")
        if answer.headers.get("connection") == "close":
            await self.close()
        self._used_at = time.monotonic()
        return answer

    async def close(self) -> None:
        """Hang up."""
        self._connection = None
        with suppress(OSError):
            await self._stack.aclose()


@dataclass(slots=True, eq=False)
class Visit:
    """One caller's conversation: a line, the cookies of it, and who takes the times.

    ``due`` is when its first request should have been sent, on the clock of
    ``time.perf_counter``; waiting for an idle line counts.
    """

    line: Line
    due: float
    record: Callable[[str, Answer, float], None]
    cookies: dict[str, str] = field(default_factory=dict)

    async def send(
        self,
        work: str,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> Answer:
        """Send one request as part of ``work``, and return the answer."""
        given = dict(headers or {})
        if self.cookies:
            given["Cookie"] = "; ".join(f"{k}={v}" for k, v in self.cookies.items())
        answer = await self.line.send(
            messages.request(method, path, headers=given, body=body)
        )
        self.record(work, answer, (time.perf_counter() - self.due) * 1000)
        for cookie in answer.headers.get("set-cookie", "").splitlines():
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        self.due = time.perf_counter()
        return answer

    async def open(self, work: str, address: str) -> tuple[str, Answer]:
        """Follow redirects within the site; return the last path, and its answer."""
        page = {"Accept": "text/html"}
        answer = await self.send(work, "GET", address, headers=page)
        while target := _within_site(address, answer):
            address = target
            answer = await self.send(work, "GET", address, headers=page)
        return address, answer

    async def submit(
        self, work: str, address: str, page: Answer, **values: str
    ) -> tuple[str, Answer]:
        """Send the form of a page with its token, and follow where that leads."""
        fields = [("csrfmiddlewaretoken", token_of(page)), *values.items()]
        fields += [("scope", scope) for scope in scopes_of(page)]
        headers = {**FORM, "Accept": "text/html", "Origin": "http://127.0.0.1"}
        body = urlencode(fields).encode()
        answer = await self.send(work, "POST", address, headers=headers, body=body)
        target = _within_site(address, answer)
        return await self.open(work, target) if target else (address, answer)


def _within_site(address: str, answer: Answer) -> str:
    """Return path and query of a redirect within the site, else nothing."""
    if answer.status not in REDIRECTS:
        return ""
    parts = urlsplit(urljoin(address, answer.headers["location"]))
    if parts.netloc not in {"", urlsplit(PUBLIC_URL).netloc}:
        return ""
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def token_of(page: Answer) -> str:
    """Return the token of a page's form; raise ``UnexpectedAnswer`` without one."""
    found = re.search(rb'name="csrfmiddlewaretoken"\s+value="([^"]+)"', page.body)
    if found is None:
        raise UnexpectedAnswer(page.body[:1000].decode())
    return found[1].decode()


def scopes_of(page: Answer) -> list[str]:
    """Return the scopes that a page offers to tick."""
    found = re.findall(rb'name="scope"\s+value="([^"]+)"', page.body)
    return [scope.decode() for scope in found]


def code_of(answer: Answer) -> str:
    """Return the code that a redirect brings; raise ``UnexpectedAnswer`` without one."""
    found = re.search(r"[?&]code=(auth_[\w-]+)", answer.headers["location"])
    if found is None:
        raise UnexpectedAnswer(answer.headers["location"])
    return found[1]
