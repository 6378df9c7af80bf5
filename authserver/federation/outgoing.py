"""Requests to identity providers, whose addresses an institution's administrator chose.

django-allauth and we send by ``requests``; its transport is replaced, as its documentation
has it, by one that checks where it connects and limits size, time and number.
"""

import io
import ipaddress
import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import requests
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

from authserver.conf import conf
from platform_errors.http import outgoing

_lock = threading.Lock()
_under_way: Counter[object] = Counter()
_asker: ContextVar[object] = ContextVar("asker", default=None)


class Refused(requests.RequestException):
    """The request was not sent, or its answer not read; the text says why."""


class Busy(Refused):
    """As many requests are under way as may be; a moment later there are fewer."""


def reason(error: requests.RequestException) -> str:
    """Return why there is no answer, in a word of ``refusals``."""
    return "provider_busy" if isinstance(error, Busy) else "provider_unreachable"


@contextmanager
def asked_by(institution: object) -> Iterator[None]:
    """Count requests as the institution's, whose providers are slow at its own cost."""
    token = _asker.set(institution)
    try:
        yield
    finally:
        _asker.reset(token)


def session() -> requests.Session:
    """Return a session that reaches providers only, follows no redirect, knows no proxy."""
    made = requests.Session()
    made.trust_env = False  # nor ~/.netrc
    made.max_redirects = 0
    for prefix in ("https://", "http://"):
        made.mount(prefix, _Transport())
    return made


def get_json(url: str, *, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the JSON object behind an address. Raises ``requests.RequestException``."""
    with session() as made:
        response = made.get(url, headers=headers)
        response.raise_for_status()
        return json_object(response)


def json_object(response: requests.Response) -> dict[str, Any]:
    """Return an answer's JSON object. Raises ``Refused``."""
    try:
        found = json.loads(response.content)
    except (ValueError, RecursionError) as error:
        raise Refused("the answer is not JSON") from error
    if not isinstance(found, dict):
        raise Refused("the answer is no JSON object")
    return found


def is_fit(url: object) -> bool:
    """Return whether an address may be a provider's: https, or where operators allow it."""
    if not isinstance(url, str) or len(url) > 2000:
        return False
    try:
        parts = outgoing.split(url)
    except outgoing.RequestFailed:
        return False
    if parts.fragment:
        return False
    return parts.scheme == "https" or _is_allowed(parts.hostname or "")


def _is_allowed(host: str) -> bool:
    """Return whether the host is an address in a network that operators allow."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(
        address in ipaddress.ip_network(network) for network in conf.federation_networks
    )


class _Transport(BaseAdapter):
    def send(self, request: requests.PreparedRequest, **_options: Any) -> requests.Response:  # type: ignore[override]
        """Send it, checked and limited. Raises ``Refused``."""
        url = request.url or ""
        if not is_fit(url):
            raise Refused("the address is not https", request=request)
        try:
            with _slot():
                answer = outgoing.send(
                    outgoing.Request(
                        url=url,
                        method=request.method or "GET",
                        headers={name: str(text) for name, text in request.headers.items()},
                        body=_bytes(request.body),
                    ),
                    max_bytes=conf.federation_max_bytes,
                    max_seconds=conf.federation_seconds,
                    allowed=conf.federation_networks,
                )
        except outgoing.RequestFailed as error:
            raise Refused(str(error), request=request) from error
        response = requests.Response()
        response.status_code = answer.status
        # allauth reads the type of a token response without asking whether there is one.
        response.headers = CaseInsensitiveDict({"Content-Type": "", **answer.headers})
        response.url, response.request = url, request
        response.raw = io.BytesIO(answer.body)
        return response

    def close(self) -> None:
        """Keep nothing open."""


def _bytes(body: Any) -> bytes | None:
    """Return the form of a request as it goes out."""
    return body.encode() if isinstance(body, str) else body


@contextmanager
def _slot() -> Iterator[None]:
    """Hold one of the process's slots, of which an institution leaves one to others.

    Raises ``Busy`` when all are taken: a slow provider must not hold every thread.
    """
    asker, most = _asker.get(), conf.federation_at_once
    with _lock:
        if _under_way.total() >= most or _under_way[asker] >= max(most - 1, 1):
            raise Busy("too many requests to providers are under way")
        _under_way[asker] += 1
    try:
        yield
    finally:
        with _lock:
            _under_way[asker] -= 1
            if not _under_way[asker]:
                del _under_way[asker]
