"""An ASGI application around a WSGI one: deadlines for clients, threads for the work.

A request gets a thread when all of it is here, and no thread waits for a client that does
not read. Both waits are coroutines, of which the event loop can hold thousands. A request
that does not arrive whole (cut off, too slow, too large) is still given to the application:
it finds a body that cannot be read, and answers in its own format.
"""

from __future__ import annotations

import asyncio
import contextvars
import sys
from functools import lru_cache, partial
from io import BytesIO, RawIOBase
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_to_bytes

from config.serving.lanes import Overloaded

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping
    from wsgiref.types import WSGIApplication

    from config.serving.lanes import Lane

    Scope = Mapping[str, Any]
    Receive = Callable[[], Awaitable[dict[str, Any]]]
    Send = Callable[[dict[str, Any]], Awaitable[None]]

PIECE_BYTES = 32 * 1024
"""A streamed answer is made and sent in pieces of at least so many bytes."""
OVERLOADED = "platform.overloaded"
"""Set in the environment of a request for which no thread became free in time."""
MAX_HEADER_NAME = 256
"""Bytes; longer names mean nothing here, and are not kept."""
WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


class Limits(NamedTuple):
    """Bytes and seconds that requests and answers may take."""

    body_bytes: int
    upload_bytes: int
    """As ``body_bytes``, for ``multipart/form-data``."""
    held_bytes: int
    """Of all bodies that this process is receiving; beyond it, new ones are refused."""
    body_pause: float
    """Without a byte of the body."""
    body_total: float
    send_pause: float
    """Until the client has taken a piece of a streamed answer."""


class Lanes(NamedTuple):
    """Which requests share threads."""

    files: Lane
    """What needs no database, and errors for lack of threads."""
    reads: Lane
    writes: Lane
    streams: Lane
    """The pieces of streamed answers, after the first."""


class Gateway:
    """The ASGI application."""

    def __init__(
        self,
        application: WSGIApplication,
        *,
        limits: Limits,
        make_lanes: Callable[[], Lanes],
        is_file: Callable[[str], bool],
    ) -> None:
        """Keep what is needed.

        ``make_lanes`` is called in the running event loop; ``is_file`` returns whether a
        path is answered without the database.
        """
        self.application, self.limits = application, limits
        self.make_lanes, self.is_file = make_lanes, is_file
        self.lanes: Lanes | None = None
        self.held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        lanes = self.lanes = self.lanes or self.make_lanes()
        environ = environ_of(scope)
        is_read = scope["method"] in WITHOUT_BODY
        body = None if is_read else Body(environ, self.limits)
        is_refused = False
        if body is not None:
            is_refused = self.held > self.limits.held_bytes
            if not is_refused:
                await self._receive(body, receive)
            body.put_into(environ)
        if self.is_file(scope["path"]):
            lane = streams = lanes.files
        else:
            lane, streams = lanes.reads if is_read else lanes.writes, lanes.streams
        # All of a request sees the same context variables, whichever thread it is in.
        run = contextvars.copy_context().run
        respond = partial(run, Response, self.application, environ)
        if is_refused:
            lane, environ[OVERLOADED] = lanes.files, True
        try:
            response = await lane.run(respond)
        except Overloaded:
            environ[OVERLOADED] = True
            response = await lanes.files.run(respond)
        if body is not None and not body.is_whole:
            # The rest of the body must not be taken for the next request.
            response.headers.append((b"connection", b"close"))
        await send(
            {
                "type": "http.response.start",
                "status": response.status,
                "headers": response.headers,
            }
        )
        is_streaming = response.pieces is not None
        await send(
            {"type": "http.response.body", "body": response.body, "more_body": is_streaming}
        )
        if is_streaming:
            await self._stream(response, streams, run, receive, send)

    async def _receive(self, body: Body, receive: Receive) -> None:
        """Receive the body, as far as it comes in time and is not too large."""
        loop, limits = asyncio.get_running_loop(), self.limits
        latest = loop.time() + limits.body_total
        held = 0
        try:
            while body.is_wanted:
                pause = min(limits.body_pause, latest - loop.time())
                async with asyncio.timeout(pause):
                    message = await receive()
                if message["type"] == "http.disconnect":
                    return
                piece = message.get("body", b"")
                held += len(piece)
                self.held += len(piece)
                body.add(piece, is_last=not message.get("more_body"))
        except TimeoutError:
            return
        finally:
            self.held -= held

    async def _stream(
        self,
        response: Response,
        lane: Lane,
        run: Callable[..., Any],
        receive: Receive,
        send: Send,
    ) -> None:
        """Send the rest in pieces, until the client leaves or takes one too slowly.

        An answer that is not finished ends without the mark of its end, which tells a
        client that is still there.
        """
        gone = asyncio.ensure_future(_disconnected(receive))
        try:
            while not gone.done():
                piece = await lane.run(partial(run, response.next_piece))
                async with asyncio.timeout(self.limits.send_pause):
                    await send(
                        {
                            "type": "http.response.body",
                            "body": piece,
                            "more_body": bool(piece),
                        }
                    )
                if not piece:
                    return
        except (TimeoutError, Overloaded):
            return
        finally:
            gone.cancel()
            # What a stream holds is given back also when this task ends meanwhile.
            await asyncio.shield(lane.run(partial(run, response.close)))


class Body:
    """The body of a request, while it is being received and afterwards."""

    def __init__(self, environ: Mapping[str, Any], limits: Limits) -> None:
        """See what is announced; a body that is too large is not received at all."""
        announced = environ.get("CONTENT_LENGTH", "")
        self.announced = int(announced) if announced.isdecimal() else None
        is_upload = environ.get("CONTENT_TYPE", "").startswith("multipart/form-data")
        self.limit = limits.upload_bytes if is_upload else limits.body_bytes
        self.pieces: list[bytes] = []
        self.size = 0
        self.is_whole = self.announced == 0

    @property
    def is_wanted(self) -> bool:
        """Return whether more is to be received."""
        if self.is_whole or (self.announced or 0) > self.limit:
            return False
        return self.size <= self.limit

    def add(self, piece: bytes, *, is_last: bool) -> None:
        """Add what was received."""
        self.pieces.append(piece)
        self.size += len(piece)
        self.is_whole = is_last and (self.announced or 0) <= self.size <= self.limit

    def put_into(self, environ: dict[str, Any]) -> None:
        """Set what a WSGI application reads the body from.

        The length of a body that came without one is known now (Django reads none
        otherwise). Reading one that did not come whole raises ``OSError``.
        """
        if self.is_whole:
            environ["CONTENT_LENGTH"] = str(self.size)
            environ["wsgi.input"] = BytesIO(b"".join(self.pieces))
            return
        environ["CONTENT_LENGTH"] = str(max(self.announced or 0, self.size + 1))
        environ["wsgi.input"] = _Unreadable()


class _Unreadable(RawIOBase):
    """The input of a request whose body did not arrive whole."""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Raise ``OSError``, as reading from a broken connection does."""
        raise OSError("the body of the request did not arrive whole")


class Response:
    """What a WSGI application answers: all of it, or its first piece and how to go on."""

    def __init__(self, application: WSGIApplication, environ: dict[str, Any]) -> None:
        """Call the application (in a thread, like every method here)."""
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        answer = application(environ, self._start)
        self.pieces: Iterator[bytes] | None = None
        self.close: Callable[[], None] = getattr(answer, "close", _nothing)
        # Django's name; what is not marked is here already, and is joined.
        if environ["REQUEST_METHOD"] == "HEAD":
            self.body = b""
            self.close()
        elif getattr(answer, "streaming", False):
            self.pieces = iter(answer)
            self.body = self.next_piece()
        else:
            self.body = b"".join(answer)
            self.close()

    def _start(
        self, status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> Callable[[bytes], object]:
        self.status = int(status[:3])
        self.headers = [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in headers
        ]
        return _refuse_write

    def next_piece(self) -> bytes:
        """Return the next piece of a streamed answer; it is empty at the end."""
        chunks: list[bytes] = []
        size = 0
        for chunk in self.pieces or ():
            chunks.append(chunk)
            size += len(chunk)
            if size >= PIECE_BYTES:
                break
        return b"".join(chunks)


def environ_of(scope: Scope) -> dict[str, Any]:
    """Return the WSGI environment (PEP 3333) of an ASGI request, without its body."""
    server, client = scope.get("server") or ("", 0), scope.get("client") or ("", 0)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "REMOTE_PORT": str(client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for raw_name, raw_value in scope["headers"]:
        name = _variable(raw_name)
        if not name:
            continue
        value = raw_value.decode("latin-1")
        if name in environ:
            value = f"{environ[name]}{'; ' if name == 'HTTP_COOKIE' else ','}{value}"
        environ[name] = value
    return environ


@lru_cache(maxsize=256)  # the same few headers come with every request
def _variable(raw_name: bytes) -> str:
    """Return the variable of a header; none where it could pass for another's."""
    if b"_" in raw_name or len(raw_name) > MAX_HEADER_NAME:
        return ""
    name = raw_name.decode("latin-1").upper().replace("-", "_")
    return name if name in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{name}"


async def _disconnected(receive: Receive) -> None:
    """Return when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _nothing() -> None:
    """Close nothing."""


def _refuse_write(_data: bytes) -> object:
    """Raise: the application uses PEP 3333's old way to write, which nothing here needs."""
    raise RuntimeError("write() is not supported")
