"""Counts and times each request, and writes its line of the access log.

By route and method, never by path, which callers choose.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from time import perf_counter
from typing import Any, Final, NamedTuple, Self

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.monitoring import access_log, metrics
from platform_errors.conf import conf
from platform_errors.errors.dialects import dialect_for
from platform_errors.errors.log import proved
from platform_errors.http.request_id import current_request_id

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD: Final = "other"
UNRESOLVED: Final = "unresolved"
"""No route has the address, or the request was refused before that was looked at."""


class MonitoringMiddleware:
    """Stands behind the request identifier's, and sees what all others refuse."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        """Keep the rest of the chain."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve; a streamed answer is counted when it has been sent, or given up."""
        started = perf_counter()
        response = self.get_response(request)
        answered = _answered(request, response, started)
        streamed: Any = response
        if response.streaming:
            streamed.streaming_content = _Streamed(streamed.streaming_content, answered)
        else:
            answered.finish(len(streamed.content))
        return response


class _Answered(NamedTuple):
    """A request whose answer is ready. It holds neither: they would live for too long."""

    route: str
    method: str
    status: int
    reason: str
    key: str
    institution: str
    trace_id: str
    started: float

    def finish(self, size: int) -> None:
        """Count and log it; ``size``: bytes of its body, which HEAD leaves out."""
        seconds = perf_counter() - self.started
        _count(self.route, self.method, self.status)()
        _observe(self.route)(seconds)
        access_log.write(
            {
                "method": self.method,
                "route": self.route,
                "status": self.status,
                "duration_ms": round(seconds * 1000, 1),
                "bytes": 0 if self.method == "HEAD" else size,
                "key": self.key,
                "institution": self.institution,
                "reason": self.reason,
                "request_id": current_request_id(),
                "trace_id": self.trace_id,
            }
        )


class _Streamed:
    """The pieces of an answer, counted; Django closes it with the answer."""

    def __init__(self, pieces: Iterator[bytes], answered: _Answered) -> None:
        self._pieces, self._answered = pieces, answered
        self._size = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        piece = next(self._pieces)
        self._size += len(piece)
        return piece

    def close(self) -> None:
        self._answered.finish(self._size)


def _answered(
    request: HttpRequest, response: HttpResponseBase, started: float
) -> _Answered:
    reason = response.headers.get(conf.reason_header, "")
    if reason:
        dialect = dialect_for(request)
        metrics.refusals.labels(reason, dialect.name if dialect else "page").inc()
    key, institution = proved(request)
    return _Answered(
        route=route_of(request),
        method=method_of(request),
        status=response.status_code,
        reason=reason,
        key=key,
        institution=institution or _institution_of_session(request),
        trace_id=getattr(request, "trace_id", ""),
        started=started,
    )


def _institution_of_session(request: HttpRequest) -> str:
    """Return that of the user, if a view asked who that is; nothing is asked for it."""
    user: Any = getattr(request, "_cached_user", None)  # Django's AuthenticationMiddleware
    if user is None or getattr(user, "institution_id", None) is None:
        return ""
    return str(user.login.rpartition("@")[2])  # a login is ``username@institution``


# Of each route one child is kept: finding it by its labels costs more than counting.
@lru_cache(maxsize=4096)
def _count(route: str, method: str, status: int) -> Callable[[], None]:
    return metrics.requests.labels(route, method, str(status)).inc


@lru_cache(maxsize=1024)
def _observe(route: str) -> Callable[[float], None]:
    return metrics.request_seconds.labels(route).observe


def route_of(request: HttpRequest) -> str:
    """Return the name of the URL pattern; of an unnamed one, its view's."""
    match = request.resolver_match
    if match is not None:
        return match.view_name
    path = request.path_info
    if path.startswith(settings.STATIC_URL):
        return "static"
    return "health" if path in {"/health/live", "/health/ready"} else UNRESOLVED


def method_of(request: HttpRequest) -> str:
    """Return the method if it is one of HTTP's usual ones."""
    method = request.method or ""
    return method if method in METHODS else OTHER_METHOD
