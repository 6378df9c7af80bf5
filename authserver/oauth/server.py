"""oauthlib's token endpoint, as ``OAUTH2_PROVIDER["OAUTH2_SERVER_CLASS"]``.

oauthlib brings the grant types and the order of their questions, ``validator.py`` answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oauth2_provider.settings import oauth2_settings
from oauthlib.common import Request
from oauthlib.oauth2 import (
    AuthorizationCodeGrant,
    BearerToken,
    ClientCredentialsGrant,
    RefreshTokenGrant,
    TokenEndpoint,
)

from authserver import vault
from authserver.refusals import UnsupportedGrantType

if TYPE_CHECKING:
    from authserver.oauth.exchange import Exchange
    from authserver.oauth.tokens import Issued

# ``code`` is the value of the spec's sample request (spec 4.2).
ALIASES = {"code": "authorization_code"}
REQUIRED = {
    "authorization_code": ("code", "redirect_uri"),
    "refresh_token": ("refresh_token",),
    "client_credentials": (),
}


class OpaqueToken(BearerToken):
    """Opaque tokens, with a refresh token only where ``refresh_token`` was granted."""

    __slots__ = ()

    def create_token(
        self,
        request: Request,
        refresh_token: bool = False,  # noqa: FBT001, FBT002 -- oauthlib's signature
        **kwargs: Any,
    ) -> dict[str, str]:
        """Make the texts; everything else of the answer is ``responses.py``."""
        exchange: Exchange = request.exchange
        token = {"access_token": vault.new_access_token()}
        # A refresh keeps its right to the next one, however narrow its scope parameter.
        if refresh_token and (
            exchange.refresh_token is not None or exchange.scopes.wants_refresh_token
        ):
            token["refresh_token"] = vault.new_refresh_token()
        return token


class Server(TokenEndpoint):
    """The token endpoint."""

    def __init__(self, request_validator: Any, **_kwargs: Any) -> None:
        """Build the grants; lifetimes come from our own settings."""
        self.request_validator = request_validator
        super().__init__(
            default_grant_type="authorization_code",
            grant_types={
                "authorization_code": AuthorizationCodeGrant(request_validator),
                "refresh_token": RefreshTokenGrant(request_validator),
                "client_credentials": ClientCredentialsGrant(request_validator),
            },
            default_token_type=OpaqueToken(request_validator),
        )

    def exchange(self, exchange: Exchange) -> Issued:
        """Carry out one token request.

        Raises the refusal that the client will read.
        """
        asked = exchange.client_request
        grant_type = asked.require("grant_type")
        grant_type = ALIASES.get(grant_type, grant_type)
        if grant_type not in REQUIRED:
            raise UnsupportedGrantType("grant_type is not one of those supported")
        # Only what the grant type has: oauthlib makes an attribute of every parameter.
        values = {name: asked.require(name) for name in REQUIRED[grant_type]}
        request = Request("", http_method="POST", body={"grant_type": grant_type, **values})
        request.exchange = exchange
        self.grant_types[grant_type].create_token_response(request, self.default_token_type)
        assert exchange.issued is not None  # noqa: S101 -- or a refusal was raised
        return exchange.issued


def get_server() -> Server:
    """Return the configured server, resolved per call so that settings overrides hold."""
    validator = oauth2_settings.OAUTH2_VALIDATOR_CLASS()
    server: Server = oauth2_settings.OAUTH2_SERVER_CLASS(validator)
    return server
