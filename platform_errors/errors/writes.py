"""Errors of writes and of parameters (spec 7.5), with the reason for every field."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from rest_framework.exceptions import ErrorDetail

from platform_errors.errors.base import ApiError, echo

REQUIRED: Final = ErrorDetail("is required.", code="required")


class JsonError(NamedTuple):
    """What is wrong with a JSON text, in the numbers that callers of the peer know."""

    code: int
    message: str


JSON_TOO_DEEP: Final = JsonError(1, "Maximum stack depth exceeded")
JSON_SYNTAX: Final = JsonError(4, "Syntax error")
JSON_NOT_UTF8: Final = JsonError(
    5, "Malformed UTF-8 characters, possibly incorrectly encoded"
)
JSON_SURROGATE: Final = JsonError(10, "Single unpaired surrogate in Unicode escape")


class BadBody(ApiError):
    """The body cannot be read or does not fit."""

    default_code = "body_invalid"
    default_detail = "Invalid HTTP Body Content"


class MalformedJson(BadBody):
    """The body is not JSON; ``json_error`` is ``None`` when it is, but no object."""

    default_code = "json_malformed"

    def __init__(
        self, detail: str = "", *, json_error: JsonError | None = JSON_SYNTAX
    ) -> None:
        super().__init__(detail)
        if json_error is not None:
            self.data["json_error_code"] = json_error.code
            self.data["json_error_message"] = json_error.message


class MissingParameters(BadBody):
    """Required parameters are not there; ``names`` in the order of the contract.

    Only when they were to come ``in_body``, the message is ``Invalid HTTP Body Content``.
    ``invalid`` maps the names of others, whose values cannot be used, to the reason.
    """

    default_code = "parameters_missing"

    def __init__(
        self,
        names: Iterable[str],
        *,
        in_body: bool = True,
        invalid: Mapping[str, str] | None = None,
    ) -> None:
        self.names = list(names)
        listed = f"Missing parameter(s): {', '.join(map(echo, self.names))}"
        super().__init__(listed, data={"params": self.names})
        self.fields = dict.fromkeys(self.names, REQUIRED) | dict(invalid or {})
        self.summary = listed
        self.text = self.text if in_body else listed


class InvalidParameters(BadBody):
    """Parameters have values that cannot be used; ``params`` maps each name to the reason.

    ``in_body`` as above.
    """

    default_code = "parameters_invalid"

    def __init__(self, params: Mapping[str, str], *, in_body: bool = False) -> None:
        self.params = {echo(name): reason for name, reason in params.items()}
        super().__init__(
            "; ".join(f"{name}: {reason}" for name, reason in self.params.items()),
            data={"params": self.params},
        )
        self.fields = self.params
        self.summary = f"Invalid parameter(s): {', '.join(self.params)}"
        self.text = self.text if in_body else self.summary


class InstitutionNotNamed(ApiError):
    """A signed write by a key with several institutions that names none (decisions 2)."""

    default_code = "institution_not_named"
    default_detail = "required parameter 'contextInstitutionId' is missing or blank"

    def __init__(self) -> None:
        name = "contextInstitutionId"
        super().__init__(data={"params": [name]})
        self.fields = {name: REQUIRED}
        self.summary = "Missing parameter(s): contextInstitutionId"


class ContentTooLarge(BadBody):
    """The body is longer than the server reads (RFC 9110 section 15.5.14)."""

    default_code = "content_too_large"
    status_code = 413
    default_detail = "Content Too Large"


class Conflict(ApiError):
    """The update was not made on the most recent copy of the data."""

    default_code = "conflict"
    status_code = 409
    default_detail = "Conflict"


class PreconditionFailed(ApiError):
    """A precondition header is false."""

    default_code = "precondition_failed"
    status_code = 412
    default_detail = "Precondition Failed"


class UnsupportedMediaType(ApiError):
    """The ``Content-Type`` of a write is not one we read."""

    default_code = "media_type_unsupported"
    status_code = 415
    default_detail = "Unsupported Media Type"


class IdempotencyMismatch(ApiError):
    """The same ``Idempotency-Key`` came with another body."""

    default_code = "idempotency_mismatch"
    status_code = 422
    default_detail = "Idempotency-Key was used with another request body"
