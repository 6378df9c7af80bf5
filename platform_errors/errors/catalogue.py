"""One class per error of the platform: status, message and how each format names it.

Attributes only; those of bodies and parameters are in ``writes.py``. How an error is shown
is ``documents.py``; turning one into a response is ``handler.py``. Messages are the texts
of spec 7 where it has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_errors.errors.base import ApiError, AuthenticationError, ForbiddenError
from platform_errors.errors.writes import REQUIRED

if TYPE_CHECKING:
    from collections.abc import Iterable

EVIDENCE_LIMIT = 4096
"""How many characters of the lines that were signed an error shows."""
_SERVICE_REASONS = {
    "Not on key": "service_not_on_key",
    "Canceled": "service_canceled",
    "Expired": "service_expired",
}

# --- Application authentication (spec 7.1, decisions 5) -----------------------------------


class AuthorizationHeaderMissing(AuthenticationError):
    """No credentials where some are needed."""

    reason = "authorization_header_missing"
    message = "Authorization header is missing"


class UnknownAuthorizationScheme(AuthenticationError):
    """A scheme that is neither ours nor Bearer, or two Authorization headers."""

    reason = "authorization_scheme_unknown"
    message = "Authorization header is not supported"


class KeyInvalid(AuthenticationError):
    """No such service key."""

    reason = "key_invalid"
    message = "service key {key} is invalid"


class KeyExpired(AuthenticationError):
    """The service key's expiry has passed."""

    reason = "key_expired"
    message = "service key is expired"


class KeyCanceled(ForbiddenError):
    """The service key was canceled."""

    reason = "key_canceled"
    message = "service key has been canceled"


class SignatureInvalid(AuthenticationError):
    """The signature is malformed or is not the one this key makes for this request.

    For a key that is known, ``canonical_request`` and ``string_to_sign`` say what the
    server compared with: made from what the caller sent alone, and printable.
    """

    reason = "signature_invalid"
    message = "request has invalid signature ({signature})"

    def __init__(
        self,
        detail: str = "",
        *,
        signature: str = "",
        canonical_request: str = "",
        string_to_sign: str = "",
    ) -> None:
        """Quote the signature that was sent; cut long lines (``EVIDENCE_LIMIT``)."""
        super().__init__(detail, signature=signature)
        if string_to_sign:
            self.evidence = {
                "canonical_request": _cut(canonical_request),
                "string_to_sign": _cut(string_to_sign),
            }

    @property
    def xml_detail(self) -> str:
        """The detail and, where there is one, the string to sign."""
        if not self.evidence:
            return super().xml_detail
        lines = self.evidence["string_to_sign"]
        return f"{self.detail}; the server signed these lines:\n{lines}"


def _cut(lines: str) -> str:
    return lines if len(lines) <= EVIDENCE_LIMIT else f"{lines[:EVIDENCE_LIMIT]}…"


class TimestampInvalid(AuthenticationError):
    """The timestamp is no number or too far from the server's clock (Unix seconds)."""

    reason = "timestamp_invalid"
    message = (
        "timestamp in request({timestamp}) is not valid; "
        "current time on server is {current_time}"
    )


class NonceReplayed(AuthenticationError):
    """The same key, timestamp and nonce were seen before."""

    reason = "nonce_replayed"
    message = "nonce in request is not unique"


class TokenInvalid(AuthenticationError):
    """No such access token, or it was revoked."""

    reason = "token_invalid"
    message = "access token is invalid"
    bearer_error = "invalid_token"


class TokenExpired(AuthenticationError):
    """The access token's lifetime is over."""

    reason = "token_expired"
    message = "access token has expired"
    bearer_error = "invalid_token"


# --- Application and user authorization (spec 7.2, spec 7.3) ------------------------------


class TokenLacksService(ForbiddenError):
    """The token was not issued for the service."""

    reason = "token_lacks_service"
    message = "access token does not have access to service {scope}"
    bearer_error = "insufficient_scope"


class ScopesInvalid(ForbiddenError):
    """One or more services cannot be had with this key.

    ``problems`` holds (scope, service name, why) in request order; why is one of ``Not on
    key``, ``Canceled``, ``Expired``. The ``reason`` says which when it is the same for all.
    """

    reason = "scopes_invalid"
    message = "Invalid scope(s): {problems}"

    def __init__(self, problems: Iterable[tuple[str, str, str]]) -> None:
        """Join the problems with commas (decisions 3.5)."""
        self.problems = tuple(problems)
        listed = (f"{scope} ({name}) [{why}]" for scope, name, why in self.problems)
        super().__init__(problems=", ".join(listed))
        causes = {why for _, _, why in self.problems}
        if len(causes) == 1:
            self.reason = _SERVICE_REASONS.get(causes.pop(), self.reason)


class InstitutionNotOnKey(ForbiddenError):
    """The key may not act for the institution whose data is requested."""

    reason = "institution_not_on_key"
    message = "clientId {key} doesn't have access to contextInstitutionId {institution}"


class InvalidUser(ForbiddenError):
    """The user is missing, unknown, disabled or of another institution."""

    reason = "user_invalid"
    message = "Invalid user"

    def __init__(self, detail: str = "principalID and/or principalIDNS is invalid") -> None:
        """Use the detail of the spec's example."""
        super().__init__(detail)


class MissingPermission(ForbiddenError):
    """The user may not do this."""

    reason = "permission_missing"
    message = "Missing permission"


# --- General request errors (spec 7.4) ----------------------------------------------------


class NoSuchResource(ApiError):
    """Nothing lives at this address."""

    reason = "resource_not_found"
    status_code = 404
    message = "Not Found"


class MalformedRequest(ApiError):
    """The request itself cannot be read: its address, query string or headers."""

    reason = "request_malformed"
    message = "Bad Request"


class InstitutionNotNamed(ApiError):
    """A signed write by a key with several institutions that names none (decisions 2)."""

    reason = "institution_not_named"
    message = "required parameter 'contextInstitutionId' is missing or blank"

    def __init__(self) -> None:
        """Say which parameter of the query string is missing."""
        name = "contextInstitutionId"
        super().__init__(data={"params": [name]})
        self.fields = {name: REQUIRED}
        self.summary = "Missing parameter(s): contextInstitutionId"


class HttpsRequired(ForbiddenError):
    """The request came in plain http, where the server is announced at https."""

    reason = "https_required"
    message = "https is required"


class MethodNotSupported(ApiError):
    """The resource does not have this method; ``Allow`` says which it has."""

    reason = "method_not_supported"
    status_code = 405
    message = "Method Not Supported"


class NotAcceptable(ApiError):
    """None of the media types of ``Accept`` can be served."""

    reason = "not_acceptable"
    status_code = 406
    message = "Not Acceptable"


# --- The server, and how much it does -----------------------------------------------------


class TooManyRequests(ApiError):
    """The caller must wait; ``Retry-After`` says how many seconds."""

    reason = "too_many_requests"
    status_code = 429
    message = "Too Many Requests"


class InternalError(ApiError):
    """Something broke; the detail names the request identifier and nothing else."""

    reason = "internal_error"
    status_code = 500
    message = "Internal Server Error"


class Unavailable(ApiError):
    """The service cannot answer now; ``Retry-After`` says when to try again."""

    reason = "unavailable"
    status_code = 503
    message = "Service Unavailable"
