"""The grant types of the token endpoint, in one table: whatever lists them reads it."""

import re
from dataclasses import dataclass

from oauthlib.common import Request
from oauthlib.oauth2 import (
    AuthorizationCodeGrant,
    ClientCredentialsGrant,
    RefreshTokenGrant,
)
from oauthlib.oauth2.rfc6749.grant_types.base import GrantTypeBase

from authserver.errors import InvalidGrant
from authserver.oauth import codes

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
