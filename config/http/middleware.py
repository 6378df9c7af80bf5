"""What the project itself adds to the middleware of its libraries."""

from collections.abc import Callable
from http import HTTPStatus

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.contrib.messages import middleware as messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from simple_history.middleware import HistoryRequestMiddleware

from config.http.headers import NOTHING
from config.serving.server import OVERLOADED
from platform_errors.conf import conf
from platform_errors.errors.catalogue import HttpsRequired, Unavailable
from platform_errors.errors.dialects import dialect_for
from platform_errors.errors.django_handlers import refused
from platform_errors.errors.handler import RETRY_AFTER_SECONDS, error_response
from platform_errors.http.client_address import is_trusted
from platform_errors.http.cookies import is_cookieless
from platform_errors.http.mounts import is_below

ALSO_IN_PLAIN_HTTP = ("/health/live", "/health/ready", "/metrics")
"""Asked by machines beside the server, past the proxy."""


class ContentSecurityPolicyMiddleware(CSPMiddleware):
    """The configured policy for pages, the strictest for everything else.

    django-csp builds its policy for every answer; API answers, which need none
    of its permissions, are spared that.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Set the header."""
        if response.headers.get("Content-Type", "").startswith("text/html"):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, NOTHING)
        return response


class HttpsMiddleware:
    """Under an https ``PUBLIC_URL`` let nobody go on in plain http (decisions 9).

    Pages redirect with method and body, never by the Host header. Programs are refused: one
    that followed a redirect would send its secret in the clear every time.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        """Keep the rest of the chain."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve what came over https, refuse or redirect the rest."""
        peer = request.META.get("REMOTE_ADDR", "")
        # Django believes the header from anybody. Who has no address came by a socket file,
        # which only a proxy on this machine reaches.
        if peer and not is_trusted(peer):
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)
        if request.is_secure() or not settings.ISSUER.startswith("https:"):
            return self.get_response(request)
        if is_below(request.path, ALSO_IN_PLAIN_HTTP):
            return self.get_response(request)
        dialect = dialect_for(request)
        if dialect is not None:
            return error_response(HttpsRequired(), request, dialect)
        location = f"{settings.ISSUER}{request.get_full_path()}"
        return HttpResponse(
            status=HTTPStatus.PERMANENT_REDIRECT, headers={"Location": location}
        )


class OverloadMiddleware:
    """Refuse a request for which the server had no thread in time (``config.serving``).

    Nothing is asked of the database, which may be what everybody waits for.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        """Keep the rest of the chain."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve, or answer 503 in the format of the address."""
        if OVERLOADED not in request.META:
            return self.get_response(request)
        error = Unavailable(
            "the server is busy", headers={"Retry-After": str(RETRY_AFTER_SECONDS)}
        )
        return refused(request, error)


class MessageMiddleware(messages.MessageMiddleware):
    """Messages from page to page; programs have none, and are spared their storages."""

    def process_request(self, request: HttpRequest) -> None:
        """Let pages have them."""
        if not is_cookieless(request.path):
            super().process_request(request)


class HistoryMiddleware:
    """Tell the history who writes; GET and HEAD of the APIs write nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        """Keep the rest of the chain, with and without telling."""
        self.get_response = get_response
        self.get_told_response = HistoryRequestMiddleware(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve."""
        if request.method in {"GET", "HEAD"} and is_below(request.path, conf.mounts):
            return self.get_response(request)
        response: HttpResponseBase = self.get_told_response(request)
        return response
