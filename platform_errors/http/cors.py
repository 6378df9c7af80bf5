"""Cross-origin access to the API mounts: any origin, never credentials (decisions 6).

Credentials travel in ``Authorization``, which a script must hold itself, so nothing is
opened by ``*``: a cookie is never looked at on these paths.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve

from platform_errors.conf import conf
from platform_errors.http.mounts import is_below

ALL_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PREFLIGHT_SECONDS = 7200
"""Chromium remembers a preflight no longer than this."""


class CorsMiddleware:
    """Answer preflights and open every answer, errors included, on the configured paths."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve, adding the headers of the Fetch standard."""
        if not is_below(request.path, conf.cors_paths):
            return self.get_response(request)
        response: HttpResponseBase
        if (
            request.method == "OPTIONS"
            and "Access-Control-Request-Method" in request.headers
        ):
            response = HttpResponse(status=204)
            del response["Content-Type"]  # there is no content
            response["Access-Control-Allow-Methods"] = ", ".join(
                route_methods(request.path_info)
            )
            response["Access-Control-Allow-Headers"] = ", ".join(conf.cors_request_headers)
            response["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
        else:
            response = self.get_response(request)
            response["Access-Control-Expose-Headers"] = ", ".join(
                (*conf.cors_exposed_headers, conf.request_id_header, conf.reason_header)
            )
        response["Access-Control-Allow-Origin"] = "*"
        return response


def route_methods(path: str) -> tuple[str, ...]:
    """Return the methods of the view that a path leads to, as DRF or Django declare them.

    For a path that leads nowhere, all: the request itself is then answered with 404.
    """
    try:
        view = resolve(path).func
    except Resolver404:
        return ALL_METHODS
    view_class = getattr(view, "cls", None) or getattr(view, "view_class", None)
    names = getattr(view, "actions", None)
    if names is None and view_class is not None:
        names = {name for name in view_class.http_method_names if hasattr(view_class, name)}
    methods = {name.upper() for name in names or ()}
    if not methods - {"OPTIONS"}:
        return ALL_METHODS
    methods |= {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    return tuple(method for method in ALL_METHODS if method in methods)
