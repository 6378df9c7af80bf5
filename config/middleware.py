"""What the project itself adds to the middleware of its libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from django.contrib.messages import middleware as messages
from simple_history.middleware import HistoryRequestMiddleware

from platform_errors.conf import conf
from platform_errors.mounts import is_below

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

NOTHING = "default-src 'none'; frame-ancestors 'none'"
"""The policy of what is no page: it may load nothing and stand in no frame."""


class ContentSecurityPolicyMiddleware(CSPMiddleware):
    """The configured policy for pages, the strictest for everything else.

    django-csp puts its policy together anew for every answer; API answers, which need none
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


class MessageMiddleware(messages.MessageMiddleware):
    """Messages from page to page; the APIs have none, and are spared their storages."""

    def process_request(self, request: HttpRequest) -> None:
        """Let pages have them."""
        if not is_below(request.path, conf.mounts):
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
