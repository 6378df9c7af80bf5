"""What an OpenID Connect issuer publishes: its endpoints and its keys, kept for a while."""

import hashlib
from typing import Any, Final

from django.core.cache import cache

from authserver.federation import outgoing
from authserver.federation.refusals import ArrivalRefused
from authserver.models.sign_in import DISCOVERY

KEPT_SECONDS: Final = 600
KEYS_AGAIN_SECONDS: Final = 30
"""How soon keys are fetched again for a signature by an unknown one."""
ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_KEPT: Final[tuple[str, ...]] = (
    *("issuer", *ENDPOINTS, "userinfo_endpoint"),
    "token_endpoint_auth_methods_supported",
    "authorization_response_iss_parameter_supported",
)


def configuration(issuer: str) -> dict[str, Any]:
    """Return the discovery document of the issuer, of which the parts that are used.

    Raises ``requests.RequestException``, and ``ArrivalRefused`` for a document of another
    issuer or with unfit addresses (OpenID Connect Discovery 4.3).
    """
    kept: dict[str, Any] | None = cache.get(_key("configuration", issuer))
    if kept is not None:
        return kept
    found = outgoing.get_json(f"{issuer.rstrip('/')}{DISCOVERY}")
    document: dict[str, Any] = {name: found[name] for name in _KEPT if name in found}
    if not _is_sound(document, issuer):
        raise ArrivalRefused("provider_misconfigured")
    cache.set(_key("configuration", issuer), document, KEPT_SECONDS)
    return document


def keys(address: str, *, again: bool = False) -> dict[str, Any]:
    """Return the issuer's key set; ``again`` asks for a newer one, every half minute.

    Raises ``requests.RequestException``.
    """
    name = _key("keys", address)
    kept: dict[str, Any] | None = cache.get(name)
    if kept is not None and not (
        again and cache.add(_key("again", address), "", KEYS_AGAIN_SECONDS)
    ):
        return kept
    found = outgoing.get_json(address)
    cache.set(name, found, KEPT_SECONDS)
    return found


def _is_sound(document: dict[str, Any], issuer: str) -> bool:
    said = document.get("issuer")
    if not isinstance(said, str) or said.rstrip("/") != issuer.rstrip("/"):
        return False
    named = [document.get(name) for name in ENDPOINTS]
    if "userinfo_endpoint" in document:
        named.append(document["userinfo_endpoint"])
    methods = document.get("token_endpoint_auth_methods_supported", [])
    return isinstance(methods, list) and all(outgoing.is_fit(each) for each in named)


def _key(kind: str, address: str) -> str:
    digest = hashlib.sha256(address.encode()).hexdigest()
    return f"authserver.federation.{kind}.{digest}"
