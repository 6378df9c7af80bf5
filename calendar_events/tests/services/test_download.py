"""Fetching from a URL that a caller chose."""

import socket
import ssl
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from calendar_events.services.fetching import DownloadFailed, download
from calendar_events.tests.web import LOOPBACK, serving


def fetched(url, *, max_bytes=1000, max_seconds=60.0, allowed=LOOPBACK):
    return download(url, max_bytes=max_bytes, max_seconds=max_seconds, allowed=allowed)


def refused(url, **options):
    with pytest.raises(DownloadFailed) as caught:
        fetched(url, **options)
    return str(caught.value)


def test_the_content_behind_an_address_is_returned():
    with serving((200, {}, b"content")) as server:
        assert fetched(f"{server.url}/a picture.png?size=ä") == b"content"

        assert server.visits[0].path == "/a%20picture.png?size=%C3%A4"
        assert server.visits[0].headers["Host"] == server.url.removeprefix("http://")


def test_an_address_inside_our_own_network_is_not_visited():
    with serving((200, {}, b"secret")) as server:
        assert (
            refused(server.url, allowed=[]) == "the address is not on the public internet"
        )

        assert server.visits == []


@pytest.mark.parametrize("order", [1, -1])
def test_a_name_with_one_public_and_one_private_address_is_not_visited(monkeypatch, order):
    with serving((200, {}, b"secret")) as server:
        port = int(server.url.rpartition(":")[2])
        answers = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in ("127.0.0.1", "93.184.215.14")
        ]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers[::order])

        problem = refused(f"http://two.example:{port}/", allowed=[])

        assert problem == "the address is not on the public internet"
        assert server.visits == []


def test_a_slow_name_server_is_left_when_the_time_is_up(monkeypatch):
    wanted, answers = threading.Event(), []

    def look_up(*_, **__):
        wanted.wait(120)
        answers.append([])
        return answers[-1]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)

    problem = refused("http://slow.example/", max_seconds=0.2)
    waited_for = list(answers)
    wanted.set()

    assert problem == "the address took too long to answer"
    assert waited_for == []


def test_a_redirect_to_an_address_inside_our_own_network_is_not_followed():
    with serving((302, {"Location": "http://169.254.169.254/latest/"}, b"")) as server:
        assert refused(server.url) == "the address is not on the public internet"


def test_a_redirect_to_another_scheme_is_not_followed():
    with serving((302, {"Location": "file:///etc/passwd"}, b"")) as server:
        assert refused(server.url) == "the address is not an http or https URL"


def test_a_relative_redirect_is_followed():
    with serving((301, {"Location": "/there"}, b""), (200, {}, b"content")) as server:
        assert fetched(server.url) == b"content"

        assert [visit.path for visit in server.visits] == ["/", "/there"]


def test_redirects_come_to_an_end():
    with serving((302, {"Location": "/again"}, b"")) as server:
        assert refused(server.url) == "the address redirects too often"

        assert len(server.visits) == 4


def test_a_file_that_is_too_large_is_not_read_to_its_end():
    with serving((200, {}, b"x" * 1001)) as server:
        assert refused(server.url) == "the answer is larger than 1000 bytes"


def test_an_answer_that_is_not_a_success_is_named():
    with serving((404, {}, b"nothing here")) as server:
        assert refused(server.url) == "the address answered 404"


@pytest.mark.parametrize(
    "answer",
    [b"SSH-2.0-OpenSSH_9.2\r\n", b"", b"HTTP/1.1 two hundred\r\n\r\n",
     b"HTTP/1.1 200 OK\r\n" + b"X: x\r\n" * 200 + b"\r\n",
     b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n",
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
    ids=["another protocol", "nothing", "a status in words", "too many headers",
         "too long a header", "a broken chunk"],
)  # fmt: skip
def test_a_server_that_does_not_speak_http_is_refused(answer):
    with serving(lambda handler: handler.wfile.write(answer)) as server:
        assert refused(server.url) == "the address could not be read"


def test_a_server_that_gives_one_byte_at_a_time_is_left_when_the_time_is_up():
    written = []

    def drip(handler):
        handler.send_response(200)
        handler.end_headers()
        for number in range(1000):
            handler.wfile.write(b"x")
            written.append(number)
            time.sleep(0.05)

    with serving(drip) as server:
        assert refused(server.url, max_seconds=0.3) == "the address took too long to answer"

    assert len(written) < 1000


def test_a_server_that_never_finishes_its_headers_is_left_when_the_time_is_up():
    written = []

    def drip(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(1000):
            handler.wfile.write(f"X-{number}: x\r\n".encode())
            written.append(number)
            time.sleep(0.2)

    with serving(drip) as server:
        assert refused(server.url, max_seconds=0.3) == "the address took too long to answer"

    assert len(written) < 100  # from there on the HTTP client gives up by itself


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/a.png",
        "gopher://example.org/",
        "http://",
        "http:///a.png",
        "http://[::1/a.png",
        "http://user:word@example.org/a.png",
        "http://example.org:99999/",
        "http://example.org:0/",
        "http://exa mple.org/",
        "http://no-such-host.invalid/pic.png",
        "http://127.0.0.1:1/",
        "//example.org/a.png",
        "",
    ],
)
def test_an_address_that_cannot_be_fetched_is_refused_in_words(url):
    assert refused(url)


def test_the_certificate_of_an_https_address_must_hold(tmp_path):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "server.pem"
    pem.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)

    with serving((200, {}, b"content")) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        problem = refused(server.url.replace("http:", "https:"))

    assert problem == "the address could not be read"
