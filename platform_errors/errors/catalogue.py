"""One class per error of the platform: status, text and reason.

Those of bodies and parameters are in ``writes.py``. How an error is shown
is ``documents.py``; turning one into a response is ``handler.py``. Messages are the texts
of spec 7 where it has one.
"""

from collections.abc import Iterable

from platform_errors.errors.base import (
    ApiError,
    AuthenticationError,
    ForbiddenError,
    echo,
)

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

    default_code = "authorization_header_missing"
    default_detail = "Authorization header is missing"


class UnknownAuthorizationScheme(AuthenticationError):
    """A scheme that is neither ours nor Bearer, or two Authorization headers."""

    default_code = "authorization_scheme_unknown"
    default_detail = "Authorization header is not supported"


class KeyInvalid(AuthenticationError):
    """No such service key."""

    default_code = "key_invalid"
    default_detail = "service key is invalid"

    def __init__(self, detail: str = "", *, key: str | None = None) -> None:
        text = "" if key is None else f"service key {echo(key)} is invalid"
        super().__init__(detail, text=text)


class KeyExpired(AuthenticationError):
    """The service key's expiry has passed."""

    default_code = "key_expired"
    default_detail = "service key is expired"


class KeyCanceled(ForbiddenError):
    """The service key was canceled."""

    default_code = "key_canceled"
    default_detail = "service key has been canceled"


class SignatureInvalid(AuthenticationError):
    """The signature is malformed or is not the one this key makes for this request.

    For a key that is known, ``canonical_request`` and ``string_to_sign`` say what the
    server compared with: made from what the caller sent alone, and printable.
    """

    default_code = "signature_invalid"
    default_detail = "request has invalid signature"

    def __init__(
        self,
        detail: str = "",
        *,
        signature: str | None = None,
        canonical_request: str = "",
        string_to_sign: str = "",
    ) -> None:
        """Quote the signature that was sent; cut long lines (``EVIDENCE_LIMIT``)."""
        text = f"{self.default_detail} ({echo(signature)})" if signature is not None else ""
        super().__init__(detail, text=text)
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
    """The timestamp is not a number, or too far from the server's clock (Unix seconds)."""

    default_code = "timestamp_invalid"
    default_detail = "timestamp in request is not valid"

    def __init__(
        self,
        detail: str = "",
        *,
        timestamp: str | None = None,
        current_time: int | None = None,
    ) -> None:
        text = (
            f"timestamp in request({echo(timestamp)}) is not valid; "
            f"current time on server is {current_time}"
        )
        super().__init__(detail, text="" if timestamp is None else text)


class NonceReplayed(AuthenticationError):
    """The same key, timestamp and nonce were seen before."""

    default_code = "nonce_replayed"
    default_detail = "nonce in request is not unique"


class TokenInvalid(AuthenticationError):
    """No such access token, or it was revoked."""

    default_code = "token_invalid"
    default_detail = "access token is invalid"
    bearer_error = "invalid_token"


class TokenExpired(AuthenticationError):
    """The access token's lifetime is over."""

    default_code = "token_expired"
    default_detail = "access token has expired"
    bearer_error = "invalid_token"


# --- Application and user authorization (spec 7.2, spec 7.3) ------------------------------


class TokenLacksService(ForbiddenError):
    """The token was not issued for the service."""

    default_code = "token_lacks_service"
    default_detail = "access token does not have access to the service"
    bearer_error = "insufficient_scope"

    def __init__(self, detail: str = "", *, scope: str | None = None) -> None:
        text = f"access token does not have access to service {echo(scope)}"
        super().__init__(detail, text="" if scope is None else text)


class ScopesInvalid(ForbiddenError):
    """One or more services cannot be had with this key.

    ``problems`` holds (scope, service name, why) in request order; why is one of ``Not on
    key``, ``Canceled``, ``Expired``. The reason says which when it is the same for all.
    """

    default_code = "scopes_invalid"
    default_detail = "Invalid scope(s)"

    def __init__(self, problems: Iterable[tuple[str, str, str]]) -> None:
        """Join the problems with commas (decisions 3.5)."""
        self.problems = tuple(problems)
        listed = ", ".join(
            f"{scope} ({name}) [{why}]" for scope, name, why in self.problems
        )
        causes = {why for _, _, why in self.problems}
        code = _SERVICE_REASONS.get(causes.pop()) if len(causes) == 1 else None
        super().__init__(code=code, text=f"{self.default_detail}: {echo(listed)}")


class InstitutionNotOnKey(ForbiddenError):
    """The key may not act for the institution whose data is requested."""

    default_code = "institution_not_on_key"
    default_detail = "clientId doesn't have access to contextInstitutionId"

    def __init__(
        self, detail: str = "", *, key: str | None = None, institution: str | None = None
    ) -> None:
        text = (
            f"clientId {echo(key)} doesn't have access to "
            f"contextInstitutionId {echo(institution)}"
        )
        super().__init__(detail, text="" if key is None else text)


class InvalidUser(ForbiddenError):
    """The user is missing, unknown, disabled or of another institution."""

    default_code = "user_invalid"
    default_detail = "Invalid user"

    def __init__(self, detail: str = "principalID and/or principalIDNS is invalid") -> None:
        """Use the detail of the spec's example."""
        super().__init__(detail)


class MissingPermission(ForbiddenError):
    """The user may not do this."""

    default_code = "permission_missing"
    default_detail = "Missing permission"


# --- General request errors (spec 7.4) ----------------------------------------------------


class NoSuchResource(ApiError):
    """Nothing lives at this address."""

    default_code = "resource_not_found"
    status_code = 404
    default_detail = "Not Found"


class MalformedRequest(ApiError):
    """The request itself cannot be read: its address, query string or headers."""

    default_code = "request_malformed"
    default_detail = "Bad Request"


class HttpsRequired(ForbiddenError):
    """The request came in plain http, where the server is announced at https."""

    default_code = "https_required"
    default_detail = "https is required"


class MethodNotSupported(ApiError):
    """The resource does not have this method; ``Allow`` says which it has."""

    default_code = "method_not_supported"
    status_code = 405
    default_detail = "Method Not Supported"


class NotAcceptable(ApiError):
    """None of the media types of ``Accept`` can be served."""

    default_code = "not_acceptable"
    status_code = 406
    default_detail = "Not Acceptable"


# --- The server, and how much it does -----------------------------------------------------


class TooManyRequests(ApiError):
    """The caller must wait; ``Retry-After`` says how many seconds."""

    default_code = "too_many_requests"
    status_code = 429
    default_detail = "Too Many Requests"


class InternalError(ApiError):
    """Something broke; the detail names the request identifier and nothing else."""

    default_code = "internal_error"
    status_code = 500
    default_detail = "Internal Server Error"


class SecretNotReadable(InternalError):
    """The stored secret of the key was encrypted with a key that is gone."""

    default_code = "secret_not_readable"


class Unavailable(ApiError):
    """The service cannot answer now; ``Retry-After`` says when to try again."""

    default_code = "unavailable"
    status_code = 503
    default_detail = "Service Unavailable"
