"""ID tokens (OpenID Connect Core 3.1.3.7), verified whatever way they came.

django-allauth does not verify the signature of one that the token endpoint gave, which the
specification allows; here it is, so that no answer counts but the issuer's own.
"""

from typing import Any, Final

import jwt

from authserver.federation import discovery
from authserver.federation.refusals import ArrivalRefused

ALGORITHMS: Final = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
"""Asymmetric ones: never ``none``, nor a secret's that could be somebody's public key."""
LEEWAY_SECONDS: Final = 60
"""How far the clocks may be apart."""
LONGEST: Final = 64 * 1024


def verified(
    token: object, *, document: dict[str, Any], client_id: str, nonce: str
) -> dict[str, Any]:
    """Return the claims of an ID token that the issuer made for this very trip.

    Raises ``ArrivalRefused``, and ``requests.RequestException`` without the keys.
    """
    if not isinstance(token, str) or not token or len(token) > LONGEST:
        raise ArrivalRefused("answer_invalid")
    try:
        found: dict[str, Any] = jwt.decode(
            token,
            key=_key(token, document["jwks_uri"]),
            algorithms=ALGORITHMS,
            audience=client_id,
            issuer=document["issuer"],
            leeway=LEEWAY_SECONDS,
            options={"require": ["iss", "sub", "aud", "exp", "iat"]},
        )
    except (
        *(jwt.PyJWTError, ValueError, TypeError, RecursionError),
        OverflowError,  # of a moment that is infinite
    ) as error:
        raise ArrivalRefused("answer_invalid") from error
    # Signed by the issuer, who knows the nonce: there is no time to measure.
    if not _is_for_us(found, client_id) or found.get("nonce") != nonce:
        raise ArrivalRefused("answer_invalid")
    return found


def _is_for_us(found: dict[str, Any], client_id: str) -> bool:
    """Return whether the token was issued to us, and not only for us too."""
    audiences = found["aud"] if isinstance(found["aud"], list) else [found["aud"]]
    return found.get("azp", client_id if len(audiences) == 1 else None) == client_id


def _key(token: str, address: str) -> jwt.PyJWK:
    """Return the issuer's key that the token names. Raises ``jwt.PyJWTError``."""
    identifier = jwt.get_unverified_header(token).get("kid")
    for again in (False, True):
        usable = _usable(discovery.keys(address, again=again))
        named = [key for key in usable if identifier is None or key.key_id == identifier]
        if len(named) == 1:
            return named[0]
    raise jwt.InvalidKeyError("no key of the issuer fits")


def _usable(published: dict[str, Any]) -> list[jwt.PyJWK]:
    entries = published.get("keys")
    found = []
    for entry in entries[:50] if isinstance(entries, list) else []:
        if isinstance(entry, dict) and entry.get("use", "sig") == "sig":
            try:
                found.append(jwt.PyJWK.from_dict(entry))
            except (jwt.PyJWTError, ValueError, TypeError, NotImplementedError):
                continue  # one of a kind that is not known here, or of ``none``
    return found
