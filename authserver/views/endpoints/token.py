"""The token endpoint (spec 4.2)."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from authserver.oauth import failures, responses, tokens
from authserver.oauth.client_request import read
from authserver.oauth.server import get_server
from authserver.oauth.token_request import TokenRequest
from authserver.views.endpoints.base import Endpoint
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
