"""Tokens: issued (spec 4.2), given back (RFC 7009) and looked into (RFC 7662)."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from authserver.oauth import clients, failures, responses, tokens
from authserver.oauth.client_request import read
from authserver.oauth.server import get_server
from authserver.oauth.token_request import TokenRequest
from authserver.views.endpoints.base import ClientEndpoint, Endpoint
from platform_errors.errors.base import ApiError
from platform_errors.errors.log import state_proof


class Token(Endpoint):
    """``POST {auth_url}/token``."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Exchange a code, a refresh token or client credentials for tokens."""
        client_request = read(request, query_allowed=True)
        self.generation.check_token_request(client_request)
        token_request = TokenRequest(
            client_request=client_request,
            http_request=request,
            now=timezone.now(),
            generation=self.generation,
        )
        try:
            issued = get_server().issue(token_request)
        except ApiError as error:
            failures.record_token_request(token_request, error)
            raise
        state_proof(request, token_request.key.client_id, token_request.registry_id)
        tokens.tokens_issued.send_robust(sender=Token, grant_type=token_request.grant_type)
        return responses.token_response(token_request, issued)


class Revoke(ClientEndpoint):
    """``POST {auth_url}/revoke``: a client gives a token back, with all of its family."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Answer alike whether there was such a token or not (RFC 7009 section 2.2)."""
        now = timezone.now()
        client_request = read(request)
        key = self.authenticate(client_request, now)
        tokens.give_back(client_request.require("token"), key=key, now=now)
        return responses.json_response({})


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
        members = tokens.introspect(client_request.require("token"), caller=key, now=now)
        return responses.json_response(members)
