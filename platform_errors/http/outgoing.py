"""Send a request to a URL that a caller chose, without trusting the URL or its server.

The connection goes to the very address that was checked, certificates are verified, no
redirect is followed, and the size of the answer and the whole duration are limited.
"""

import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import cast
from urllib.parse import SplitResult, quote, urlsplit

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from platform_errors.http.addresses import AddressRefused, resolve

CHUNK_BYTES = 64 * 1024
# What RFC 3986 allows in a path or query; anything else is percent-encoded before it is
# sent.
URL_SAFE = "/?:@!$&'()*+,;=-._~%"


class RequestFailed(Exception):
    """There is no answer; the text says why, in words for the caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to send; ``Host`` and ``Accept-Encoding`` are not the caller's to say."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the other server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def send(
    request: Request,
    *,
    max_bytes: int,
    max_seconds: float,
    allowed: Iterable[str] = (),
    is_cut: bool = False,
) -> Answer:
    """Return the answer of an http or https URL, whatever its status.

    ``allowed`` names networks (CIDR) that may be reached although they are not public. An
    answer that is larger than the limit fails, or, if it ``is_cut``, is read no further.

    Raises ``RequestFailed``.
    """
    deadline = time.monotonic() + max_seconds
    with _sent(request, deadline=deadline, allowed=allowed) as response:
        return Answer(
            status=response.status,
            headers=response.headers,
            body=(
                _beginning(response, max_bytes=max_bytes, deadline=deadline)
                if is_cut
                else _body(response, max_bytes=max_bytes, deadline=deadline)
            ),
        )


def split(url: str) -> SplitResult:
    """Return the parts of an acceptable URL. Raises ``RequestFailed``."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise RequestFailed("the address is not a URL") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        raise RequestFailed("the address is not an http or https URL")
    if parts.username is not None or parts.password is not None:
        raise RequestFailed("the address must not contain a user name or password")
    return parts


@contextmanager
def _sent(
    request: Request, *, deadline: float, allowed: Iterable[str]
) -> Iterator[BaseHTTPResponse]:
    """Send to the checked address; the body of the answer is still to be read."""
    parts = split(request.url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = _address(host, port, deadline=deadline, allowed=allowed)
    connection = _connection(parts.scheme, host, address, port, _left(deadline))
    target = quote(parts.path or "/", safe=URL_SAFE)
    if parts.query:
        target += "?" + quote(parts.query, safe=URL_SAFE)
    try:
        connection.connect()
        # A socket's own timeout starts again with every byte; this one does not.
        with _shut_after(cast("socket.socket", connection.sock), _left(deadline)):
            connection.request(
                request.method,
                target,
                body=request.body,
                headers={
                    **request.headers,
                    "Host": _host_header(parts),
                    "Accept-Encoding": "identity",
                },
                preload_content=False,
                decode_content=False,
            )
            with closing(connection.getresponse()) as response:
                yield response
    except (HTTPError, HTTPException, OSError, UnicodeError, ValueError) as error:
        if time.monotonic() >= deadline:
            raise RequestFailed("the address took too long to answer") from error
        raise RequestFailed("the address could not be read") from error
    finally:
        connection.close()


def _address(host: str, port: int, *, deadline: float, allowed: Iterable[str]) -> str:
    """Return the checked address of the host.

    The look-up of the system knows no deadline, and whoever owns the name may own a slow
    name server: it works in a thread of its own, which is left behind when the time is up.
    """
    resolved: Future[str] = Future()

    def look_up() -> None:
        try:
            resolved.set_result(resolve(host, port, allowed=allowed))
        except Exception as error:  # noqa: BLE001 -- raised where the result is awaited
            resolved.set_exception(error)

    threading.Thread(target=look_up, daemon=True).start()
    try:
        return resolved.result(_left(deadline))
    except AddressRefused as error:
        raise RequestFailed(str(error)) from error
    except TimeoutError as error:
        raise RequestFailed("the address took too long to answer") from error


def _host_header(parts: SplitResult) -> str:
    """Return the authority of the URL, in ASCII."""
    host = (parts.hostname or "").encode(
        "idna" if ":" not in (parts.hostname or "") else "ascii"
    )
    text = host.decode("ascii")
    text = f"[{text}]" if ":" in text else text
    return f"{text}:{parts.port}" if parts.port else text


def _connection(
    scheme: str, host: str, address: str, port: int, timeout: float
) -> HTTPConnection:
    """Return a connection to ``address`` that verifies the certificate of ``host``."""
    if scheme == "http":
        return HTTPConnection(address, port, timeout=timeout)
    return HTTPSConnection(
        address,
        port,
        timeout=timeout,
        server_hostname=host,
        assert_hostname=host,
        ssl_context=ssl.create_default_context(),
    )


@contextmanager
def _shut_after(sock: socket.socket, seconds: float) -> Iterator[None]:
    """End the connection when the time is up, whatever it is waiting for."""

    def shut() -> None:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _left(deadline: float) -> float:
    """Return the seconds that are left, or raise."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise RequestFailed("the address took too long to answer")
    return left


def _beginning(response: BaseHTTPResponse, *, max_bytes: int, deadline: float) -> bytes:
    """Read the body as far as the limit."""
    content = bytearray()
    while len(content) < max_bytes:
        chunk = response.read1(min(CHUNK_BYTES, max_bytes - len(content)))
        if not chunk:
            break
        content += chunk
    _left(deadline)
    return bytes(content)


def _body(response: BaseHTTPResponse, *, max_bytes: int, deadline: float) -> bytes:
    """Read the body, up to the limit."""
    content = bytearray()
    while chunk := response.read1(CHUNK_BYTES):
        content += chunk
        if len(content) > max_bytes:
            raise RequestFailed(f"the answer is larger than {max_bytes} bytes")
        _left(deadline)
    # A connection that we shut down ourselves looks like the end of the body.
    _left(deadline)
    return bytes(content)
