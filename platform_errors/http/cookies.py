"""Programs have no cookies: on API paths none is read, so none is set or deleted."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from platform_errors.conf import conf
from platform_errors.http.mounts import is_below


def is_cookieless(path: str) -> bool:
    """Return whether a path is for programs, where no cookie is read."""
    return is_below(path, conf.mounts) or is_below(path, conf.cookieless_paths)


class CookielessMiddleware:
    """Take the cookies off requests to an API mount, and to ``COOKIELESS_PATHS``.

    A browser sends the cookies of this host along wherever a page or a script leads it. The
    session and CSRF middleware would replace a spoiled one on any answer; credentials of an
    API are in ``Authorization`` alone. Stands before whatever reads cookies.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Forget the cookies before anybody has looked, then serve."""
        if is_cookieless(request.path):
            request.META.pop("HTTP_COOKIE", None)
        return self.get_response(request)
