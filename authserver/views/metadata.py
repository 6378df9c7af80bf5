"""The authorization server's metadata (RFC 8414), which must match what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import JsonResponse
from django.urls import reverse

from authserver.conf import conf
from authserver.models import REFRESH_TOKEN_SCOPE, Service
from authserver.oauth.server import REQUIRED
from authserver.views.endpoint import Endpoint

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

WITH_SECRET = ["client_secret_basic", "client_secret_post"]


class Metadata(Endpoint):
    """``GET /.well-known/oauth-authorization-server``."""

    http_method_names = ["get", "head", "options"]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Describe the server."""
        return JsonResponse(metadata(), headers={"Cache-Control": "public, max-age=300"})


def metadata() -> dict[str, Any]:
    """Return the members of RFC 8414 section 2 that apply."""
    services = Service.objects.order_by("code").values_list("code", flat=True)
    return {
        "issuer": conf.issuer,
        "authorization_endpoint": _address("authorize"),
        "token_endpoint": _address("token"),
        "revocation_endpoint": _address("revoke"),
        "introspection_endpoint": _address("introspect"),
        "scopes_supported": [*services, REFRESH_TOKEN_SCOPE],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": list(REQUIRED),
        "token_endpoint_auth_methods_supported": ["none", *WITH_SECRET],
        "revocation_endpoint_auth_methods_supported": ["none", *WITH_SECRET],
        "introspection_endpoint_auth_methods_supported": WITH_SECRET,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    }


def _address(name: str) -> str:
    return f"{conf.issuer}{reverse(f'authserver:{name}')}"
