"""Rate limits, off by default (decisions 3.10): by client address, and by service key.

The counters are DRF's, in Django's default cache: with several processes that must be a
shared one (check ``config.W001``). What is limited is counted before anything else
is done for the caller, except that a key is only known once its credentials were verified.

A cache that is away limits nobody: better too many requests than none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from rest_framework.throttling import SimpleRateThrottle

from platform_errors.conf import conf
from platform_errors.credentials import Credentials
from platform_errors.errors import catalogue
from platform_errors.errors.dialects import dialect_of
from platform_errors.errors.handler import error_response
from platform_errors.http.client_address import throttle_ident
from platform_errors.logging.circuit_breaker import CircuitBreaker

if TYPE_CHECKING:  # rest_framework.views imports this module by its setting
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase
    from rest_framework.request import Request
    from rest_framework.views import APIView

outage = CircuitBreaker("The cache failed, no request is limited for now")


class RateLimit(SimpleRateThrottle):
    """``{number}/{second|minute|hour|day}`` from the settings; empty means no limit."""

    counted: ClassVar[str] = ""
    """Whose requests are counted, in words."""

    def get_rate(self) -> str | None:
        """Return the rate of this class's scope (``PLATFORM_ERRORS["RATE_LIMITS"]``)."""
        return conf.rate_limits.get(self.scope or "") or None

    def allow_request(self, request: Any, view: Any) -> bool:
        """Return whether the caller is within the rate.

        Nothing is counted without a rate, and while the cache is away.
        """
        if self.rate is None or outage.is_open():
            return True
        try:
            return bool(super().allow_request(request, view))
        except catalogue.TooManyRequests:
            raise
        except Exception as error:  # noqa: BLE001 -- each cache raises its own
            outage.trip(error)
            return True

    def throttle_failure(self) -> NoReturn:
        """Raise ``TooManyRequests``, which says which limit and how long to wait.

        The oldest of the counted requests leaves the window then, and one more fits in.
        """
        number, _, period = str(self.rate).partition("/")
        wait = str(math.ceil(self.wait() or 1))
        raise catalogue.TooManyRequests(
            f"the limit is {number} requests per {period} {self.counted}",
            headers={
                "Retry-After": wait,
                "RateLimit-Limit": number,
                "RateLimit-Remaining": "0",
                "RateLimit-Reset": wait,
            },
        )


class AddressRateLimit(RateLimit):
    """Requests per client address, or IPv6 network of /64, for all callers."""

    scope = "address"
    counted = "from one address"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        """Return the counter's name; a caller without an address is not counted."""
        address = throttle_ident(request)
        return None if address is None else f"rate:address:{address}"


class KeyRateLimit(RateLimit):
    """Requests per service key, for views that list it in ``throttle_classes``."""

    scope = "key"
    counted = "with one service key"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        """Return the counter's name; an anonymous request has no key to count for."""
        if not isinstance(request.auth, Credentials):
            return None
        return f"rate:key:{request.auth.key.client_id}"


def require_within_rate(request: HttpRequest) -> None:
    """Count a request of this address. Raises ``TooManyRequests`` beyond the rate."""
    AddressRateLimit().allow_request(request, None)


class RateLimitMiddleware:
    """Limit every path of an API mount by client address.

    Pages and the token endpoint call ``require_within_rate`` themselves, because they say
    no in their own words.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve, or answer 429 in the mount's dialect."""
        dialect = dialect_of(request.path)
        if dialect is not None:
            try:
                require_within_rate(request)
            except catalogue.TooManyRequests as error:
                return error_response(error, request, dialect)
        return self.get_response(request)
