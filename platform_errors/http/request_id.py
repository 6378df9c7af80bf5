"""The request identifier of spec 7.7: made or accepted once, then known everywhere."""

import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from platform_errors.conf import conf
from platform_errors.http.client_address import enter_request, is_trusted, on_behalf_of

STORED_CHARACTERS = 64
_current: ContextVar[str] = ContextVar("request_id", default="")
_WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,127}")


def current_request_id() -> str:
    """Return the identifier of the request being served; empty outside of one."""
    return _current.get()


def stored_request_id() -> str:
    """Return the identifier as rows keep it: its first 64 characters."""
    return current_request_id()[:STORED_CHARACTERS]


def forget_request_id(**_kwargs: Any) -> None:
    """Leave the request (``request_finished``): what is logged next is not part of it."""
    _current.set("")


@contextmanager
def serving(request: HttpRequest, identifier: str) -> Iterator[None]:
    """Let what is recorded be part of an earlier request, with its identifier."""
    token = _current.set(identifier)
    try:
        with on_behalf_of(request):
            yield
    finally:
        _current.reset(token)


class RequestIdMiddleware:
    """Put the identifier on every response and into every log line.

    Stands first in ``MIDDLEWARE``, so that no answer, not even a static file or an error of
    another middleware, leaves without it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve the request under its identifier."""
        identifier = _accepted(request) or str(uuid.uuid4())
        # Forgotten when the request is finished, not here: Django logs a refused
        # one after its last middleware, and a streamed answer is still being made.
        _current.set(identifier)
        enter_request(request)
        response = self.get_response(request)
        response.headers[conf.request_id_header] = identifier
        return response


def _accepted(request: HttpRequest) -> str:
    """Return the identifier that a trusted proxy sent, if it is well-formed."""
    name = conf.request_id_header.upper().replace("-", "_")
    sent = str(request.META.get(f"HTTP_{name}", ""))
    if not _WELL_FORMED.fullmatch(sent):
        return ""
    return sent if is_trusted(request.META.get("REMOTE_ADDR", "")) else ""
