"""What a refused request leaves behind: its reason in the answer, and one line in the log.

The line has everything that support needs to answer "why was this refused?" for a request
identifier, and nothing secret: no query, no header, no body.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from platform_errors.conf import conf
from platform_errors.errors import signals
from platform_errors.errors.base import echo

Response = TypeVar("Response", bound=HttpResponseBase)

logger = logging.getLogger(__name__)

_KEY = "stated_key"
_PROVED = "proved_key"
_INSTITUTION = "proved_institution"
_REASON = "error_reason"


def state_key(request: HttpRequest | Request, client_id: str) -> None:
    """Note which service key the caller says it uses, believed or not."""
    setattr(getattr(request, "_request", request), _KEY, client_id)


def state_proof(
    request: HttpRequest | Request, client_id: str, institution: str = ""
) -> None:
    """Note that the caller proved this service key, for ``signals.key_used``.

    ``institution`` is the registry identifier that the caller acts for, where it is known.
    """
    django_request = getattr(request, "_request", request)
    setattr(django_request, _PROVED, client_id)
    setattr(django_request, _INSTITUTION, institution)


def proved(request: HttpRequest) -> tuple[str, str]:
    """Return the key and the institution of ``state_proof``; empty without one."""
    return getattr(request, _PROVED, ""), getattr(request, _INSTITUTION, "")


def state_reason(response: Response, reason: str) -> Response:
    """Say the reason in the answer's headers, with a link that explains it if there is one.

    The answer is logged by ``RefusalLogMiddleware``.
    """
    setattr(response, _REASON, reason)
    response.headers[conf.reason_header] = reason
    if conf.error_documentation_url:
        response.headers["Link"] = f'<{conf.error_documentation_url}#{reason}>; rel="help"'
    return response


class RefusalLogMiddleware:
    """Log refused requests, one line each, in place of Django's, which knows only the path.

    Also sends ``signals`` about the key that was used or refused.
    Stands second in ``MIDDLEWARE``, behind the request identifier's, so that it measures
    the whole request and sees what other middleware refuses.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve, and log if that was refused."""
        started = time.monotonic()
        response = self.get_response(request)
        reason = getattr(response, _REASON, "")
        if reason:
            facts = _facts(request, response, reason, seconds=time.monotonic() - started)
            _log(response, facts)
            if facts["key"]:
                _tell_refused(getattr(request, _KEY), facts)
        if proved := getattr(request, _PROVED, ""):
            signals.key_used.send_robust(sender=RefusalLogMiddleware, client_id=proved)
        return response


def _facts(
    request: HttpRequest, response: HttpResponseBase, reason: str, *, seconds: float
) -> dict[str, Any]:
    return {
        "method": _one_line(request.method or ""),
        "path": _one_line(request.path),
        "status_code": response.status_code,
        "reason": reason,
        "key": _one_line(getattr(request, _KEY, "")),
        "duration_ms": round(seconds * 1000, 1),
    }


def _log(response: HttpResponseBase, facts: dict[str, Any]) -> None:
    # Django checks this before it logs an answer itself.
    response._has_been_logged = True  # type: ignore[attr-defined]  # noqa: SLF001
    level = logging.ERROR if response.status_code >= 500 else logging.WARNING
    logger.log(
        level,
        "Refused: %(method)s %(path)s status=%(status_code)d reason=%(reason)s "
        "key=%(key)s duration=%(duration_ms).1fms",
        facts,
        extra=facts,
    )


def _tell_refused(client_id: str, facts: dict[str, Any]) -> None:
    said = {name: facts[name] for name in ("reason", "status_code", "method", "path")}
    signals.request_refused.send_robust(
        sender=RefusalLogMiddleware, client_id=client_id, **said
    )


def _one_line(text: str) -> str:
    """Return a caller's text without line ends, which would start another line."""
    return echo(text).encode("unicode_escape").decode("ascii")
