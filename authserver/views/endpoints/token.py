"""The token endpoint (spec 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone

from authserver.errors import InvalidRequest
from authserver.oauth import client_request, failures, responses
from authserver.oauth.exchange import Exchange
from authserver.oauth.server import get_server
from authserver.views.endpoints.base import Endpoint
from platform_errors.errors.base import Refusal

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class Token(Endpoint):
    """``POST {auth_url}/token``, and the old generation's ``/accessToken``."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Exchange a code, a refresh token or the client's own right for tokens."""
        asked = client_request.read(request, query_allowed=True)
        if self.old_generation and (
            bool(asked.get("authenticatingInstitutionId"))
            != bool(asked.get("contextInstitutionId"))
        ):
            raise InvalidRequest(
                "authenticatingInstitutionId and contextInstitutionId come together"
            )
        exchange = Exchange(
            client_request=asked,
            http_request=request,
            now=timezone.now(),
            old_generation=self.old_generation,
        )
        try:
            issued = get_server().exchange(exchange)
        except Refusal as refused:
            failures.record_exchange(exchange, refused)
            raise
        return responses.token_response(exchange, issued)
