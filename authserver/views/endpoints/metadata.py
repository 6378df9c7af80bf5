"""The authorization server's metadata (RFC 8414), which must match what it does."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.db import Error
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from authserver.conf import conf
from authserver.models import REFRESH_TOKEN_SCOPE, Service
from authserver.oauth.server import GRANT_TYPES
from authserver.views.endpoints.base import Endpoint
from platform_errors.errors.handler import is_unavailable

WITH_SECRET = ["client_secret_basic", "client_secret_post"]


class Metadata(Endpoint):
    """``GET /.well-known/oauth-authorization-server``."""

    http_method_names = ["get", "head", "options"]
    services: ClassVar[tuple[str, ...] | None] = None
    """The codes that this process read last."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Describe the server; with the last services known while the database is away."""
        caching = "public, max-age=300"
        try:
            codes = Service.objects.order_by("code").values_list("code", flat=True)
            Metadata.services = tuple(codes)
        except Error as error:
            if not is_unavailable(error):
                raise
            caching = "no-store"
        return JsonResponse(self.describe(), headers={"Cache-Control": caching})

    def describe(self) -> dict[str, Any]:
        """Return the members of the document."""
        return metadata(self.services)


def metadata(services: Sequence[str] | None) -> dict[str, Any]:
    """Return the members of RFC 8414 section 2 that apply.

    ``scopes_supported`` is recommended, so it is left out when the services are not known.
    """
    scopes = (
        {} if services is None else {"scopes_supported": [*services, REFRESH_TOKEN_SCOPE]}
    )
    return {
        "issuer": conf.issuer,
        "authorization_endpoint": address("authorize"),
        "token_endpoint": address("token"),
        "revocation_endpoint": address("revoke"),
        "introspection_endpoint": address("introspect"),
        **scopes,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": list(GRANT_TYPES),
        "token_endpoint_auth_methods_supported": ["none", *WITH_SECRET],
        "revocation_endpoint_auth_methods_supported": ["none", *WITH_SECRET],
        "introspection_endpoint_auth_methods_supported": WITH_SECRET,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    }


def address(name: str) -> str:
    """Return the absolute address of a route of ours."""
    return f"{conf.issuer}{reverse(f'authserver:{name}')}"
