"""What a client sent to the token, revocation and introspection endpoints, read strictly.

Parameters come in the query string with an empty body (spec 4.2) or in a form body (RFC
6749); both at once could be read in two ways and is refused.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote_plus

from django.http import HttpRequest

from authserver.errors import InvalidRequest
from authserver.oauth import parameters
from platform_errors.conf import conf
from platform_errors.errors import base, catalogue, writes
from platform_errors.http import authorization_header, urlencoded

FORM = "application/x-www-form-urlencoded"
# Credentials in a query end up in logs and histories (RFC 6749 section 2.3.1).
NEVER_IN_QUERY = ("client_secret", "client_assertion")


class BasicMalformed(base.AuthenticationError):
    """A Basic header that is not ``base64(id ":" secret)``."""

    default_code = "basic_malformed"
    default_detail = "Authorization header is not valid"


@dataclass(frozen=True, slots=True)
class Basic:
    """The credentials of HTTP Basic, form-decoded (RFC 6749 section 2.3.1)."""

    client_id: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRequest:
    """One request of a client: its parameters and how it says who it is."""

    values: Mapping[str, str] = field(repr=False)
    basic: Basic | None = None
    signature: str | None = field(default=None, repr=False)
    """What follows the platform's scheme in the ``Authorization`` header."""

    def get(self, name: str) -> str:
        """Return a parameter; one sent without a value was not sent (RFC 6749 3.2)."""
        return self.values.get(name, "")

    def require(self, name: str) -> str:
        """Return a parameter. Raises ``InvalidRequest`` without a value."""
        if not (value := self.get(name)):
            raise InvalidRequest(f"required parameter '{name}' is missing or blank")
        return value


def read(request: HttpRequest, *, query_allowed: bool = False) -> ClientRequest:
    """Read a request, and judge nothing but its form.

    Raises ``InvalidRequest``, ``UnsupportedMediaType``, or for the ``Authorization`` header
    ``BasicMalformed`` and ``UnknownAuthorizationScheme``.
    """
    values = _parameters(request, query_allowed=query_allowed)
    try:
        header = authorization_header.split(request.META.get("HTTP_AUTHORIZATION", ""))
    except authorization_header.TwoHeaders as error:
        raise catalogue.UnknownAuthorizationScheme(str(error)) from None
    if header is None:
        return ClientRequest(values=values)
    if header.scheme == "basic":
        return ClientRequest(values=values, basic=_basic(header.rest))
    if header.scheme == conf.hmac_scheme_url.lower():
        return ClientRequest(values=values, signature=header.rest)
    raise catalogue.UnknownAuthorizationScheme(
        "the scheme is neither Basic nor that of signed requests"
    )


def _parameters(request: HttpRequest, *, query_allowed: bool) -> dict[str, str]:
    query = urlencoded.query_bytes(request.META.get("QUERY_STRING", ""))
    body = request.body
    if not body:
        # Of an empty body the Content-Type says nothing.
        if query and not query_allowed:
            raise InvalidRequest("parameters belong in the body, not in the query string")
        values = parameters.parse(query)
        for name in NEVER_IN_QUERY:
            if name in values:
                raise InvalidRequest(f"{name} must not be sent in the query string")
        return values
    if request.content_type != FORM:
        raise writes.UnsupportedMediaType(f"the body must be {FORM}")
    if query:
        raise InvalidRequest("parameters come in the query string or in the body, not both")
    return parameters.parse(body)


def _basic(text: str) -> Basic:
    try:
        decoded = base64.b64decode(text.strip(), validate=True).decode()
    except (binascii.Error, ValueError):
        raise BasicMalformed("Basic credentials are Base64 of UTF-8 text") from None
    client_id, colon, secret = decoded.partition(":")
    if not colon:
        raise BasicMalformed("Basic credentials have a colon between key and secret")
    return Basic(unquote_plus(client_id), unquote_plus(secret))
