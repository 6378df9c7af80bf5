"""Who is calling: signed requests and bearer tokens as ladders of errors (decisions 5).

Each authenticator returns ``None`` for the other's scheme; the last in a view's line
refuses what none of them took, so that a bad credential is never mistaken for none at all.
Service, institution and user are asked afterwards, by ``permissions.py``.
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from rest_framework.authentication import BaseAuthentication

from platform_errors.conf import conf
from platform_errors.errors import catalogue
from platform_errors.errors.log import state_key, state_proof
from platform_errors.http import urlencoded
from platform_errors.http.authorization_header import (
    TwoHeaders,
    challenge,
    scheme_of,
    split,
)
from platform_errors.keys import get_key_store
from platform_errors.logging.redaction import redact
from platform_errors.signing import algorithm, asserted_identity, canonicalization
from platform_errors.signing.nonces import KEEP_SECONDS, claim_nonce

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser
    from rest_framework.request import Request

    from platform_errors.credentials import Credentials, ServiceKey

_TIMESTAMP = re.compile(r"[0-9]{1,12}")
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
        credentials = self.credentials(request, header.rest)
        state_proof(request, credentials.key.client_id)
        principal = credentials.principal
        return (AnonymousUser() if principal is None else principal.user), credentials

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge (RFC 6750 section 3); our own scheme is no valid token."""
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
        try:
            header = algorithm.parse_header(rest)
        except algorithm.HeaderMalformed as error:
            raise catalogue.SignatureInvalid(
                str(error), signature=error.signature
            ) from None
        state_key(request, header.client_id)
        asserted = asserted_identity.read(
            request, header.principal_id, header.principal_namespace
        )
        found = get_key_store().find_key(
            header.client_id,
            principal_id=asserted.principal_id,
            principal_namespace=asserted.principal_namespace,
        )
        if found is None:
            raise catalogue.KeyInvalid(key=header.client_id)
        now = time.time()
        require_active_key(found.key, datetime.fromtimestamp(now, UTC))
        _check_signature(header, request, found.key)
        timestamp = _check_timestamp(header.timestamp, int(now))
        if not claim_nonce(
            client_id=found.key.client_id,
            timestamp=timestamp,
            nonce=header.nonce,
            oldest=int(now) - KEEP_SECONDS,
        ):
            raise catalogue.NonceReplayed
        return asserted_identity.signed_credentials(found, asserted)


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


def require_active_key(key: ServiceKey, now: datetime) -> None:
    """Raise ``KeyCanceled`` or ``KeyExpired`` unless the key works (spec 7.1)."""
    status = key.status_at(now)
    if status == "canceled":
        raise catalogue.KeyCanceled
    if status == "expired":
        raise catalogue.KeyExpired


def _check_signature(
    header: algorithm.SignedHeader, request: Request, key: ServiceKey
) -> None:
    """Compare; a query that cannot be decoded is a bad request, not a bad signature."""
    query = urlencoded.query_bytes(request.META.get("QUERY_STRING", ""))
    signed = algorithm.SignedRequest(request.method or "", query)
    target = algorithm.signature_target(conf.hmac_signature_url)
    try:
        valid = algorithm.is_valid(
            header,
            request=signed,
            target=target,
            secrets=key.secrets,
            old_generation=key.old_generation,
        )
    except canonicalization.QueryMalformed as error:
        raise catalogue.MalformedRequest(str(error)) from None
    if not valid:
        raise catalogue.SignatureInvalid(
            signature=header.signature, **_evidence(header, signed, target)
        )


def _evidence(
    header: algorithm.SignedHeader,
    request: algorithm.SignedRequest,
    target: algorithm.SignatureTarget,
) -> dict[str, str]:
    """Return the lines that were signed, without what opens a door (a code, a password)."""
    method, lines = request.method, canonicalization.canonical_query(request.query)
    try:
        canonical = algorithm.canonical_request(
            method=method, target=target, query_lines=lines
        )
        text = algorithm.string_to_sign(
            header, method=method, target=target, query_lines=lines
        ).decode()
    except ValueError:  # a method that is no token: there are no lines
        return {}
    return {"canonical_request": redact(canonical), "string_to_sign": redact(text)}


def _check_timestamp(text: str, now: int) -> int:
    """Return the timestamp as a number, if it is one and near the server's clock."""
    if _TIMESTAMP.fullmatch(text) and abs(int(text) - now) <= conf.max_clock_skew_seconds:
        return int(text)
    raise catalogue.TimestampInvalid(timestamp=text, current_time=now)


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
