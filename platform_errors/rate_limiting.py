"""The rate limit by client address on every API mount, as middleware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_errors.errors.catalogue import TooManyRequests
from platform_errors.errors.dialects import dialect_of
from platform_errors.errors.handler import refusal_response
from platform_errors.throttling import require_within_rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase


class RateLimitMiddleware:
    """Limit every path of an API mount by client address.

    Pages and the token endpoint call ``require_within_rate`` themselves, because they say
    no in their own words.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        """Keep the rest of the chain."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve, or answer 429 in the mount's dialect."""
        dialect = dialect_of(request.path)
        if dialect is not None:
            try:
                require_within_rate(request)
            except TooManyRequests as refusal:
                return refusal_response(refusal, request, dialect)
        return self.get_response(request)
