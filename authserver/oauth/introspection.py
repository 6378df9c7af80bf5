"""What a key with a secret may learn about a token (RFC 7662)."""

from datetime import datetime
from typing import Any

from authserver.conf import conf
from authserver.keys import policy
from authserver.keys.store import Client, ServiceKeyStore

INACTIVE: dict[str, Any] = {"active": False}


def introspect(token: str, *, caller: Client, now: datetime) -> dict[str, Any]:
    """Return what the token is, to a caller that has one of its services live itself.

    Everything that stops a token elsewhere makes it inactive here: a disabled user, a
    canceled or expired key, a lost institution, services that ended.
    """
    access_token = ServiceKeyStore().find_token(token)
    if access_token is None or not policy.is_token_in_force(access_token, now):
        return INACTIVE
    services = policy.live_services(access_token.key, access_token.scopes, now)
    if not policy.live_services(caller, services, now):
        return INACTIVE
    principal = access_token.principal
    members: dict[str, Any] = {
        "active": True,
        "scope": " ".join(sorted(services)),
        "client_id": access_token.key.client_id,
        "token_type": "bearer",
        "exp": int(access_token.expires_at.timestamp()),
        "iss": conf.issuer,
        "contextInstitutionId": access_token.institution,
        "principalID": principal.identifier if principal is not None else "",
        "principalIDNS": principal.namespace if principal is not None else "",
    }
    if principal is not None:
        members["sub"] = principal.identifier
    return members
