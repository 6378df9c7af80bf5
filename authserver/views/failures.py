"""For what other people's code refuses: bad requests, the CSRF check, the login limits."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.views.decorators.cache import never_cache

from authserver.accounts import login_limits
from authserver.oauth import responses
from authserver.views.endpoint import Endpoint
from platform_errors.errors import django_handlers
from platform_errors.errors.handler import refusal_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from django.http.response import HttpResponseBase

    from platform_errors.errors.base import Refusal


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """400 in an endpoint's own shape, such as for a host that is not ours (``handler400``).

    Elsewhere ``platform_errors`` answers.
    """
    return endpoint_refusal(request, refusal_of(exception)) or django_handlers.bad_request(
        request, exception
    )


def endpoint_refusal(request: HttpRequest, refusal: Refusal) -> HttpResponse | None:
    """Return a refusal by middleware in the endpoint's own shape; ``None`` for a page.

    No view was reached.
    """
    try:
        view = resolve(request.path_info).func
    except Resolver404:
        return None
    if not issubclass(getattr(view, "view_class", object), Endpoint):
        return None
    old_generation = getattr(view, "view_initkwargs", {}).get("old_generation", False)
    return responses.error_response(refusal, request, old_generation=old_generation)


@never_cache
def csrf_failure(
    request: HttpRequest,
    reason: str = "",  # noqa: ARG001 -- Django's signature
) -> HttpResponse:
    """Say that the page was out of date, and link to a fresh one (decisions 3.12).

    ``CSRF_FAILURE_VIEW``. The link is the address of this very request; every address that
    takes a form here also shows a page.
    """
    return render(
        request,
        "authserver/403_csrf.html",
        {"again_url": request.get_full_path()},
        status=HTTPStatus.FORBIDDEN,
    )


@never_cache
def too_many_attempts(
    request: HttpRequest, _response: HttpResponse, credentials: dict[str, Any] | None
) -> HttpResponse:
    """Say how long to wait (decisions 3.10), on Django admin's login page too.

    ``AXES_LOCKOUT_CALLABLE``.
    """
    seconds = login_limits.seconds_to_wait(
        request, login_limits.account_of(request, credentials)
    )
    seconds = max(1, seconds)
    response = render(
        request,
        "authserver/locked.html",
        {"wait": in_words(seconds), "again_url": request.get_full_path()},
        status=HTTPStatus.TOO_MANY_REQUESTS,
    )
    response["Retry-After"] = str(seconds)
    return response


def in_words(seconds: int) -> str:
    """Return a duration as a person says it, never shorter than it is."""
    if seconds < 90:
        return "1 second" if seconds == 1 else f"{seconds} seconds"
    minutes = -(-seconds // 60)
    return f"{minutes} minutes"
