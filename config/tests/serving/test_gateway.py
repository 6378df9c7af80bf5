"""The gateway between ASGI and WSGI, without a server: what is received, made and sent."""

from __future__ import annotations

import asyncio
import threading

import pytest

from config.serving import gateway
from config.serving.gateway import Gateway, Lanes, Limits
from config.serving.lanes import Lane
from config.tests.loops import run

LIMITS = Limits(
    body_bytes=100,
    upload_bytes=1_000,
    held_bytes=10_000,
    body_pause=60,
    body_total=60,
    send_pause=60,
)
IMPATIENT = LIMITS._replace(body_pause=0.2, body_total=0.5, send_pause=0.2)


def scope(method="GET", path="/", headers=(), query=b"", raw_path=None):
    return {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": raw_path or path.encode(),
        "query_string": query,
        "headers": list(headers),
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.9", 4242),
    }


class Client:
    """One end of a connection: what it sends, piece by piece, and what it gets."""

    def __init__(self, *pieces, leaves=False, pause=0.0, reads_after=0.0):
        self.pieces = list(pieces)
        self.leaves, self.pause, self.reads_after = leaves, pause, reads_after
        self.sent = []

    async def receive(self):
        await asyncio.sleep(self.pause)
        if self.pieces:
            piece = self.pieces.pop(0)
            more = bool(self.pieces) or self.leaves
            return {"type": "http.request", "body": piece, "more_body": more}
        if self.leaves:
            return {"type": "http.disconnect"}
        return await asyncio.Event().wait()

    async def send(self, message):
        if message["type"] == "http.response.body":
            await asyncio.sleep(self.reads_after)
        self.sent.append(message)

    @property
    def status(self):
        return self.sent[0]["status"]

    @property
    def headers(self):
        return dict(self.sent[0]["headers"])

    @property
    def body(self):
        return b"".join(message["body"] for message in self.sent[1:])

    @property
    def is_finished(self):
        return not self.sent[-1]["more_body"]


def echo(environ, start_response):
    """Answer with the body, or 400 where it cannot be read."""
    try:
        body = environ["wsgi.input"].read()
    except OSError:
        start_response("400 Bad Request", [("Content-Type", "text/plain")])
        return [b"unreadable"]
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["CONTENT_LENGTH"].encode(), b" ", body]


def overloaded(environ, start_response):
    start_response("503 Busy" if environ.get(gateway.OVERLOADED) else "200 OK", [])
    return [b""]


def lanes_of(**reads):
    return Lanes(
        files=Lane(threads=1, patience=60),
        reads=Lane(**{"threads": 2, "patience": 60, **reads}),
        writes=Lane(threads=2, patience=60),
        streams=Lane(threads=1, patience=60),
    )


def ask(application, client, request, *, limits=LIMITS, **reads):
    async def main():
        server = Gateway(
            application,
            limits=limits,
            make_lanes=lambda: lanes_of(**reads),
            is_file=lambda path: path.startswith("/static/"),
        )
        await server(request, client.receive, client.send)
        return server

    return run(main())


def length(number):
    return [(b"content-length", str(number).encode())]


def test_a_body_is_whole_before_the_application_is_called():
    client = Client(b"hel", b"lo")

    server = ask(echo, client, scope("POST", headers=length(5)))

    assert (client.status, client.body) == (200, b"5 hello")
    assert b"connection" not in client.headers
    assert server.held == 0


def test_a_body_without_a_length_gets_one():
    client = Client(b"hel", b"lo")

    ask(echo, client, scope("POST"))

    assert client.body == b"5 hello"


@pytest.mark.parametrize(
    ("client", "headers"),
    [
        (Client(b"hel", leaves=True), length(5)),
        (Client(b"hel", leaves=True), ()),
        (Client(b"hel"), length(5)),
        (Client(b"x" * 101), ()),
        (Client(), length(101)),
        (Client(b"a", b"b", b"c", b"d", b"e", b"f", b"g", pause=0.1), length(7)),
        (Client(b"a", b"b", pause=0.3), length(2)),
    ],
    ids=[
        "cut",
        "chunks cut",
        "short",
        "too large",
        "announced too large",
        "drips",
        "stalls",
    ],
)
def test_a_body_that_does_not_arrive_whole_cannot_be_read_and_ends_the_connection(
    client, headers
):
    server = ask(echo, client, scope("POST", headers=headers), limits=IMPATIENT)

    assert (client.status, client.body) == (400, b"unreadable")
    assert client.headers[b"connection"] == b"close"
    assert server.held == 0


def test_an_upload_may_be_larger_than_other_bodies():
    form = [(b"content-type", b"multipart/form-data; boundary=x"), *length(500)]
    client = Client(b"x" * 500)

    ask(echo, client, scope("POST", headers=form))

    assert client.status == 200


def test_beyond_what_all_bodies_may_hold_a_new_one_is_refused():
    client = Client(b"hello")

    async def main():
        server = Gateway(
            overloaded,
            limits=LIMITS._replace(held_bytes=10),
            make_lanes=lanes_of,
            is_file=lambda path: False,
        )
        server.held = 11
        await server(scope("POST", headers=length(5)), client.receive, client.send)

    run(main())

    assert client.status == 503


def test_a_request_for_which_no_thread_is_free_in_time_is_refused_by_the_application():
    released = threading.Event()

    def application(environ, start_response):
        if environ["PATH_INFO"] == "/slow":
            released.wait(120)
        return overloaded(environ, start_response)

    slow, late, file = Client(), Client(), Client()

    async def main():
        server = Gateway(
            application,
            limits=LIMITS,
            make_lanes=lambda: lanes_of(threads=1, patience=0.1),
            is_file=lambda path: path.startswith("/static/"),
        )
        held = asyncio.ensure_future(server(scope(path="/slow"), slow.receive, slow.send))
        await asyncio.sleep(0)
        await server(scope(path="/static/a.css"), file.receive, file.send)
        await server(scope(path="/"), late.receive, late.send)
        released.set()
        await held

    run(main())

    assert (slow.status, late.status, file.status) == (200, 503, 200)


class Stream:
    """A streamed answer of Django's kind."""

    streaming = True

    def __init__(self, pieces):
        self.pieces, self.is_closed = iter(pieces), False
        self.threads = set()

    def __iter__(self):
        for piece in self.pieces:
            self.threads.add(threading.current_thread().name)
            yield piece

    def close(self):
        self.is_closed = True


def streaming(stream):
    def application(environ, start_response):
        start_response("200 OK", [("Content-Type", "text/calendar")])
        return stream

    return application


def test_a_streamed_answer_is_sent_in_pieces_and_closed():
    stream = Stream([b"x" * 20_000] * 10)
    client = Client()

    ask(streaming(stream), client, scope())

    assert client.body == b"x" * 200_000
    assert client.is_finished
    assert stream.is_closed
    assert len(client.sent) > 4  # never joined


def test_a_stream_ends_when_the_client_leaves():
    stream = Stream([b"x" * 40_000] * 1_000)
    client = Client(leaves=True)

    ask(streaming(stream), client, scope())

    assert not client.is_finished
    assert stream.is_closed
    assert len(client.sent) < 900


def test_a_stream_whose_client_does_not_read_is_cut():
    stream = Stream([b"x" * 40_000] * 1_000)
    client = Client(reads_after=0.0)

    async def send(message):
        if len(client.sent) > 5:
            await asyncio.Event().wait()
        client.sent.append(message)

    client.send = send
    ask(streaming(stream), client, scope(), limits=IMPATIENT)

    assert not client.is_finished
    assert stream.is_closed


def test_a_stream_is_closed_also_when_its_request_is_cancelled_while_it_waits_for_that():
    stream = Stream([b"x" * 40_000] * 2)
    client = Client()

    async def main():
        lane = Lane(threads=1)
        released = threading.Event()
        server = Gateway(
            streaming(stream),
            limits=LIMITS,
            make_lanes=lambda: Lanes(files=lane, reads=lane, writes=lane, streams=lane),
            is_file=lambda path: False,
        )

        async def send(message):
            client.sent.append(message)
            if len(client.sent) == 3:  # the stream will be closed behind this one
                busy.append(asyncio.ensure_future(lane.run(lambda: released.wait(120))))
                await asyncio.sleep(0.05)
                raise TimeoutError

        busy = []
        task = asyncio.ensure_future(server(scope(), client.receive, send))
        await asyncio.sleep(0.2)
        assert not stream.is_closed
        task.cancel()
        await asyncio.sleep(0.05)
        released.set()
        await asyncio.gather(*busy)
        await asyncio.sleep(0.2)
        return task.cancelled()

    assert run(main())
    assert stream.is_closed


def test_head_makes_no_body():
    stream = Stream([b"x"])
    client = Client()

    ask(streaming(stream), client, scope("HEAD"))

    assert client.body == b""
    assert stream.is_closed
    assert stream.threads == set()


def test_the_environment_is_that_of_pep_3333():
    headers = [
        (b"content-type", b"application/json"),
        (b"accept", b"a"),
        (b"accept", b"b"),
        (b"cookie", b"x=1"),
        (b"cookie", b"y=2"),
        (b"x_forwarded_for", b"10.0.0.1"),
    ]

    environ = gateway.environ_of(
        scope(path="/é", raw_path=b"/%C3%A9%2F", query=b"a=%20", headers=headers)
    )

    assert environ["PATH_INFO"] == "/Ã©/"
    assert environ["QUERY_STRING"] == "a=%20"
    assert environ["CONTENT_TYPE"] == "application/json"
    assert environ["HTTP_ACCEPT"] == "a,b"
    assert environ["HTTP_COOKIE"] == "x=1; y=2"
    assert environ["REMOTE_ADDR"] == "127.0.0.9"
    assert not any("FORWARDED" in name for name in environ)
