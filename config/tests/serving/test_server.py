"""The server alone, around small applications: limits, overload, order of stopping."""

import contextlib
import socket
import sys
import threading
import time

import httpx
import pytest
from waitress.adjustments import Adjustments

from config.serving.server import OVERLOADED, Limits, Request, Server
from config.tests.waiting import PATIENCE_SECONDS, eventually

pytestmark = pytest.mark.processes

LIMITS = Limits(
    head=60,
    body_pause=60,
    body_total=60,
    send_pause=60,
    body_bytes=1000,
    upload_bytes=5000,
    upload_path="/admin/",
    connections=50,
    waiting=2,
    threads=1,
)


class Served:
    """A server in a thread, and how to reach it."""

    def __init__(self, application, **changes):
        listener = socket.create_server(("127.0.0.1", 0))
        self.address = listener.getsockname()
        self.url = "http://{}:{}".format(*self.address)
        self.beats = []
        self.server = Server(
            application,
            listener,
            limits=LIMITS._replace(**changes),
            is_quick=lambda path: path == "/health/live",
            on_beat=lambda: self.beats.append(time.monotonic()),
        )
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()

    def connect(self):
        connection = socket.create_connection(self.address)
        connection.settimeout(PATIENCE_SECONDS)
        return connection

    def send(self, data):
        """Send bytes and return all that comes back."""
        with self.connect() as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(data)
            received = b""
            with contextlib.suppress(ConnectionError):
                while piece := connection.recv(65536):
                    received += piece
            return received

    def stop(self):
        self.server.stop()
        self.thread.join(30)


@pytest.fixture
def serve():
    with contextlib.ExitStack() as stack:

        def start(application, **changes):
            served = Served(application, **changes)
            stack.callback(served.stop)
            return served

        yield start


def echo(environ, start_response):
    """Answer with how long the body is, or with why it cannot be read."""
    try:
        text = str(len(environ["wsgi.input"].read()))
    except OSError as error:
        text = str(error)
    if environ.get(OVERLOADED):
        text = "overloaded"
    start_response("200 OK", [("Content-Length", str(len(text)))])
    return [text.encode()]


def head(path, *lines):
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: x", *lines, "", ""]).encode()


FORM = "Content-Type: multipart/form-data; boundary=x"
LONG = "Content-Length: 2000"
ONCE = "Connection: close"


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("/oauth2/token", (FORM, LONG)),
        ("/admin/", (LONG,)),
        ("/nowhere", (LONG, "Expect: 100-continue")),
        ("/admin/", (FORM, "Content-Length: 5001")),
    ],
)
def test_a_body_that_no_route_takes_is_refused_by_its_head(serve, path, lines):
    received = serve(echo).send(head(path, *lines))

    assert b"100 Continue" not in received
    assert b"was not received" in received
    assert b"connection: close" in received.lower()


def test_an_upload_below_admin_may_be_larger(serve):
    received = serve(echo).send(head("/admin/", FORM, LONG, ONCE) + b"a" * 2000)

    assert received.endswith(b"2000")


@pytest.mark.parametrize(("size", "answer"), [(1000, b"1000"), (1001, b"not received")])
def test_the_bound_of_a_body_is_exact(serve, size, answer):
    received = serve(echo).send(head("/", f"Content-Length: {size}", ONCE) + b"a" * size)

    assert answer in received


def test_a_body_in_chunks_is_counted_while_it_arrives(serve):
    chunks = b"64\r\n" + b"a" * 100 + b"\r\n"
    received = serve(echo).send(
        head("/", "Transfer-Encoding: chunked") + 11 * chunks + b"0\r\n\r\n"
    )

    assert b"was not received" in received


def calls_of(work):
    """Return how many Python functions the work calls, in this thread."""
    count = 0

    def note(_frame, event, _argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_tiny_chunks_cost_no_more_than_their_number():
    """Parsed as they arrive, 8 KiB at a time: calls grow with the bytes, not faster."""

    def receive(count):
        Request.limits = LIMITS
        request = Request(Adjustments(max_request_body_size=10**7))
        data = head("/", "Transfer-Encoding: chunked") + count * b"1\r\na\r\n"
        while data:
            data = data[request.received(data[:8192]) :]

    few, many = (calls_of(lambda n=n: receive(n)) for n in (1_000, 10_000))

    assert few < many < 2 * 10 * few


def test_connections_that_say_nothing_give_way_to_those_that_ask(serve):
    served = serve(echo, connections=10)
    with contextlib.ExitStack() as silent:
        for _ in range(40):
            silent.enter_context(served.connect())

        answers = [
            httpx.get(served.url, timeout=PATIENCE_SECONDS).status_code for _ in range(20)
        ]

    assert answers == [200] * 20


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nX: y\r\n"])
def test_a_connection_without_a_whole_head_is_closed(serve, sent):
    assert serve(echo, head=1).send(sent) == b""


def test_a_head_that_drips_is_closed_as_well(serve):
    served = serve(echo, head=1)
    with served.connect() as connection:
        sent = drip(connection, b"GET / HTTP/1.1\r\nX: " + 200 * b"a")

    assert sent < 200


def drip(connection, data):
    """Send byte after byte; return how many were taken."""
    for sent, byte in enumerate(data):
        try:
            connection.sendall(bytes([byte]))
        except ConnectionError:
            return sent
        time.sleep(0.1)
    return len(data)


def test_a_body_that_stops_is_answered_408(serve):
    received = serve(echo, body_pause=1).send(head("/", "Content-Length: 10") + b"a")

    assert received.startswith(b"HTTP/1.1 408 ")


def test_a_body_that_drips_is_answered_408(serve):
    served = serve(echo, body_total=1)
    received = b""
    with served.connect() as connection:
        connection.settimeout(0.1)
        connection.sendall(head("/", "Content-Length: 1000"))
        with contextlib.suppress(ConnectionError):
            for _ in range(300):
                connection.sendall(b"a")
                with contextlib.suppress(TimeoutError):
                    received += connection.recv(1000)
                if received:
                    break

    assert received.startswith(b"HTTP/1.1 408 ")


def test_who_does_not_read_holds_no_thread_and_is_dropped(serve):
    ended = threading.Event()

    def endless(environ, start_response):
        if environ["PATH_INFO"] == "/small":
            return echo(environ, start_response)
        start_response("200 OK", [])
        return large()

    def large():
        for _ in range(300):
            yield b"a" * 100_000
        ended.set()

    # Long enough for a busy machine to write 30 MB before the connection is dropped.
    served = serve(endless, send_pause=10)
    with served.connect() as unread:
        unread.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        assert ended.wait(PATIENCE_SECONDS)
        # There is one thread.
        answer = httpx.get(f"{served.url}/small", timeout=PATIENCE_SECONDS)
        eventually(lambda: not served.server.active_channels)

    assert answer.status_code == 200


def test_more_than_may_wait_are_refused_while_liveness_answers(serve):
    begun, release = threading.Event(), threading.Event()

    def slow(environ, start_response):
        is_slow = environ["PATH_INFO"] == "/" and OVERLOADED not in environ
        if is_slow:
            begun.set()
            release.wait(PATIENCE_SECONDS)
        return echo(environ, start_response)

    served = serve(slow)
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(served.connect()) for _ in range(3)]
        for connection in waiting:  # one has the thread, two wait
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert begun.wait(PATIENCE_SECONDS)
        queue = served.server.task_dispatcher.queue
        eventually(lambda: len(queue) == 2)

        refused = httpx.get(served.url, timeout=PATIENCE_SECONDS)
        alive = httpx.get(f"{served.url}/health/live", timeout=PATIENCE_SECONDS)
        release.set()
        answered = [connection.recv(1000) for connection in waiting]

    assert (refused.text, alive.text) == ("overloaded", "0")
    assert all(answer.startswith(b"HTTP/1.1 200") for answer in answered)


def test_what_has_begun_is_answered_when_the_server_stops(serve):
    begun = threading.Event()

    def slow(environ, start_response):
        begun.set()
        time.sleep(1)
        return echo(environ, start_response)

    served = serve(slow)
    with served.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert begun.wait(PATIENCE_SECONDS)
        served.stop()

        assert connection.recv(1000).startswith(b"HTTP/1.1 200")
    assert not served.thread.is_alive()


def test_a_stopping_server_does_not_wait_for_idle_connections(serve):
    served = serve(echo)
    with served.connect():
        served.stop()

    assert not served.thread.is_alive()


def test_the_loop_beats(serve):
    served = serve(echo)

    eventually(lambda: len(served.beats) >= 2)


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
def test_the_connection_stays_open_after_an_answer_without_a_body(serve, status):
    def empty(_environ, start_response):
        start_response(status, [("ETag", '"1"')])
        return []

    answers = serve(empty).send(head("/") * 2 + head("/", ONCE))

    assert answers.count(f"HTTP/1.1 {status}".encode()) == 3
    assert answers.count(b"Connection: close") == 1


def test_the_connection_is_closed_after_a_body_of_unknown_length(serve):
    def endless(_environ, start_response):
        start_response("200 OK", [])
        return iter([b"piece"])

    answers = serve(endless).send(head("/") * 2)

    assert answers.count(b"HTTP/1.1 200") == 1
    assert answers.count(b"Connection: close") == 1
