"""Receivers that hang, lie, redirect, or want to be somewhere else."""

import gzip
import socket
import threading

import pytest

from calendar_events.tests.receiving import answering, receiving
from calendar_events.tests.web import LOOPBACK
from calendar_events.webhooks.sending import MAX_ANSWER_BYTES, send

PATIENCE_SECONDS = 240


@pytest.fixture(autouse=True)
def _limits(settings):
    settings.CALENDAR_EVENTS = {
        **settings.CALENDAR_EVENTS,
        "WEBHOOK_NETWORKS": LOOPBACK,
        "WEBHOOK_HTTP": True,
        "WEBHOOK_SECONDS": PATIENCE_SECONDS,
    }


def hurry(settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "WEBHOOK_SECONDS": 0.5}


def sent(url):
    return send(url, headers={"webhook-id": "msg_1"}, payload='{"a":1}')


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_status_of_success_is_one(status):
    with receiving(answering(status)) as receiver:
        answer = sent(receiver.url)

    assert (answer.is_success, answer.status, answer.error) == (True, status, "")
    assert receiver.received[0].body == b'{"a":1}'
    assert receiver.received[0].headers["user-agent"] == "calendar-events-webhooks"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_a_failure_and_nobody_goes_there(status):
    with receiving() as inside:
        redirect = answering(status, {"Location": inside.url})
        with receiving(redirect) as receiver:
            answer = sent(receiver.url)

        assert (answer.is_success, answer.status) == (False, status)
        assert inside.received == []


def test_the_first_kilobyte_of_an_answer_is_kept():
    with receiving(answering(500, body=b"\x00\xff" + b"x" * 5000)) as receiver:
        answer = sent(receiver.url)

    assert answer.text == "\ufffd\ufffd" + "x" * 1022


def test_of_a_gigabyte_no_more_than_the_limit_is_read():
    written = []

    def flood(handler, message):
        handler.send_response(200)
        handler.send_header("Content-Length", str(2**30))
        handler.end_headers()
        for _ in range(2**14):
            handler.wfile.write(b"x" * 2**16)
            written.append(2**16)

    with receiving(flood) as receiver:
        answer = sent(receiver.url)

    assert answer.is_success
    assert len(answer.text) == 1024
    # What the system's buffers took, too; by far not what was announced.
    assert MAX_ANSWER_BYTES <= sum(written) + 2**16 < 2**29


def test_a_receiver_that_hangs_is_left_when_the_time_is_up(settings):
    hurry(settings)
    release = threading.Event()
    with receiving(lambda *_: release.wait(PATIENCE_SECONDS)) as receiver:
        answer = sent(receiver.url)
        release.set()

    assert (answer.status, answer.error) == (None, "the address took too long to answer")


def test_a_receiver_that_answers_a_byte_at_a_time_is_left_when_the_time_is_up(settings):
    hurry(settings)
    release = threading.Event()

    def drip(handler, message):
        handler.send_response(200)
        handler.send_header("Content-Length", "60000")
        handler.end_headers()
        while not release.wait(0.05):
            handler.wfile.write(b"x")

    with receiving(drip) as receiver:
        answer = sent(receiver.url)
        release.set()

    assert (answer.status, answer.error) == (None, "the address took too long to answer")


def test_a_receiver_that_accepts_no_connection_in_time_is_left(settings):
    hurry(settings)
    with socket.create_server(("127.0.0.1", 0), backlog=1) as listener:
        answer = sent(f"http://127.0.0.1:{listener.getsockname()[1]}/")

    assert answer.error == "the address took too long to answer"


def test_a_receiver_that_closes_early_is_a_failure():
    with receiving(lambda handler, _: handler.connection.close()) as receiver:
        answer = sent(receiver.url)

    assert (answer.status, answer.error) == (None, "the address could not be read")


def test_a_receiver_that_talks_no_http_is_a_failure():
    def babble(handler, message):
        handler.wfile.write(b"\x16\x03\x01 nonsense\r\n\r\n" * 100)

    with receiving(babble) as receiver:
        answer = sent(receiver.url)

    assert answer.error == "the address could not be read"


def test_nobody_is_visited_inside_whatever_the_name_says(settings, monkeypatch):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "WEBHOOK_NETWORKS": []}
    with receiving() as receiver:
        port = receiver.server_port
        inside = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: inside)

        answer = sent(f"http://receiver.example:{port}/hook")

        assert answer.error == "the address is not on the public internet"
        assert receiver.received == []


def test_the_address_that_was_checked_is_the_one_that_is_visited(settings, monkeypatch):
    looked_up = []
    with receiving() as receiver:
        port = receiver.server_port
        inside = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
        find = socket.getaddrinfo

        def look_up(host, *args, **options):
            if host != "receiver.example":
                return find(host, *args, **options)
            looked_up.append(host)
            return inside

        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        answer = sent(f"http://receiver.example:{port}/hook")

    assert answer.is_success
    assert looked_up == ["receiver.example"]
    assert receiver.received[0].headers["host"] == f"receiver.example:{port}"


def test_an_http_address_of_before_is_not_visited_once_the_settings_forbid_it(settings):
    with receiving() as receiver:
        settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "WEBHOOK_HTTP": False}

        answer = sent(receiver.url)

        assert answer.error == "the address is not an https URL"
        assert receiver.received == []


@pytest.mark.parametrize(
    "endless",
    [b"X", b"X-A: 1\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"],
    ids=["a line", "headers", "interim answers"],
)
def test_headers_that_do_not_end_are_a_failure(settings, endless):
    hurry(settings)
    release = threading.Event()

    def flood(handler, message):
        if not endless.startswith(b"HTTP"):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not release.is_set():
            try:
                handler.wfile.write(endless * 1000)
            except OSError:
                return

    with receiving(flood) as receiver:
        answer = sent(receiver.url)
        release.set()

    assert (answer.status, answer.is_success) == (None, False)


def test_an_answer_that_is_packed_is_not_unpacked():
    bomb = gzip.compress(b"x" * 10_000_000)
    with receiving(answering(200, {"Content-Encoding": "gzip"}, bomb)) as receiver:
        answer = sent(receiver.url)

    assert receiver.received[0].headers["accept-encoding"] == "identity"
    assert "x" * 20 not in answer.text


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "localhost"),
        *("[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]"),
        *("[::127.0.0.1]", "[2002:7f00:1::]", "\uff11\uff12\uff17.0.0.1"),
    ],
)
def test_nobody_is_visited_inside_however_it_is_written(settings, host):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "WEBHOOK_NETWORKS": []}
    with receiving() as receiver:
        answer = sent(f"http://{host}:{receiver.server_port}/hook")

        assert (answer.status, receiver.received) == (None, [])
        assert answer.error


@pytest.mark.parametrize("tail", ["\r\nX-Sent: 1", "a b", "\n\nPOST / HTTP/1.1"])
def test_an_address_adds_no_line_to_a_request(tail):
    with receiving() as receiver:
        sent(receiver.url + tail)

    assert len(receiver.received) <= 1
    assert all("x-sent" not in each.headers for each in receiver.received)
