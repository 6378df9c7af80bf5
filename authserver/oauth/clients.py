"""Which client is calling, and whether to believe it (decisions 4, RFC 6749 section 2.3).

A key with a secret must authenticate: HTTP Basic, ``client_secret`` in the form body, or a
signed request. A key without one only says its name. Every live secret is tried, and
compared in constant time.
"""

import hmac
from datetime import datetime

from django.http import HttpRequest
from rest_framework.request import Request

from authserver.errors import InvalidRequest
from authserver.keys.store import Client, find_client
from authserver.oauth import failures
from authserver.oauth.client_request import ClientRequest
from platform_errors.authentication import HmacAuthentication
from platform_errors.errors import base, catalogue
from platform_errors.errors.log import state_key, state_proof
from platform_errors.signing import algorithm
from platform_errors.signing.ladder import require_active_key


class SecretMissing(catalogue.KeyInvalid):
    """The key has a secret, and the client did not authenticate."""

    default_code = "secret_missing"


class SecretWrong(catalogue.KeyInvalid):
    """The secret is none of the key's."""

    default_code = "secret_mismatch"


class SecretUnexpected(catalogue.KeyInvalid):
    """The key is public, and the client sent a secret."""

    default_code = "secret_unexpected"


class AuthenticationRequired(base.AuthenticationError):
    """No client is named, or one without a secret where a secret is needed."""

    default_code = "client_authentication_required"
    default_detail = "client authentication is required"


def authenticate(
    client_request: ClientRequest, http_request: HttpRequest, now: datetime
) -> Client:
    """Return the key of the client, established and in force.

    Raises ``InvalidRequest`` for contradictions, ``TooManyRequests``, and the rows of
    spec 7.1: ``KeyInvalid`` (also for a wrong or missing secret), ``KeyCanceled``,
    ``KeyExpired``, ``SignatureInvalid``, …; these are recorded.
    """
    state_key(http_request, claimed_id(client_request))
    try:
        if client_request.signature is not None:
            key = _signed(client_request, client_request.signature, http_request, now)
        else:
            key = _named(client_request, now)
    except (base.AuthenticationError, catalogue.KeyCanceled) as error:
        failures.record_client(claimed_id(client_request), error, now)
        raise
    if key.has_secret:  # a public key proves nothing by its name
        state_proof(http_request, key.client_id)
    return key


def claimed_id(client_request: ClientRequest) -> str:
    """Return the key identifier that the client claims, or an empty text."""
    if client_request.signature is not None:
        try:
            return algorithm.parse_header(client_request.signature).client_id
        except algorithm.HeaderMalformed:
            return ""
    if client_request.basic is not None:
        return client_request.basic.client_id
    return client_request.get("client_id")


def _named(client_request: ClientRequest, now: datetime) -> Client:
    """Authenticate with a secret, or a public key with its name."""
    client_id = client_request.get("client_id")
    basic = client_request.basic
    secret = client_request.get("client_secret")
    if basic is not None:
        if client_id and client_id != basic.client_id:
            raise InvalidRequest("client_id differs from the Authorization header")
        if secret:
            raise InvalidRequest("a client authenticates in one way only")
        client_id, secret = basic.client_id, basic.secret
    if not client_id:
        raise InvalidRequest("required parameter 'client_id' is missing or blank")
    key = _known_key(client_id)
    require_active_key(key, now)
    _check_secret(key, secret, now)
    return key


def _check_secret(key: Client, secret: str, now: datetime) -> None:
    if not key.has_secret:
        # A Basic header with an empty password, as common libraries send it for a public
        # client, claims nothing; a secret for a key that has none is somebody's mistake.
        if secret:
            raise SecretUnexpected("the key has no secret", key=key.client_id)
        return
    failures.require_within_limit(key, now)
    if not secret:
        raise SecretMissing(
            "the key has a secret, so the client must authenticate", key=key.client_id
        )
    given = secret.encode("utf-8", "surrogatepass")
    # Not any(): it would stop at the first match.
    if not sum(hmac.compare_digest(given, known) for known in key.secrets):
        raise SecretWrong("client authentication failed", key=key.client_id)


def _signed(
    client_request: ClientRequest,
    signature: str,
    http_request: HttpRequest,
    now: datetime,
) -> Client:
    """Authenticate with the platform's signature; it covers the query string."""
    if client_request.get("client_secret"):
        raise InvalidRequest("a client authenticates in one way only")
    key = find_client(claimed_id(client_request), failures.throttle_key())
    if key is not None:
        require_active_key(key, now)
        failures.require_within_limit(key, now)
    credentials = HmacAuthentication().credentials(Request(http_request), signature)
    client_id = credentials.key.client_id
    if key is None:
        raise catalogue.KeyInvalid(key=client_id)
    if client_request.get("client_id") not in {"", client_id}:
        raise InvalidRequest("client_id differs from the Authorization header")
    return key


def _known_key(client_id: str) -> Client:
    key = find_client(client_id, failures.throttle_key())
    if key is None:
        raise catalogue.KeyInvalid(key=client_id)
    return key
