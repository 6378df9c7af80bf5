"""waitress, with what it has no setting for: time limits by phase, overload, 304.

waitress receives whole requests and buffers answers, to disk beyond a bound, so that no
thread waits for a client. It closes connections that have been idle; here each phase of a
request has its own limit (decisions 9), a body that no route takes is refused by its
head, and more requests than the threads can answer soon get 503 from a separate thread.
"""

import contextlib
import logging
import socket
import time
from collections.abc import Callable
from io import RawIOBase
from typing import Any, ClassVar, NamedTuple
from wsgiref.types import WSGIApplication

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask
from waitress.utilities import RequestEntityTooLarge

OVERLOADED = "platform.overloaded"
"""Set in the environment of a request for which no thread is free soon."""
MEBIBYTE = 1024 * 1024
MAX_HEAD_BYTES = 32 * 1024
TIMED_OUT = (
    b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)
STOP_SECONDS = 10.0
"""What requests that have begun get to finish when the server is stopped."""


class Limits(NamedTuple):
    """Seconds, bytes and numbers that clients may take of one process."""

    head: float
    """Seconds for the head of a request, also between two and before the first."""
    body_pause: float
    """Seconds without a byte of the body."""
    body_total: float
    send_pause: float
    """Seconds without the client taking a byte of the answer."""
    body_bytes: int
    upload_bytes: int
    """As ``body_bytes``, for ``multipart/form-data`` below ``upload_path``."""
    upload_path: str
    connections: int
    waiting: int
    """Requests that wait for a thread before others are refused."""
    threads: int


class Request(HTTPRequestParser):
    """A request while it arrives."""

    limits: ClassVar[Limits]

    def __init__(self, adj: Adjustments) -> None:
        """Note the moment of the first byte."""
        super().__init__(adj)
        self.started = time.time()  # waitress's clock
        self.is_too_large = False

    def received(self, data: bytes) -> int:
        """Take what arrived; a body that is too large is left to the application."""
        consumed: int = super().received(data)
        if isinstance(self.error, RequestEntityTooLarge):
            self._refuse_body()
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        """Know by the head how large the body may be. Raises waitress's errors."""
        super().parse_header(header_plus)
        content_type = self.headers.get("CONTENT_TYPE", "")
        is_upload = self.path.startswith(self.limits.upload_path)
        if is_upload and content_type.lower().startswith("multipart/form-data"):
            self.adj: Any = UploadAdjustments(self.adj, self.limits.upload_bytes)

    def get_body_stream(self) -> Any:
        """Return what the application reads the body from."""
        return Unreadable() if self.is_too_large else super().get_body_stream()

    def _refuse_body(self) -> None:
        """Let the application answer, in its own format, without the body."""
        self.error = None
        self.is_too_large = True
        self.headers["CONNECTION"] = "close"
        self.expect_continue = False
        self.close()
        length = max(self.content_length, self.adj.max_request_body_size)
        self.headers["CONTENT_LENGTH"] = str(length)


class UploadAdjustments:
    """waitress's settings, with room for an upload."""

    def __init__(self, adj: Adjustments, upload_bytes: int) -> None:
        """``upload_bytes``: of the whole body."""
        self._adj = adj
        self.max_request_body_size = upload_bytes + 1

    def __getattr__(self, name: str) -> Any:
        """Return any other setting."""
        return getattr(self._adj, name)


class Unreadable(RawIOBase):
    """The input of a request whose body is not received."""

    def readable(self) -> bool:
        """Be a stream that can be read from."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Raise ``OSError``, as reading from a broken connection does."""
        raise OSError("the body of the request was not received")


class Task(WSGITask):
    """One answer; tells the application when no thread is free for it."""

    def get_environment(self) -> dict[str, Any]:
        """Return the WSGI environment."""
        environ: dict[str, Any] = super().get_environment()
        if self.channel.is_refused:
            environ[OVERLOADED] = True
        return environ

    def set_close_on_finish(self) -> None:
        """Close the connection after the answer, but for a 204 or 304.

        waitress takes their missing ``Content-Length`` for a body without an end.
        """
        is_asked = self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or self.version != "1.1" or is_asked:
            super().set_close_on_finish()


class Channel(HTTPChannel):
    """One connection."""

    parser_class = Request
    task_class = Task
    is_refused = False

    def is_late(self, now: float, limits: Limits) -> bool:
        """Return whether the client has taken more time than its phase has."""
        quiet = now - self.last_activity
        if self.requests:
            is_full = self.total_outbufs_len >= self.adj.send_bytes
            return bool(is_full and quiet > limits.send_pause)
        if self.total_outbufs_len:
            return bool(quiet > limits.send_pause)
        request = self.request
        if request is None:
            return bool(quiet > limits.head)
        if not request.headers_finished:
            return bool(now - request.started > limits.head)
        return bool(quiet > limits.body_pause or now - request.started > limits.body_total)

    def drop(self) -> None:
        """Close the connection, in the thread of the loop; a task that writes is told."""
        self.will_close = True
        try:
            if self.request is not None and self.request.headers_finished:
                self.socket.send(TIMED_OUT)
            self.socket.shutdown(socket.SHUT_RDWR)  # wakes the loop where nothing is read
        except OSError:
            self.handle_close()


class Server(TcpWSGIServer):
    """The loop of one process, its threads, and what they may be asked at once."""

    channel_class = Channel
    is_stopping = False

    def __init__(
        self,
        application: WSGIApplication,
        listener: socket.socket,
        *,
        limits: Limits,
        is_quick: Callable[[str], bool],
        on_beat: Callable[[], None],
    ) -> None:
        """Serve a socket that listens.

        ``is_quick`` returns whether a path is answered without the database; ``on_beat`` is
        called at least every other second while the loop runs.
        """
        self.limits, self.is_quick, self.on_beat = limits, is_quick, on_beat
        Request.limits = limits
        adj = Adjustments(
            sockets=[listener],
            threads=limits.threads,
            ident=None,
            clear_untrusted_proxy_headers=False,  # the application knows its proxies
            cleanup_interval=1,
            connection_limit=2**31,  # ``handle_accept`` makes room
            max_request_header_size=MAX_HEAD_BYTES,
            max_request_body_size=limits.body_bytes + 1,
            inbuf_overflow=MEBIBYTE // 4,
            outbuf_overflow=MEBIBYTE,
            outbuf_high_watermark=2**40,  # answers go to the disk, no thread waits
            asyncore_use_poll=True,
        )
        # What the kernel holds for a client is given up like what we hold.
        pause = int(limits.send_pause * 1000)
        given_up = (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, pause)
        adj.socket_options = [*adj.socket_options, given_up]
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self.quick = ThreadedTaskDispatcher()
        self.quick.set_thread_count(2)
        super().__init__(
            application,
            adj=adj,
            _sock=listener,
            bind_socket=False,
            sockinfo=(listener.family, listener.type, None, listener.getsockname()),
        )

    def add_task(self, task: Channel) -> None:
        """Give a request to a thread.

        What needs no database, and the refusal of what would wait too long, has threads of
        its own.
        """
        is_quick = self.is_quick(task.requests[0].path or "")
        is_full = len(self.task_dispatcher.queue) >= self.limits.waiting
        task.is_refused = is_full and not is_quick
        if is_quick or is_full:
            self.quick.add_task(task)
        else:
            super().add_task(task)

    def handle_accept(self) -> None:
        """Accept a connection; the quietest one makes room where there are too many."""
        if len(self.active_channels) >= self.limits.connections:
            quiet = [each for each in self.active_channels.values() if not each.requests]
            if quiet:
                min(quiet, key=lambda each: each.last_activity).handle_close()
        super().handle_accept()

    def readable(self) -> bool:
        """Accept no connection while stopping."""
        return super().readable() and not self.is_stopping

    def maintenance(self, now: float) -> None:
        """Drop who is late, about once a second."""
        self.on_beat()
        for channel in list(self.active_channels.values()):
            if not channel.will_close and channel.is_late(now, self.limits):
                channel.drop()

    def run(self) -> None:
        """Serve until ``stop``, then for as long as requests are answered."""
        while not (self.is_stopping and self._is_done()):
            wasyncore.loop(timeout=1, use_poll=True, map=self._map, count=1)
        for dispatcher in (self.task_dispatcher, self.quick):
            dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._map)

    def stop(self, *_signal: object) -> None:
        """Accept no more, and let ``run`` return when all is answered."""
        if not self.is_stopping:
            self.is_stopping = True
            self.stop_at = time.monotonic() + STOP_SECONDS
            with contextlib.suppress(OSError):  # the loop has ended already
                self.pull_trigger()

    def requests(self) -> dict[str, tuple[int, int]]:
        """Return how many requests run and wait, by the threads that answer them."""
        return {
            name: (dispatcher.active_count, len(dispatcher.queue))
            for name, dispatcher in (
                ("requests", self.task_dispatcher),
                ("quick", self.quick),
            )
        }

    def _is_done(self) -> bool:
        busy = any(
            channel.requests or channel.total_outbufs_len
            for channel in list(self.active_channels.values())
        )
        return not busy or time.monotonic() > self.stop_at
