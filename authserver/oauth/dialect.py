"""How the endpoints of the authorization server word their errors (decisions 4)."""

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from rest_framework.request import Request

from authserver.errors import error_description, token_error
from authserver.oauth.responses import HEADERS
from platform_errors.conf import conf
from platform_errors.errors.base import ApiError
from platform_errors.errors.dialects import Dialect
from platform_errors.http import negotiation


class EndpointDialect(Dialect):
    """The members of RFC 6749 section 5.2 and those of the platform."""

    name = "oauth"

    def wants_xml(self, accept: str) -> bool:
        """Answer XML where it is wanted more than JSON; ties and ``*/*`` are JSON."""
        xml = negotiation.preference(accept, *negotiation.XML_TYPES)
        return xml.quality > negotiation.preference(accept, negotiation.JSON).quality

    def members(self, error: ApiError) -> dict[str, Any]:
        return {
            "error": token_error(error),
            "error_description": error_description(error.text),
            **platform_members(error),
            "reason": error.reason,
            **error.evidence,
        }

    def headers(self, error: ApiError, request: HttpRequest | Request) -> dict[str, str]:
        """Challenge in the scheme that failed (RFC 6749 section 5.2)."""
        headers = super().headers(error, request) | HEADERS
        if error.status_code == HTTPStatus.UNAUTHORIZED and self.is_basic(request):
            headers["WWW-Authenticate"] = f'Basic realm="{conf.issuer}", charset="UTF-8"'
        return headers

    def is_basic(self, request: HttpRequest | Request) -> bool:
        """Return whether a 401 challenges with Basic: where the client tried it."""
        header: str = request.META.get("HTTP_AUTHORIZATION", "")
        return header.lstrip(" \t").lower().startswith("basic")


class ClientEndpointDialect(EndpointDialect):
    """That of the endpoints for clients about their tokens (RFC 7009, RFC 7662)."""

    def is_basic(self, request: HttpRequest | Request) -> bool:
        """Challenge with Basic, whatever the client tried."""
        return True


def platform_members(error: ApiError) -> dict[str, Any]:
    """Return the members of an error that every generation of clients reads."""
    return {
        "code": error.status_code,
        "message": error.text,
        "details": str(error.detail),
    }


ENDPOINT = EndpointDialect()
CLIENT_ENDPOINT = ClientEndpointDialect()
