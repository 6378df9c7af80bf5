"""oauthlib's token endpoint, as ``OAUTH2_PROVIDER["OAUTH2_SERVER_CLASS"]``.

oauthlib brings the grant types and the order of their questions, and verifies PKCE;
``validator.py`` answers. ``GRANT_TYPES`` is their only list: whatever names them reads it.
"""

import re
from dataclasses import dataclass
from typing import Any

from oauth2_provider.settings import oauth2_settings
from oauthlib.common import Request
from oauthlib.oauth2 import (
    AuthorizationCodeGrant,
    BearerToken,
    ClientCredentialsGrant,
    RefreshTokenGrant,
    TokenEndpoint,
)
from oauthlib.oauth2.rfc6749.grant_types.base import GrantTypeBase

from authserver.crypto import opaque
from authserver.errors import InvalidGrant, UnsupportedGrantType
from authserver.oauth import codes
from authserver.oauth.token_request import Issued, TokenRequest

CODE_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")


class WrongVerifier(InvalidGrant):
    """The PKCE verifier is not the one that the challenge was made from."""

    default_code = "verifier_wrong"

    def __init__(self) -> None:
        super().__init__("code_verifier does not fit the code")


class CodeGrant(AuthorizationCodeGrant):
    """The authorization code grant, with ``S256`` alone and wrong verifiers counted.

    oauthlib lacks both: it lets a verifier be guessed without end, and takes any method.
    """

    def validate_token_request(self, request: Request) -> None:
        """Count a wrong verifier. Raises the error that the client reads."""
        try:
            super().validate_token_request(request)
        except WrongVerifier:
            request.token_request.cause = "verifier_wrong"
            codes.count_wrong_verifier(request.token_request)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantType:
    """A grant type: who carries it out, and which parameters it reads.

    oauthlib makes an attribute of every parameter it is given, so it gets these alone.
    """

    grant_class: type[GrantTypeBase]
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


GRANT_TYPES = {
    "authorization_code": GrantType(
        grant_class=CodeGrant,
        required=("code", "redirect_uri"),
        optional=("code_verifier",),
    ),
    "refresh_token": GrantType(grant_class=RefreshTokenGrant, required=("refresh_token",)),
    "client_credentials": GrantType(grant_class=ClientCredentialsGrant),
}
ALIASES = {"code": "authorization_code"}
"""The value of the spec's sample request (spec 4.2)."""


def _refresh_token(request: Request) -> str:
    """Return a new refresh token, or ``""`` where none was granted; oauthlib always asks.

    A refresh keeps its right to the next one, however narrow its scope parameter.
    """
    token_request: TokenRequest = request.token_request
    is_refreshable = (
        token_request.refresh_token is not None or token_request.scopes.wants_refresh_token
    )
    return opaque.new_refresh_token() if is_refreshable else ""


class Server(TokenEndpoint):
    """The token endpoint, with the types of ``GRANT_TYPES``."""

    def __init__(self, request_validator: Any, **_kwargs: Any) -> None:
        self.request_validator = request_validator
        super().__init__(
            default_grant_type="authorization_code",
            grant_types={
                name: grant_type.grant_class(request_validator)
                for name, grant_type in GRANT_TYPES.items()
            },
            default_token_type=BearerToken(
                request_validator,
                token_generator=lambda _request: opaque.new_access_token(),
                refresh_token_generator=_refresh_token,
            ),
        )

    def issue(self, token_request: TokenRequest) -> Issued:
        """Carry out one token request. Raises the error that the client reads.

        Not by ``create_token_response``, which cannot hand our request on: it puts
        all that it is given into the token.
        """
        client_request = token_request.client_request
        named = client_request.require("grant_type")
        name = ALIASES.get(named, named)
        if name not in GRANT_TYPES:
            raise UnsupportedGrantType("grant_type is not one of those supported")
        token_request.grant_type = name
        grant_type = GRANT_TYPES[name]
        values = {each: client_request.require(each) for each in grant_type.required}
        for each in grant_type.optional:
            if value := client_request.get(each):
                values[each] = value
        request = Request("", http_method="POST", body={"grant_type": name, **values})
        request.token_request = token_request
        self.grant_types[name].create_token_response(request, self.default_token_type)
        if token_request.issued is None:
            # oauthlib refused by itself, where the validator had no objection.
            raise InvalidGrant("the grant is not valid")
        return token_request.issued


def get_server() -> Server:
    """Return the configured server, resolved per call so that settings overrides hold."""
    validator = oauth2_settings.OAUTH2_VALIDATOR_CLASS()
    server: Server = oauth2_settings.OAUTH2_SERVER_CLASS(validator)
    return server
