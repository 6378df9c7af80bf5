"""ID tokens and claims (OpenID Connect Core 1.0), signed with django-oauth-toolkit's keys.

The toolkit's settings say whether there is OpenID Connect and which keys sign
(``OIDC_ENABLED``, ``OIDC_RSA_PRIVATE_KEY``, ``OIDC_RSA_PRIVATE_KEYS_INACTIVE``). Its
validator is not used: it stores each ID token, and takes the moment of authentication from
``last_login``, which another browser may have moved since.
"""

import hashlib
import json
from base64 import urlsafe_b64encode
from collections.abc import Container
from datetime import datetime, timedelta
from typing import Any

from allauth.account.utils import has_verified_email
from jwcrypto import jws, jwt
from jwcrypto.common import JWException
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.utils import jwk_from_pem

from authserver.conf import conf
from authserver.models import Grant, User

ALGORITHM = "RS256"
MAX_LENGTH = 4096
"""Of an ID token that is read, in characters."""
CLAIMS = {
    "openid": ["sub", "contextInstitutionId", "principalID", "principalIDNS"],
    "profile": ["name", "preferred_username"],
    "email": ["email", "email_verified"],
}
"""What each scope lets the application read, for the discovery document."""


def subject_of(user: User) -> str:
    """Return the ``sub`` of a user: 43 characters that never change.

    Made of principal identifier and namespace, because the identifier alone is unique only
    within its namespace, and an administrator of another institution may choose it.
    """
    principal = json.dumps([user.principal_namespace, user.principal_id])
    return _text(hashlib.sha256(principal.encode()).digest())


def claims_of(user: User, scopes: Container[str]) -> dict[str, Any]:
    """Return what an application with these scopes may know of the user."""
    claims: dict[str, Any] = {
        "sub": subject_of(user),
        "contextInstitutionId": user.institution.registry_id if user.institution else "",
        "principalID": user.principal_id,
        "principalIDNS": user.principal_namespace,
    }
    if "profile" in scopes:
        claims |= {"name": user.get_full_name(), "preferred_username": user.username}
    if "email" in scopes and user.email:
        is_confirmed = has_verified_email(user, user.email)
        claims |= {"email": user.email, "email_verified": is_confirmed}
    return claims


def make_id_token(
    grant: Grant,
    *,
    client_id: str,
    scopes: Container[str],
    access_token: str,
    now: datetime,
) -> str:
    """Return the signed ID token for a code that was redeemed (Core 1.0 section 2)."""
    key = jwk_from_pem(oauth2_settings.OIDC_RSA_PRIVATE_KEY)
    lifetime = timedelta(seconds=oauth2_settings.ID_TOKEN_EXPIRE_SECONDS)
    token_hash = hashlib.sha256(access_token.encode()).digest()
    claims = {
        "iss": conf.issuer,
        "aud": client_id,
        "iat": int(now.timestamp()),
        "exp": int((now + lifetime).timestamp()),
        "at_hash": _text(token_hash[: len(token_hash) // 2]),
        **claims_of(grant.user, scopes),
        **(grant.authentication or {}),
    }
    if grant.nonce:
        claims["nonce"] = grant.nonce
    header = {"typ": "JWT", "alg": ALGORITHM, "kid": key.thumbprint()}
    token = jwt.JWT(header=header, claims=claims, algs=[ALGORITHM])
    token.make_signed_token(key)
    return str(token.serialize())


def read_id_token(text: str) -> dict[str, Any] | None:
    """Return the claims of an ID token of ours, expired or not; ``None`` for any other.

    A hint of an earlier sign-in is expected to have expired (RP-Initiated Logout 1.0).
    """
    if len(text) > MAX_LENGTH:
        return None
    for pem in _published_keys():
        try:
            token = jws.JWS.from_jose_token(text)
            token.allowed_algs = [ALGORITHM]
            token.verify(jwk_from_pem(pem))
            claims = json.loads(token.payload)
        except (JWException, ValueError, TypeError):
            continue
        if isinstance(claims, dict) and claims.get("iss") == conf.issuer:
            return claims
    return None


def _published_keys() -> list[str]:
    current = oauth2_settings.OIDC_RSA_PRIVATE_KEY
    return [current, *oauth2_settings.OIDC_RSA_PRIVATE_KEYS_INACTIVE] if current else []


def _text(digest: bytes) -> str:
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
