"""The token endpoint (spec 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone

from authserver.oauth import client_request, failures, responses, tokens
from authserver.oauth.exchange import Exchange
from authserver.oauth.server import get_server
from authserver.views.endpoints.base import Endpoint
from platform_errors.errors.base import ApiError
from platform_errors.errors.log import state_proof

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class Token(Endpoint):
    """``POST {auth_url}/token``."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Exchange a code, a refresh token or client credentials for tokens."""
        asked = client_request.read(request, query_allowed=True)
        self.generation.check_token_request(asked)
        exchange = Exchange(
            client_request=asked,
            http_request=request,
            now=timezone.now(),
            generation=self.generation,
        )
        try:
            issued = get_server().exchange(exchange)
        except ApiError as error:
            failures.record_exchange(exchange, error)
            raise
        state_proof(request, exchange.key.client_id, exchange.registry_id)
        tokens.tokens_issued.send_robust(sender=Token, grant_type=exchange.grant_type)
        return responses.token_response(exchange, issued)
