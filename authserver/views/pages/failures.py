"""For what other people's code refuses: the CSRF check, the login limits."""

from http import HTTPStatus
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.cache import never_cache

from authserver.accounts import signing_in
from authserver.authorization import session
from authserver.views.pages import steps
from authserver.views.pages.base import message


@never_cache
def csrf_failure(
    request: HttpRequest,
    reason: str = "",  # noqa: ARG001 -- Django's signature
) -> HttpResponse:
    """Say that the page was out of date, and link to a fresh one (decisions 3.12).

    ``CSRF_FAILURE_VIEW``. The link is the address of this very request; every address that
    takes a form here also shows a page.
    """
    again_url = request.get_full_path()
    return message(request, "403_csrf", HTTPStatus.FORBIDDEN, again_url=again_url)


@never_cache
def too_many_attempts(request: HttpRequest, seconds: int) -> HttpResponse:
    """Say how long to wait (decisions 3.10), on Django admin's login page too."""
    return message(
        request,
        "locked",
        HTTPStatus.TOO_MANY_REQUESTS,
        headers={"Retry-After": str(seconds)},
        wait=in_words(seconds),
        again_url=request.get_full_path(),
    )


def fresh_sign_in(request: HttpRequest) -> HttpResponse:
    """Ask who it is once more, and come back by GET: nothing that was sent is kept."""
    wanted = request.get_full_path()
    if ways := get_adapter().get_reauthentication_methods(request.user):
        return HttpResponseRedirect(f"{ways[0]['url']}?{urlencode({'next': wanted})}")
    # Nobody, or an account of a provider, which asks for itself.
    user = session.signed_in(request)
    signing_in.end_session(request)
    request.session[session.ANEW] = session.FRESH
    session.come_back_to(request, wanted)
    if user is None or user.institution is None:
        return HttpResponseRedirect(reverse("account_login"))
    at = user.institution.registry_id
    return HttpResponseRedirect(steps.address("login", institution=at))


def in_words(seconds: int) -> str:
    """Return a duration as a person says it, never shorter than it is."""
    if seconds < 90:
        return "1 second" if seconds == 1 else f"{seconds} seconds"
    minutes = -(-seconds // 60)
    return f"{minutes} minutes"
