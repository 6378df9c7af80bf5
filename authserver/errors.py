"""Errors of the authorization server that spec 7 has no row for.

And how both kinds are named on the two channels of OAuth: ``error`` of the authorization
redirect (decisions 3.3) and ``error`` of the token endpoint (decisions 4).
"""

from typing import ClassVar

from platform_errors.errors import base, catalogue
from platform_errors.errors.base import ApiError


class OAuthError(ApiError, is_family=True):
    """An error of RFC 6749 or one of its family; the description is its message."""

    error: ClassVar[str]

    def __init__(self, description: str, detail: str = "") -> None:
        super().__init__(detail, text=base.echo(description))


class InvalidRequest(OAuthError):
    """A parameter is missing, malformed or repeated."""

    error = default_code = "invalid_request"


class UnsupportedResponseType(OAuthError):
    """Anything but ``code``."""

    error = default_code = "unsupported_response_type"


class UnauthorizedClient(OAuthError):
    """The key may not use this grant type or this endpoint."""

    error = default_code = "unauthorized_client"


class RedirectMismatch(OAuthError):
    """The redirect address is not registered, so nothing is ever sent there."""

    error = default_code = "redirect_uri_mismatch"
    status_code = 403

    def __init__(self) -> None:
        super().__init__("redirect_uri does not match an address registered on the key")


class AccessDenied(OAuthError):
    """The user said no, or may not say yes."""

    error = default_code = "access_denied"
    status_code = 403


class LoginRequired(OAuthError):
    """``prompt=none``, and nobody is signed in, or not recently enough."""

    error = default_code = "login_required"
    status_code = 401


class ConsentRequired(OAuthError):
    """``prompt=none``, and the user has not allowed all of it before."""

    error = default_code = "consent_required"
    status_code = 403


class InteractionRequired(OAuthError):
    """``prompt=none``, and a page has to be shown for another reason."""

    error = default_code = "interaction_required"
    status_code = 403


class RequestNotSupported(OAuthError):
    """Request objects (OpenID Connect Core section 6) are not supported."""

    error = default_code = "request_not_supported"


class InvalidScope(OAuthError):
    """The scope cannot be read, or asks for more than was granted."""

    error = default_code = "invalid_scope"


class ScopeMissing(InvalidScope):
    """No service was asked for (spec 7.1)."""

    default_code = "scope_missing"

    def __init__(self) -> None:
        super().__init__("required parameter 'scope' is missing or blank")


class InvalidGrant(OAuthError):
    """The code or refresh token is wrong, used, expired or not this client's."""

    error = default_code = "invalid_grant"


class UnsupportedGrantType(OAuthError):
    """A grant type that the token endpoint does not have."""

    error = default_code = "unsupported_grant_type"


class ServerError(OAuthError):
    """Something broke."""

    error = default_code = "server_error"
    status_code = 500


class TemporarilyUnavailable(OAuthError):
    """Something is overloaded or being maintained."""

    error = default_code = "temporarily_unavailable"
    status_code = 503


_KEY_ROWS = (catalogue.KeyInvalid, catalogue.KeyExpired, catalogue.KeyCanceled)


def authorization_error(error: ApiError) -> str:
    """Return the ``error`` of the authorization redirect (spec 7.6, decisions 3.3)."""
    if isinstance(error, OAuthError):
        return error.error
    if isinstance(error, _KEY_ROWS):
        return "invalid_client_id"
    if isinstance(error, catalogue.ScopesInvalid):
        return "invalid_scope"
    if isinstance(error, catalogue.InstitutionNotOnKey):
        return "access_denied_institution"
    return "server_error"


def token_error(error: ApiError) -> str:
    """Return the ``error`` of the token endpoint (RFC 6749 section 5.2, decisions 4)."""
    if isinstance(error, OAuthError):
        return error.error
    if isinstance(error, (*_KEY_ROWS, base.AuthenticationError)):
        return "invalid_client"
    for kind, name in _TOKEN_ERRORS:
        if isinstance(error, kind):
            return name
    return "invalid_request"


def error_description(text: str) -> str:
    """Return a text in the characters that ``error_description`` may have.

    RFC 6749 sections 4.1.2.1 and 5.2: ASCII without controls, quote and backslash.
    """
    visible = text.translate(_OUTSIDE_DESCRIPTION)
    return "".join(char if " " <= char <= "~" else "?" for char in visible)


_OUTSIDE_DESCRIPTION = {ord('"'): "'", ord("\\"): "/"}
_TOKEN_ERRORS: list[tuple[type[ApiError], str]] = [
    (catalogue.ScopesInvalid, "invalid_scope"),
    (catalogue.InstitutionNotOnKey, "unauthorized_client"),
    (catalogue.InternalError, "server_error"),
    (catalogue.Unavailable, "temporarily_unavailable"),
    (catalogue.TooManyRequests, "temporarily_unavailable"),
]
