"""The introspection endpoint (RFC 7662)."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from authserver.oauth import clients, responses
from authserver.oauth.client_request import read
from authserver.oauth.introspection import introspect
from authserver.views.endpoints.base import ClientEndpoint


class Introspect(ClientEndpoint):
    """``POST {auth_url}/introspect``: a service asks what a token is worth."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Answer keys with a secret only (decisions 4)."""
        now = timezone.now()
        client_request = read(request)
        key = self.authenticate(client_request, now)
        if not key.has_secret:
            raise clients.AuthenticationRequired(
                "introspection is for service keys with a secret"
            )
        members = introspect(client_request.require("token"), caller=key, now=now)
        return responses.json_response(members)
