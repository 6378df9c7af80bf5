"""Error documents in the events interface's own format (decisions 6)."""

from collections.abc import Mapping
from typing import Any, Final

from platform_errors.errors import base, catalogue, writes
from platform_errors.errors.dialects import Dialect, register
from platform_errors.http import negotiation

ANY_FAULT: Final = "rest_invalid_param"
MISSING: Final = "rest_missing_callback_param"
FIELD_CODES: Final = {
    "required": MISSING,
    "blank": "rest_too_short",
    "date": "rest_invalid_date",
    "degrees": "rest_out_of_bounds",
    "email": "rest_invalid_email",
    "id": "rest_invalid_type",
    "invalid_choice": "rest_not_in_enum",
    "length": "rest_too_long",
    "many": "rest_too_many_items",
    "max_length": "rest_too_long",
    "max_value": "rest_out_of_bounds",
    "min_value": "rest_out_of_bounds",
    "object": "rest_invalid_type",
    "range": "rest_out_of_bounds",
    "slug": "rest_invalid_pattern",
    "status": "rest_not_in_enum",
    "type": "rest_invalid_type",
    "url": "rest_invalid_url",
    "zone": "rest_invalid_timezone",
}
"""The ``code`` of DRF's ``ErrorDetail`` → the code of a field in ``data.details``."""

CODES: Final[dict[type[base.ApiError], str]] = {
    base.ApiError: ANY_FAULT,
    base.AuthenticationError: "rest_unauthorized",
    base.ForbiddenError: "rest_forbidden",
    catalogue.AuthorizationHeaderMissing: "rest_forbidden",
    catalogue.NoSuchResource: "rest_no_route",
    catalogue.MalformedRequest: "rest_bad_request",
    writes.InstitutionNotNamed: MISSING,
    catalogue.MethodNotSupported: "rest_method_not_supported",
    catalogue.NotAcceptable: "rest_not_acceptable",
    catalogue.TooManyRequests: "rest_too_many_requests",
    catalogue.InternalError: "internal_server_error",
    catalogue.Unavailable: "rest_unavailable",
    writes.MalformedJson: "rest_invalid_json",
    writes.MissingParameters: MISSING,
    writes.ContentTooLarge: "rest_content_too_large",
    writes.Conflict: "rest_conflict",
    writes.PreconditionFailed: "rest_precondition_failed",
    writes.UnsupportedMediaType: "rest_unsupported_media_type",
    writes.IdempotencyMismatch: "rest_idempotency_mismatch",
}
"""The ``code`` of a class and of those below it; the nearest decides."""


def field_details(reasons: Mapping[str, str]) -> dict[str, Any]:
    """Return ``data.details``: each field's code, message and data.

    A reason that is DRF's ``ErrorDetail`` says its own code; a plain text has the general
    one.
    """
    return {
        name: {
            "code": FIELD_CODES.get(getattr(reason, "code", ""), ANY_FAULT),
            "message": str(reason),
            "data": {"param": name},
        }
        for name, reason in reasons.items()
    }


def code_of(refusal: base.ApiError) -> str:
    """Return the ``code``: a refusal of the calendar's own may have ``events_code``."""
    own: str = getattr(refusal, "events_code", "")
    return own or next(CODES[cls] for cls in type(refusal).__mro__ if cls in CODES)


class EventsDialect(Dialect):
    """JSON ``code``, ``message``, ``data``; XML only for those who name it above JSON."""

    name = "events"

    def wants_xml(self, accept: str) -> bool:
        """Answer JSON unless XML is named with a higher quality.

        Never XML to a browser, which names ``text/html`` beside it.
        """
        xml = negotiation.preference(accept, *negotiation.XML_TYPES)
        as_json = negotiation.preference(accept, negotiation.JSON)
        is_browser = negotiation.preference(accept, "text/html").is_named
        return xml.is_named and xml.quality > as_json.quality and not is_browser

    def members(self, refusal: base.ApiError) -> dict[str, Any]:
        """Return the members; ``data.detail`` when it says more than the message."""
        data = {
            "status": refusal.status_code,
            "reason": refusal.reason,
            **refusal.data,
            **refusal.evidence,
        }
        if refusal.fields:
            data["details"] = field_details(refusal.fields)
        if str(refusal.detail) != refusal.summary and "params" not in data:
            data["detail"] = str(refusal.detail)
        members = {"code": code_of(refusal), "message": refusal.summary, "data": data}
        if additional := getattr(refusal, "additional_data", ()):
            members["additional_data"] = list(additional)
        return members


EVENTS = EventsDialect()
register(EVENTS)
