"""Clients that stop in the middle: they hold up nobody, and are cut off.

The server is the one that ``make run`` starts, with nothing in front of it.
"""

import contextlib
import socket
import time

import pytest

from config.tests import servers
from config.tests.signer import ALICE, signed

pytestmark = pytest.mark.processes

STALLED = 16
EVENTS = "/platform/events/v1/events"

HEAD = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"
STALLS = {
    "nothing at all": b"",
    "a head that never ends": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    "a form": HEAD % b"/oauth2/token" + FORM + b"Content-Length: 1000\r\n\r\na",
    "a form in chunks": (
        HEAD % b"/oauth2/introspect"
        + FORM
        + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n"
    ),
    "chunks for nobody": (
        HEAD % b"/nope" + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
    ),
    "JSON": (
        HEAD % EVENTS.encode()
        + b'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"title":'
    ),
    "JSON in chunks": (
        HEAD % EVENTS.encode()
        + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"
    ),
    "a feed that is not read": (
        b"GET %s.ics?start_date=2000-01-01&end_date=2100-01-01 HTTP/1.1\r\n"
        b"Host: 127.0.0.1\r\n\r\n" % EVENTS.encode()
    ),
}


@pytest.fixture(scope="module")
def patient_server(tmp_path_factory):
    """A server whose limits do not end within these tests."""
    limits = {
        "HEAD_SECONDS": "60",
        "BODY_PAUSE_SECONDS": "600",
        "BODY_TOTAL_SECONDS": "600",
        "SEND_PAUSE_SECONDS": "600",
    }
    with servers.demo_server(tmp_path_factory.mktemp("patient"), **limits) as running:
        yield running


@pytest.fixture(scope="module")
def strict_server(tmp_path_factory):
    """A server whose limits end soon."""
    limits = {
        "HEAD_SECONDS": "1",
        "BODY_PAUSE_SECONDS": "1",
        "BODY_TOTAL_SECONDS": "3",
        "SEND_PAUSE_SECONDS": "1",
    }
    with servers.demo_server(tmp_path_factory.mktemp("strict"), **limits) as running:
        yield running


def connect(server: servers.Server) -> socket.socket:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(240)
    connection.connect(("127.0.0.1", int(server.environment["PORT"])))
    return connection


def everything(connection: socket.socket) -> bytes:
    """Return what the server sends until it closes the connection."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(65536):
            received += piece
    return received


def as_alice(server: servers.Server) -> bytes:
    """Return the header line of a signed POST to the events."""
    headers = signed(
        "POST",
        f"{server.url}{EVENTS}",
        principalID=ALICE,
        principalIDNS="urn:platform:1001",
    )
    return b"Authorization: %s\r\n" % headers["Authorization"].encode()


@pytest.mark.parametrize("stall", STALLS)
def test_stalled_connections_hold_up_nobody(patient_server, stall):
    with contextlib.ExitStack() as held:
        for _ in range(STALLED):
            connection = held.enter_context(connect(patient_server))
            connection.sendall(STALLS[stall])
        time.sleep(0.5)

        answers = [
            patient_server.http.get(path).status_code
            for path in (f"{EVENTS}?per_page=1", "/", "/oauth2/access") * 3
        ]
        wrong = patient_server.http.post("/oauth2/token", data={"grant_type": "code"})

    assert set(answers) <= {200, 302}
    assert wrong.status_code == 400


@pytest.mark.parametrize("stall", [name for name in STALLS if "feed" not in name])
def test_a_stalled_request_is_cut_off(strict_server, stall):
    with connect(strict_server) as connection:
        connection.sendall(STALLS[stall])

        received = everything(connection)

    assert received == b"" or b"\r\nconnection: close\r\n" in received.lower()


def test_a_body_that_drips_is_cut_off(strict_server):
    received = b""
    with connect(strict_server) as connection, contextlib.suppress(ConnectionError):
        connection.sendall(STALLS["JSON"])
        connection.settimeout(0.3)
        for _ in range(600):
            connection.sendall(b" ")
            with contextlib.suppress(TimeoutError):
                received += connection.recv(65536)
            if received:
                break

    assert b"\r\nconnection: close\r\n" in received.lower()


@pytest.mark.parametrize(
    "rest",
    [b"", b"1f4\r\nhalf", b"zz\r\n"],
    ids=["no last chunk", "half a chunk", "no size"],
)
@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded"])
def test_of_chunks_without_an_end_nothing_is_stored(patient_server, kind, rest):
    http = patient_server.http
    before = http.get(f"{EVENTS}?per_page=1").json()["total"]
    fields = {
        "application/json": (
            b'{"title":"Cut","start_date":"tomorrow","end_date":"tomorrow"}'
        ),
        "application/x-www-form-urlencoded": (
            b"title=Cut&start_date=tomorrow&end_date=tomorrow&description=half"
        ),
    }[kind]
    with connect(patient_server) as connection:
        connection.sendall(
            HEAD % EVENTS.encode()
            + as_alice(patient_server)
            + b"Content-Type: %s\r\n" % kind.encode()
            + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(fields), fields)
            + rest
        )
        connection.shutdown(socket.SHUT_WR)

        received = everything(connection)

    assert received == b"" or b" 400 " in received.split(b"\r\n")[0]
    assert http.get(f"{EVENTS}?per_page=1").json()["total"] == before


def test_a_body_over_the_limit_is_refused_unread(patient_server):
    with connect(patient_server) as connection:
        connection.sendall(
            HEAD % EVENTS.encode()
            + as_alice(patient_server)
            + b"Content-Type: application/json\r\nContent-Length: 3000000\r\n\r\n"
        )

        received = everything(connection)

    assert b" 413 " in received.split(b"\r\n")[0]
    assert b"\r\nconnection: close\r\n" in received.lower()


def test_many_stalled_bodies_do_not_keep_the_server_from_stopping(tmp_path):
    with servers.demo_server(tmp_path) as running, contextlib.ExitStack() as held:
        for stall in ("a form", "JSON in chunks", "a feed that is not read"):
            for _ in range(4):
                held.enter_context(connect(running)).sendall(STALLS[stall])
        time.sleep(0.5)

        running.process.terminate()

        assert running.process.wait(240) == 0
