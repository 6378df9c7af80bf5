"""Where the endpoints of another generation of clients differ; the present one."""

from collections.abc import Mapping
from typing import Any

from authserver.oauth.client_request import ClientRequest
from platform_errors.credentials import ServiceKey


class Generation:
    """The present generation. A view says whose it is with its attribute ``generation``."""

    def require_enabled(self, key: ServiceKey) -> None:
        """Raise ``UnauthorizedClient`` unless the endpoints are open to the key."""

    def requested_institution(
        self, _values: Mapping[str, str], registry_id: str | None
    ) -> str | None:
        """Return the institution of an authorization request: that of its path, if any."""
        return registry_id

    def check_token_request(self, client_request: ClientRequest) -> None:
        """Raise ``InvalidRequest`` for parameters that do not go together."""

    def token_members(
        self, members: dict[str, Any], _client_request: ClientRequest
    ) -> dict[str, Any]:
        """Return the members of a success, made of the present ones."""
        return members


PRESENT = Generation()
