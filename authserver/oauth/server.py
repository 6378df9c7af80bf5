"""oauthlib's token endpoint, as ``OAUTH2_PROVIDER["OAUTH2_SERVER_CLASS"]``.

oauthlib brings the grant types and the order of their questions, and verifies PKCE;
``validator.py`` answers.
"""

from __future__ import annotations

import re
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

from authserver.crypto import opaque
from authserver.errors import InvalidGrant, UnsupportedGrantType
from authserver.oauth import codes

if TYPE_CHECKING:
    from authserver.oauth.exchange import Exchange, Issued

# ``code`` is the value of the spec's sample request (spec 4.2).
ALIASES = {"code": "authorization_code"}
REQUIRED = {
    "authorization_code": ("code", "redirect_uri"),
    "refresh_token": ("refresh_token",),
    "client_credentials": (),
}
OPTIONAL: dict[str, tuple[str, ...]] = {
    "authorization_code": ("code_verifier",),
    "refresh_token": (),
    "client_credentials": (),
}


CODE_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")


class WrongVerifier(InvalidGrant):
    """The PKCE verifier is not the one that the challenge was made from."""

    default_code = "verifier_wrong"

    def __init__(self) -> None:
        """Name the parameter."""
        super().__init__("code_verifier does not fit the code")


class CodeGrant(AuthorizationCodeGrant):
    """The authorization code grant, with ``S256`` alone and wrong verifiers counted."""

    def validate_token_request(self, request: Request) -> None:
        """Validate as oauthlib does. Raises the error that the client will read."""
        try:
            super().validate_token_request(request)
        except WrongVerifier:
            request.exchange.cause = "verifier_wrong"
            codes.count_wrong_verifier(request.exchange)
            raise

    def validate_code_challenge(
        self, challenge: str, challenge_method: str, verifier: str
    ) -> bool:
        """Compare as oauthlib does (RFC 7636 section 4.6). Raises ``WrongVerifier``."""
        is_well_formed = (
            challenge_method == "S256" and CODE_VERIFIER.fullmatch(verifier) is not None
        )
        if is_well_formed and super().validate_code_challenge(
            challenge, challenge_method, verifier
        ):
            return True
        raise WrongVerifier


class OpaqueToken(BearerToken):
    """Opaque tokens, with a refresh token only where ``refresh_token`` was granted."""

    __slots__ = ()

    def __init__(self, request_validator: Any) -> None:
        """Make the texts of our own form; lifetimes come from our own settings."""
        super().__init__(
            request_validator,
            token_generator=lambda _request: opaque.new_access_token(),
            refresh_token_generator=lambda _request: opaque.new_refresh_token(),
        )

    def create_token(
        self,
        request: Request,
        refresh_token: bool = False,  # noqa: FBT001, FBT002 -- oauthlib's signature
        **kwargs: Any,
    ) -> dict[str, str]:
        """Make the texts; everything else of the answer is ``responses.py``."""
        exchange: Exchange = request.exchange
        # A refresh keeps its right to the next one, however narrow its scope parameter.
        is_refreshable = (
            exchange.refresh_token is not None or exchange.scopes.wants_refresh_token
        )
        token: dict[str, str] = super().create_token(
            request, refresh_token=refresh_token and is_refreshable, **kwargs
        )
        return token


class Server(TokenEndpoint):
    """The token endpoint."""

    def __init__(self, request_validator: Any, **_kwargs: Any) -> None:
        """Build the grants."""
        self.request_validator = request_validator
        super().__init__(
            default_grant_type="authorization_code",
            grant_types={
                "authorization_code": CodeGrant(request_validator),
                "refresh_token": RefreshTokenGrant(request_validator),
                "client_credentials": ClientCredentialsGrant(request_validator),
            },
            default_token_type=OpaqueToken(request_validator),
        )

    def exchange(self, exchange: Exchange) -> Issued:
        """Carry out one token request.

        Raises the error that the client will read.
        """
        asked = exchange.client_request
        grant_type = asked.require("grant_type")
        grant_type = ALIASES.get(grant_type, grant_type)
        if grant_type not in REQUIRED:
            raise UnsupportedGrantType("grant_type is not one of those supported")
        # Only what the grant type has: oauthlib makes an attribute of every parameter.
        values = {name: asked.require(name) for name in REQUIRED[grant_type]}
        values |= {
            name: asked.get(name) for name in OPTIONAL[grant_type] if asked.get(name)
        }
        request = Request("", http_method="POST", body={"grant_type": grant_type, **values})
        request.exchange = exchange
        self.grant_types[grant_type].create_token_response(request, self.default_token_type)
        if exchange.issued is None:
            # oauthlib refused by itself, where the validator had no objection.
            raise InvalidGrant("the grant is not valid")
        return exchange.issued


def get_server() -> Server:
    """Return the configured server, resolved per call so that settings overrides hold."""
    validator = oauth2_settings.OAUTH2_VALIDATOR_CLASS()
    server: Server = oauth2_settings.OAUTH2_SERVER_CLASS(validator)
    return server
