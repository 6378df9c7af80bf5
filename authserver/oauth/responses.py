"""The answers of the token endpoint, field by field (spec 2.2)."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpResponse
from oauth2_provider.settings import oauth2_settings

from authserver.oauth import openid
from authserver.oauth.token_request import Issued, TokenRequest
from platform_errors.errors import documents

# RFC 6749 section 5.1; errors as well, they may name a key.
HEADERS = {
    "Cache-Control": "no-store",
    "Pragma": "no-cache",
    "Vary": "Accept, Authorization",
}


def token_response(token_request: TokenRequest, issued: Issued) -> HttpResponse:
    """Return the tokens to the client (spec 2.2, decisions 4)."""
    members = token_members(token_request, issued)
    return json_response(
        token_request.generation.token_members(members, token_request.client_request)
    )


def token_members(token_request: TokenRequest, issued: Issued) -> dict[str, Any]:
    """Return the members of a success; every number is text, as the peer writes it."""
    scopes = str(token_request.scopes)
    user = token_request.user
    members = {
        "access_token": issued.access_token,
        "token_type": "bearer",
        "expires_in": _seconds(token_request.now, issued.expires_at),
        "expires_at": _timestamp(issued.expires_at),
        "scopes": scopes,
        "scope": scopes,
        "contextInstitutionId": token_request.registry_id,
        "principalID": user.principal_id if user is not None else "",
        "principalIDNS": user.principal_namespace if user is not None else "",
    }
    if issued.refresh_token and issued.refresh_token_expires_at is not None:
        expires_at = issued.refresh_token_expires_at
        members |= {
            "refresh_token": issued.refresh_token,
            "refresh_token_expires_in": _seconds(token_request.now, expires_at),
            "refresh_token_expires_at": _timestamp(expires_at),
        }
    grant = token_request.grant
    if grant is not None and token_request.scopes.identity and oauth2_settings.OIDC_ENABLED:
        members["id_token"] = openid.make_id_token(
            grant,
            client_id=token_request.key.client_id,
            scopes=token_request.scopes.identity,
            access_token=issued.access_token,
            now=token_request.now,
        )
    return members


def json_response(members: dict[str, Any]) -> HttpResponse:
    """Return JSON that nobody keeps."""
    return HttpResponse(
        documents.to_json(members),
        content_type=documents.JSON_CONTENT_TYPE,
        headers=HEADERS,
    )


def _seconds(now: datetime, moment: datetime) -> str:
    return str(max(0, int((moment - now).total_seconds())))


def _timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")
