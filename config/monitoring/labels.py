"""What a request is counted and logged as: never its path, which callers choose."""

from typing import Final

from django.conf import settings
from django.http import HttpRequest

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD: Final = "other"
UNRESOLVED: Final = "unresolved"
"""No route has the address, or the request was refused before that was looked at."""


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
