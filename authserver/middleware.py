"""What the pages need of every request."""

from collections.abc import Callable
from typing import Any

from allauth.core.exceptions import ReauthenticationRequired
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from authserver.accounts.login_limits import LoginLocked, login_refused
from authserver.views.pages.failures import fresh_sign_in, too_many_attempts


class OriginMiddleware:
    """Tell the CSRF check where a form came from when the browser would not.

    Under ``Referrer-Policy: no-referrer`` browsers send ``Origin: null`` with the forms of
    our own pages, which Django's check refuses. Fetch metadata says what that header hides:
    ``Sec-Fetch-Site: same-origin`` is written by the browser and cannot be set by a page.
    (Browsers too old to send it are left to the CSRF token alone, as all were before
    ``Origin``; a sandboxed frame of another site is ``cross-site`` and stays refused.)
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Complete the header, then go on."""
        meta = request.META
        site = meta.get("HTTP_SEC_FETCH_SITE", "same-origin")
        if meta.get("HTTP_ORIGIN") == "null" and site == "same-origin":
            meta["HTTP_ORIGIN"] = f"{request.scheme}://{request.get_host()}"
        return self.get_response(request)


class LoginLimitMiddleware:
    """What pages raise: a limit of logins is reached, or the sign-in is too old."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve."""
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, error: Exception
    ) -> HttpResponse | None:
        """Answer what a form raised."""
        if isinstance(error, LoginLocked):
            login_refused.send(type(self), request=request)
            return too_many_attempts(request, error.seconds)
        if isinstance(error, ReauthenticationRequired):
            return fresh_sign_in(request)
        return None


class AdminQueryMiddleware:
    """Refuse NUL in the admin's queries, which become lookups as they stand.

    PostgreSQL cannot compare with NUL, and Django's admin notices only when the query
    runs, too late for its own answer to lookups that make no sense.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Go on; the address is not resolved yet."""
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, _view: Any, _args: Any, _kwargs: Any
    ) -> HttpResponse | None:
        """Raise ``BadRequest`` for a NUL, which becomes the 400 page."""
        match = request.resolver_match
        is_admin = match is not None and match.app_name == "admin"
        if is_admin and "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest
        return None
