"""One class per refusal of the platform: status, message and how each format names it.

Attributes only. How a refusal is shown is ``documents.py``; turning one into a response is
``handler.py``. Messages are the texts of spec section 7 where it has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# ruff: noqa: PLC0414 -- the root and its families are raised and caught from here, too
from platform_errors.refusal import AuthenticationRefusal as AuthenticationRefusal
from platform_errors.refusal import ForbiddenRefusal as ForbiddenRefusal
from platform_errors.refusal import Refusal as Refusal
from platform_errors.refusal import echo as echo
from platform_errors.refusal import printable as printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# --- Application authentication (spec 7.1, decisions 5) -----------------------------------


class AuthorizationHeaderMissing(AuthenticationRefusal):
    """No credentials where some are needed."""

    message = "Authorization header is missing"
    slug = "rest_forbidden"


class UnknownAuthorizationScheme(AuthenticationRefusal):
    """A scheme that is neither ours nor Bearer, or two Authorization headers."""

    message = "Authorization header is not supported"


class KeyInvalid(AuthenticationRefusal):
    """No such service key."""

    message = "service key {key} is invalid"


class KeyExpired(AuthenticationRefusal):
    """The service key's expiry has passed."""

    message = "service key is expired"


class KeyCanceled(ForbiddenRefusal):
    """The service key was canceled."""

    message = "service key has been canceled"


class SignatureInvalid(AuthenticationRefusal):
    """The signature is malformed or is not the one this key makes for this request."""

    message = "request has invalid signature ({signature})"


class TimestampInvalid(AuthenticationRefusal):
    """The timestamp is no number or too far from the server's clock (Unix seconds)."""

    message = (
        "timestamp in request({timestamp}) is not valid; "
        "current time on server is {current_time}"
    )


class NonceReplayed(AuthenticationRefusal):
    """The same key, timestamp and nonce were seen before."""

    message = "nonce in request is not unique"


class TokenInvalid(AuthenticationRefusal):
    """No such access token, or it was revoked."""

    message = "access token is invalid"
    bearer_error = "invalid_token"


class TokenExpired(AuthenticationRefusal):
    """The access token's lifetime is over."""

    message = "access token has expired"
    bearer_error = "invalid_token"


# --- Application and user authorization (spec 7.2, 7.3) -----------------------------------


class TokenLacksService(ForbiddenRefusal):
    """The token was not issued for the service."""

    message = "access token does not have access to service {scope}"
    bearer_error = "insufficient_scope"


class ScopesInvalid(ForbiddenRefusal):
    """One or more services cannot be had with this key.

    ``problems`` holds (scope, service name, reason) in request order; the reason is one of
    ``Not on key``, ``Canceled``, ``Expired``.
    """

    message = "Invalid scope(s): {problems}"

    def __init__(self, problems: Iterable[tuple[str, str, str]]) -> None:
        """Join the problems with commas (decisions 3.5)."""
        self.problems = tuple(problems)
        listed = (f"{scope} ({name}) [{why}]" for scope, name, why in self.problems)
        super().__init__(problems=", ".join(listed))


class InstitutionNotOnKey(ForbiddenRefusal):
    """The key may not act for the institution whose data is requested."""

    message = "clientId {key} doesn't have access to contextInstitutionId {institution}"


class InvalidUser(ForbiddenRefusal):
    """The user is missing, unknown, disabled or of another institution."""

    message = "Invalid user"

    def __init__(self, detail: str = "principalID and/or principalIDNS is invalid") -> None:
        """Use the detail of the spec's example."""
        super().__init__(detail)


class MissingPermission(ForbiddenRefusal):
    """The user may not do this."""

    message = "Missing permission"


# --- General request errors (spec 7.4) ----------------------------------------------------


class NoSuchResource(Refusal):
    """Nothing lives at this address."""

    status_code = 404
    message = "Not Found"
    slug = "rest_no_route"


class MalformedRequest(Refusal):
    """The request itself cannot be read: its address, query string or headers."""

    message = "Bad Request"
    slug = "rest_bad_request"


class InstitutionNotNamed(Refusal):
    """A signed write by a key with several institutions that names none (decisions 2)."""

    message = "required parameter 'contextInstitutionId' is missing or blank"
    slug = "rest_missing_callback_param"

    def __init__(self) -> None:
        """Say which parameter of the query string is missing."""
        super().__init__(data={"params": ["contextInstitutionId"]})
        self.events_text = "Missing parameter(s): contextInstitutionId"


class HttpsRequired(ForbiddenRefusal):
    """The request came in plain http, where the server is announced at https."""

    message = "https is required"


class MethodNotSupported(Refusal):
    """The resource does not have this method; ``Allow`` says which it has."""

    status_code = 405
    message = "Method Not Supported"
    slug = "rest_method_not_supported"


class NotAcceptable(Refusal):
    """None of the media types of ``Accept`` can be served."""

    status_code = 406
    message = "Not Acceptable"
    slug = "rest_not_acceptable"


# --- Errors when writing data (spec 7.5) --------------------------------------------------


class BadBody(Refusal):
    """The body cannot be read or does not fit."""

    message = "Invalid HTTP Body Content"


class MalformedJson(BadBody):
    """The body is not JSON."""

    slug = "rest_invalid_json"


class MissingParameters(BadBody):
    """Required parameters are not there; ``names`` in the order of the contract.

    Only when they were to come ``in_body``, the message is ``Invalid HTTP Body Content``.
    """

    slug = "rest_missing_callback_param"

    def __init__(self, names: Iterable[str], *, in_body: bool = True) -> None:
        """Name what is missing."""
        self.names = list(names)
        listed = f"Missing parameter(s): {', '.join(map(echo, self.names))}"
        super().__init__(listed, data={"params": self.names})
        self.events_text = listed
        self.text = self.text if in_body else listed


class InvalidParameters(BadBody):
    """Parameters have values that cannot be used; ``params`` maps each name to the reason.

    ``details`` maps names to what a program may want to know; ``in_body`` as above.
    """

    def __init__(
        self,
        params: Mapping[str, str],
        *,
        details: Mapping[str, Any] | None = None,
        in_body: bool = False,
    ) -> None:
        """Name each bad parameter with its reason."""
        self.params = {echo(name): reason for name, reason in params.items()}
        super().__init__(
            "; ".join(f"{name}: {reason}" for name, reason in self.params.items()),
            data={"params": self.params, "details": dict(details or {})},
        )
        self.events_text = f"Invalid parameter(s): {', '.join(self.params)}"
        self.text = self.text if in_body else self.events_text


class ContentTooLarge(BadBody):
    """The body is longer than the server reads (RFC 9110 section 15.5.14)."""

    status_code = 413
    message = "Content Too Large"
    slug = "rest_content_too_large"


class Conflict(Refusal):
    """The update was not made on the most recent copy of the data."""

    status_code = 409
    message = "Conflict"
    slug = "rest_conflict"


class PreconditionFailed(Refusal):
    """A precondition header is false."""

    status_code = 412
    message = "Precondition Failed"
    slug = "rest_precondition_failed"


class UnsupportedMediaType(Refusal):
    """The ``Content-Type`` of a write is not one we read."""

    status_code = 415
    message = "Unsupported Media Type"
    slug = "rest_unsupported_media_type"


class IdempotencyMismatch(Refusal):
    """The same ``Idempotency-Key`` came with another body."""

    status_code = 422
    message = "Idempotency-Key was used with another request body"
    slug = "rest_idempotency_mismatch"


class TooManyRequests(Refusal):
    """The caller must wait; ``Retry-After`` says how many seconds."""

    status_code = 429
    message = "Too Many Requests"
    slug = "rest_too_many_requests"


class InternalError(Refusal):
    """Something broke; the detail names the request identifier and nothing else."""

    status_code = 500
    message = "Internal Server Error"
    slug = "internal_server_error"


class Unavailable(Refusal):
    """The service cannot answer now; ``Retry-After`` says when to try again."""

    status_code = 503
    message = "Service Unavailable"
    slug = "rest_unavailable"
