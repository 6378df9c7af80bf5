"""How the old generation's endpoints differ: open to marked keys, in its own words."""

from collections.abc import Mapping
from typing import Any

from authserver.errors import InvalidRequest, UnauthorizedClient
from authserver.oauth.client_generation import Generation
from authserver.oauth.client_request import ClientRequest
from authserver.oauth.dialect import EndpointDialect, platform_members
from platform_errors.credentials import ServiceKey
from platform_errors.errors.base import ApiError

AUTHENTICATING, CONTEXT = "authenticatingInstitutionId", "contextInstitutionId"


class OldGeneration(Generation):
    """Institutions are query parameters, and answers use other names."""

    def require_enabled(self, key: ServiceKey) -> None:
        """Raise ``UnauthorizedClient`` unless the key is marked for it."""
        if not key.old_generation:
            raise UnauthorizedClient("the service key is not enabled for this endpoint")

    def requested_institution(
        self, values: Mapping[str, str], _registry_id: str | None
    ) -> str | None:
        """Return the institution of the two parameters: both, alike, or neither."""
        authenticating, context = values.get(AUTHENTICATING, ""), values.get(CONTEXT, "")
        _check_together(authenticating, context)
        if authenticating != context:
            raise InvalidRequest(
                f"{AUTHENTICATING} and {CONTEXT} must be the same here: "
                "users log in at the institution whose data they share"
            )
        return context or None

    def check_token_request(self, client_request: ClientRequest) -> None:
        """Raise ``InvalidRequest`` for one of the two parameters without the other."""
        _check_together(client_request.get(AUTHENTICATING), client_request.get(CONTEXT))

    def token_members(
        self, members: dict[str, Any], client_request: ClientRequest
    ) -> dict[str, Any]:
        """Add the institutions; lifetimes are numbers."""
        context = members["contextInstitutionId"]
        members |= {
            "context_institution_id": context,
            "authenticating_institution_id": client_request.get(AUTHENTICATING) or context,
        }
        members |= {
            name: int(value)
            for name, value in members.items()
            if name.endswith("expires_in")
        }
        return members


class OldEndpointDialect(EndpointDialect):
    """Errors without ``error``: its clients expect an object there."""

    def members(self, error: ApiError) -> dict[str, Any]:
        """Return the members that every generation reads."""
        return platform_members(error)


def _check_together(authenticating: str | None, context: str | None) -> None:
    if bool(authenticating) != bool(context):
        raise InvalidRequest(f"{AUTHENTICATING} and {CONTEXT} come together")


OLD = OldGeneration()
OLD_ENDPOINT = OldEndpointDialect()
