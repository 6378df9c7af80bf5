"""Who is calling: signed requests and bearer tokens as ladders of errors (decisions 5).

Each authenticator returns ``None`` for the other's scheme; the last in a view's line
refuses what none of them took, so that a bad credential is never mistaken for none at all.
Service, institution and user are asked afterwards, by ``permissions.py``.
"""

import re
import time
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from platform_errors.conf import conf
from platform_errors.credentials import Credentials
from platform_errors.errors import catalogue
from platform_errors.errors.log import state_key, state_proof
from platform_errors.http.authorization_header import (
    TwoHeaders,
    challenge,
    scheme_of,
    split,
)
from platform_errors.keys import get_key_store
from platform_errors.signing import algorithm, asserted_identity
from platform_errors.signing.ladder import LADDER, SignedAttempt, require_active_key

# RFC 6750 section 2.1 (b64token), then the documented ``, principalID="…"`` if any.
_BEARER = re.compile(r"([A-Za-z0-9._~+/-]{1,255}=*)[ \t]*(?:,(.*))?", re.DOTALL)


class SchemeAuthentication(BaseAuthentication, ABC):
    """What both schemes share: reading the header, and refusing what nobody took."""

    def authenticate(
        self, request: Request
    ) -> tuple[AbstractBaseUser | AnonymousUser, Credentials] | None:
        """Return the acting user and the credentials, or ``None`` without a header.

        Raises an ``ApiError`` of spec 7.1 or decisions 5 for credentials that do not hold.
        """
        value = request.META.get("HTTP_AUTHORIZATION")
        if value is None:
            return None
        is_last = request.authenticators and request.authenticators[-1] is self
        if not is_last and scheme_of(value) != self.scheme():
            return None
        credentials = self.credentials(request, self.after_scheme(value))
        state_proof(request, credentials.key.client_id, credentials.institution or "")
        principal = credentials.principal
        return (AnonymousUser() if principal is None else principal.user), credentials

    def after_scheme(self, value: str) -> str:
        """Return what follows the scheme in the value of a header.

        Raises ``UnknownAuthorizationScheme`` or ``AuthorizationHeaderMissing``.
        """
        try:
            header = split(value)
        except TwoHeaders as error:
            raise catalogue.UnknownAuthorizationScheme(str(error)) from None
        if header is None:
            # Some servers hand on a header that is not ASCII as an empty one.
            raise catalogue.AuthorizationHeaderMissing(
                "the Authorization header is blank, or has characters that are not ASCII"
            )
        if header.scheme != self.scheme():
            raise catalogue.UnknownAuthorizationScheme(
                "the scheme is neither Bearer nor that of signed requests"
            )
        return header.rest

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge (RFC 6750 section 3); our scheme is not a token."""
        return challenge()

    @abstractmethod
    def scheme(self) -> str:
        """Return the scheme that this class reads, in lower case."""

    @abstractmethod
    def credentials(self, request: Request, rest: str) -> Credentials:
        """Climb the ladder: return what ``rest`` proves, or raise the first error."""


class HmacAuthentication(SchemeAuthentication):
    """Requests signed with a service key's secret (spec 5.2)."""

    def scheme(self) -> str:
        """Return the platform's scheme identifier."""
        return conf.hmac_scheme_url.lower()

    def credentials(self, request: Request, rest: str) -> Credentials:
        """Read, know the key, verify the signature, the clock, the nonce; in this order.

        The nonce comes last: a forged or stale request must not use up a genuine client's.
        """
        attempt = SignedAttempt(request, rest, now=time.time())
        for climb in LADDER.values():
            climb(attempt)
        return attempt.credentials()


class BearerAuthentication(SchemeAuthentication):
    """Access tokens in the header, never in the query (RFC 6750 section 2.1)."""

    def scheme(self) -> str:
        """Return RFC 6750's scheme."""
        return "bearer"

    def credentials(self, request: Request, rest: str) -> Credentials:
        """Know the token, its lifetime, its key; one query for all."""
        match = _BEARER.fullmatch(rest)
        if match is None:
            raise catalogue.TokenInvalid
        asserted = asserted_identity.read(request, *_principal_after_token(match[2]))
        token = get_key_store().find_token(match[1])
        if token is None:
            raise catalogue.TokenInvalid
        state_key(request, token.key.client_id)
        now = datetime.now(UTC)
        if token.is_expired(now):
            raise catalogue.TokenExpired
        require_active_key(token.key, now)
        return asserted_identity.token_credentials(token, asserted)


def _principal_after_token(parameters: str | None) -> tuple[str, str]:
    """Read ``principalID="…", principalIDNS="…"``, the documented form after a token."""
    if parameters is None:
        return "", ""
    values: dict[str, Any] = {}
    try:
        for name, value in algorithm.parse_parameters(parameters):
            if name not in {"principalid", "principalidns"} or name in values:
                raise catalogue.TokenInvalid
            values[name] = value
    except algorithm.HeaderMalformed:
        raise catalogue.TokenInvalid from None
    return values.get("principalid", ""), values.get("principalidns", "")
