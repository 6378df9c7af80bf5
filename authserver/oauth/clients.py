"""Which client is calling, and whether to believe it (decisions 4, RFC 6749 section 2.3).

A key with a secret must authenticate: HTTP Basic, ``client_secret`` in the form body, or a
signed request. A key without one only says its name. Every live secret is tried, and
compared in constant time.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from rest_framework.request import Request

from authserver import rules
from authserver.keys import StoredKey, find_stored_key
from authserver.refusals import InvalidRequest
from platform_errors import exceptions
from platform_errors.authentication import HmacAuthentication
from platform_errors.refusal_log import state_key

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest

    from authserver.oauth.requests import ClientRequest


def authenticate(
    client_request: ClientRequest, http_request: HttpRequest, now: datetime
) -> StoredKey:
    """Return the key of the client, established and in force.

    Raises ``InvalidRequest`` for contradictions, and the rows of spec 7.1: ``KeyInvalid``
    (also for a wrong or missing secret), ``KeyCanceled``, ``KeyExpired``,
    ``SignatureInvalid``, ….
    """
    client_id = client_request.get("client_id")
    state_key(http_request, client_id)
    if client_request.signature is not None:
        return _signed(client_request, client_request.signature, http_request)
    basic = client_request.basic
    secret = client_request.get("client_secret")
    if basic is not None:
        if client_id and client_id != basic.client_id:
            raise InvalidRequest("client_id differs from the Authorization header")
        if secret:
            raise InvalidRequest("a client authenticates in one way only")
        client_id, secret = basic.client_id, basic.secret
        state_key(http_request, client_id)
    if not client_id:
        raise InvalidRequest("required parameter 'client_id' is missing or blank")
    key = _known_key(client_id)
    rules.check_key(key.view, now)
    _check_secret(key, secret)
    return key


def _check_secret(key: StoredKey, secret: str) -> None:
    if not key.has_secret:
        # A Basic header with an empty password, as common libraries send it for a public
        # client, claims nothing; a secret for a key that has none is somebody's mistake.
        if secret:
            raise exceptions.KeyInvalid("the key has no secret", key=key.client_id)
        return
    if not secret:
        raise exceptions.KeyInvalid(
            "the key has a secret, so the client must authenticate", key=key.client_id
        )
    given = secret.encode("utf-8", "surrogatepass")
    # Not any(): it would stop at the first match.
    if not sum(hmac.compare_digest(given, known) for known in key.view.secrets):
        raise exceptions.KeyInvalid("client authentication failed", key=key.client_id)


def _signed(
    client_request: ClientRequest, signature: str, http_request: HttpRequest
) -> StoredKey:
    """Authenticate with the platform's signature; it covers the query string."""
    if client_request.get("client_secret"):
        raise InvalidRequest("a client authenticates in one way only")
    credentials = HmacAuthentication().credentials(Request(http_request), signature)
    client_id = credentials.key.client_id
    if client_request.get("client_id") not in {"", client_id}:
        raise InvalidRequest("client_id differs from the Authorization header")
    return _known_key(client_id)


def _known_key(client_id: str) -> StoredKey:
    key = find_stored_key(client_id)
    if key is None:
        raise exceptions.KeyInvalid(key=client_id)
    return key
