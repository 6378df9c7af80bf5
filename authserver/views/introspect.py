"""The introspection endpoint (RFC 7662)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone

from authserver.oauth import clients, requests, responses
from authserver.oauth.introspection import introspect
from authserver.views.endpoint import Endpoint
from platform_errors import exceptions

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class Introspect(Endpoint):
    """``POST {auth_url}/introspect``: a service asks what a token is worth."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Answer keys with a secret only (decisions 4)."""
        now = timezone.now()
        asked = requests.read(request)
        key = clients.authenticate(asked, request, now)
        if not key.has_secret:
            raise exceptions.KeyInvalid(
                "introspection is for keys with a secret", key=key.client_id
            )
        members = introspect(asked.require("token"), caller=key, now=now)
        return responses.json_response(members)
