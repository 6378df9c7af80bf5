"""The end of an authorization: back to the application, or a page of our own."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse

from authserver import errors
from authserver.authorization.requests import AuthorizationError, AuthorizationRequest
from authserver.views.pages.base import message
from platform_errors.errors import catalogue
from platform_errors.errors.handler import api_error_of, report
from platform_errors.errors.log import state_key, state_reason


def to_application(location: str) -> HttpResponse:
    """Redirect to a registered address.

    Django's own redirect refuses the private-use schemes of native applications
    (RFC 8252 section 7.1); ``parsing.redirect_uris`` decides which may be registered.
    """
    return HttpResponse(status=HTTPStatus.FOUND, headers={"Location": location})


def error_response(request: HttpRequest, error: AuthorizationError) -> HttpResponse:
    """Tell the application, or the user where the address is not verified.

    See decisions 3.2.
    """
    if error.location is not None:
        response = to_application(error.location)
    else:
        response = message(request, "error", error.http_code, error=error)
    return _with_reason(request, response, error)


def redirect_errors_to_client(
    request: HttpRequest,
    authorization: AuthorizationRequest,
    work: Callable[[], HttpResponse],
) -> HttpResponse:
    """Do the work, and tell the application when it breaks (RFC 6749 section 4.1.2.1).

    A redirect cannot carry a 500, so ``server_error`` stands in for it; what happened is
    logged, and reported to whoever listens, as if it had reached Django.
    """
    try:
        return work()
    except Exception as error:  # noqa: BLE001 -- the edge: the application is to hear of it
        broke = api_error_of(error)
        report(error, request, broke)
        why: errors.OAuthError = (
            errors.TemporarilyUnavailable("the server is busy; please try again")
            if isinstance(broke, catalogue.Unavailable)
            else errors.ServerError("something broke; it was recorded")
        )
    return error_response(request, authorization.authorization_error(why))


def render_redirect_interstitial(
    request: HttpRequest, error: AuthorizationError
) -> HttpResponse:
    """Show a page that goes to the application by itself.

    Browsers apply ``form-action 'self'`` to every redirect that follows a form, so a page
    reached by one cannot redirect away; a page that refreshes can.
    """
    # The address was verified before the request was kept.
    assert error.location is not None  # noqa: S101
    response = message(
        request, "leave", HTTPStatus.OK, error=error, next_url=error.location
    )
    return _with_reason(request, response, error)


def _with_reason(
    request: HttpRequest, response: HttpResponse, error: AuthorizationError
) -> HttpResponse:
    """Say why in a header, and have it logged; the redirect keeps its four parameters."""
    state_key(request, error.client_id)
    return state_reason(response, error.reason)


def request_expired_page(request: HttpRequest) -> HttpResponse:
    """Say that a request is no longer open here, and how to go on (decisions 3.12).

    Expired, already answered, or begun in another browser: one answer for all, because
    only its own browser may learn which.
    """
    return message(request, "outdated", HTTPStatus.GONE)
