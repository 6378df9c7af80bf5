"""The identity document: what the platform knows about a caller (decisions 6)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from platform_errors.credentials import Credentials, Service


def identity_members(credentials: Credentials, *, now: datetime) -> dict[str, Any]:
    """Return the members of the document, in their order."""
    key, principal = credentials.key, credentials.principal
    return {
        "clientId": key.client_id,
        "services": [_service(service, now) for _, service in sorted(key.services.items())],
        "contextInstitutionId": credentials.institution or "",
        "institutions": sorted(key.institutions),
        "principalID": principal.identifier if principal else "",
        "principalIDNS": principal.namespace if principal else "",
        "serverTime": int(now.timestamp()),
    }


def _service(service: Service, now: datetime) -> dict[str, str]:
    """Return one service; ``expires`` is empty when it does not, else as in spec 2.2."""
    expires = service.expires_at
    return {
        "code": service.code,
        "name": service.name,
        "status": service.status_at(now),
        "expires": f"{expires.astimezone(UTC):%Y-%m-%d %H:%M:%SZ}" if expires else "",
    }
