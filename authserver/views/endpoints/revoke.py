"""The revocation endpoint (RFC 7009)."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from authserver import audit
from authserver.models import AuditEvent
from authserver.oauth import responses, tokens
from authserver.oauth.client_request import read
from authserver.views.endpoints.base import ClientEndpoint


class Revoke(ClientEndpoint):
    """``POST {auth_url}/revoke``: a client gives a token back, with all of its family."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Answer alike whether there was such a token or not (RFC 7009 section 2.2)."""
        now = timezone.now()
        client_request = read(request)
        key = self.authenticate(client_request, now)
        revoked = tokens.revoke(client_request.require("token"), key_pk=key.pk, now=now)
        if revoked is not None:
            audit.record(
                AuditEvent.Action.TOKEN_REVOKED,
                actor=key.client_id,
                subject=revoked.user.login if revoked.user is not None else "",
                client_id=key.client_id,
                registry_id=revoked.institution.registry_id,
                at=now,
            )
        return responses.json_response({})
