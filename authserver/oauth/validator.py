"""The toolkit's request validator, for institutions, statuses and digests.

``OAUTH2_PROVIDER["OAUTH2_VALIDATOR_CLASS"]`` names it. Each hook answers from the
``TokenRequest``, into which every row is read once, and fills ``request.user``,
``request.scopes`` and ``request.nonce`` for the hooks that are inherited. A refusal is
raised as the error that the client reads, which oauthlib passes on. The first line of a
hook says what the toolkit's lacks; ``test_changed_library`` lists the inherited ones.
"""

from typing import Any

from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.settings import oauth2_settings
from oauthlib.common import Request

from authserver.errors import InvalidGrant, InvalidRequest, InvalidScope, UnauthorizedClient
from authserver.keys import policy
from authserver.keys.scopes import Scopes
from authserver.models import AuditEvent, Grant, RefreshToken, User
from authserver.oauth import clients, codes, tokens
from authserver.oauth.token_request import TokenRequest
from platform_errors.errors.catalogue import InstitutionNotOnKey


class Validator(OAuth2Validator):
    """The hooks of the three grant types of the token endpoint."""

    # --- Who is calling -------------------------------------------------------------------

    def client_authentication_required(
        self, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        """Return ``True``: the toolkit's way without a secret knows no status of a key."""
        return True

    def authenticate_client(self, request: Request, *args: Any, **kwargs: Any) -> bool:
        """Establish the key, a public one as well; the toolkit's hashes one secret.

        Raises the rows of spec 7.1.
        """
        token_request: TokenRequest = request.token_request
        key = clients.authenticate(
            token_request.client_request, token_request.http_request, token_request.now
        )
        token_request.client = request.client = key
        request.client_id = key.client_id
        token_request.generation.require_enabled(key)
        return True

    def validate_grant_type(
        self, client_id: str, grant_type: str, client: Any, request: Request, **kwargs: Any
    ) -> bool:
        """Leave ``client_credentials`` to keys with a secret (decisions 4).

        The toolkit's allows each application one grant type.
        """
        if grant_type == "client_credentials":
            _require_secret(request.token_request)
        return True

    # --- Authorization code ---------------------------------------------------------------

    def validate_code(
        self, client_id: str, code: str, client: Any, request: Request, **kwargs: Any
    ) -> bool:
        """Find the code by its digest; the toolkit's looks it up in the clear.

        Raises ``InvalidGrant`` or ``InvalidRequest``.
        """
        token_request: TokenRequest = request.token_request
        grant = codes.find(token_request)
        _load_authorization(request, grant)
        request.nonce = grant.nonce or None
        codes.check_pkce(token_request, grant)
        return True

    def get_code_challenge(self, code: str, request: Request) -> str | None:
        """Return the challenge; the toolkit's looks the code up in the clear."""
        grant: Grant = request.token_request.grant
        return grant.code_challenge or None

    def get_code_challenge_method(self, code: str, request: Request) -> str:
        """Return the method, always ``S256``; the toolkit's looks the code up again."""
        grant: Grant = request.token_request.grant
        return grant.code_challenge_method

    def is_pkce_required(self, client_id: str, request: Request) -> bool:
        """Return whether a verifier is needed; ``PKCE_REQUIRED`` knows no generations."""
        return codes.is_pkce_required(request.token_request)

    def confirm_redirect_uri(
        self,
        client_id: str,
        code: str,
        redirect_uri: str,
        client: Any,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Compare character by character; the toolkit's looks the code up in the clear."""
        token_request: TokenRequest = request.token_request
        if token_request.grant is None or token_request.grant.redirect_uri != redirect_uri:
            token_request.fail(
                InvalidGrant("redirect_uri differs from that of the authorization request"),
                cause="redirect_uri_differs",
            )
        return True

    # --- Refresh token --------------------------------------------------------------------

    def validate_refresh_token(
        self, refresh_token: str, client: Any, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        """Find the token, and narrow its scopes to the requested ones (RFC 6749 section 6).

        The toolkit's knows no absolute lifetime. Raises ``InvalidGrant``, or
        ``InvalidScope`` for more than was granted.
        """
        token_request: TokenRequest = request.token_request
        _load_authorization(request, tokens.find_refresh_token(token_request))
        if scope := token_request.client_request.get("scope"):
            requested = policy.read_scopes(scope)
            if not set(requested.tokens) <= set(token_request.scopes.tokens):
                raise InvalidScope("scope asks for more than was granted")
            token_request.scopes = requested
        return True

    def get_original_scopes(
        self, refresh_token: str, request: Request, *args: Any, **kwargs: Any
    ) -> list[str]:
        """Return what was granted; the toolkit asks the access token, which may be gone."""
        token: RefreshToken = request.token_request.refresh_token
        return token.scope.split()

    def rotate_refresh_token(self, request: Request) -> bool:
        """Return ``True``: a token that may be used twice hides that it was stolen."""
        return True

    # --- Client credentials ---------------------------------------------------------------

    def get_default_scopes(
        self, client_id: str, request: Request, *args: Any, **kwargs: Any
    ) -> list[str]:
        """There are none: ``validate_scopes`` refuses a missing scope by its own error."""
        return []

    def validate_scopes(
        self,
        client_id: str,
        scopes: list[str],
        client: Any,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Read the scope and find the institution; the toolkit's scopes are a setting.

        Raises ``ScopeMissing``, ``InvalidScope``, ``ScopesInvalid``, ``InvalidRequest`` or
        ``InstitutionNotOnKey``.
        """
        token_request: TokenRequest = request.token_request
        key = token_request.key
        client_request = token_request.client_request
        token_request.scopes = policy.check_scopes(
            key, client_request.get("scope"), token_request.now
        )
        if token_request.scopes.identity and oauth2_settings.OIDC_ENABLED:
            raise InvalidScope("openid asks for a user, and this grant has none")
        named = client_request.get("contextInstitutionId") or None
        if token_request.scopes.contexts:  # decisions 4: the scope comes first
            named = None
        registry_id = policy.check_institution(key, token_request.scopes, named)
        if registry_id is None:
            if len(key.institutions) != 1:
                raise InvalidRequest("no institution is named: add context: to scope")
            (registry_id,) = key.institutions
        authenticating = client_request.get("authenticatingInstitutionId")
        if authenticating and authenticating not in key.institutions:
            raise InstitutionNotOnKey(key=key.client_id, institution=authenticating)
        token_request.registry_id = registry_id
        token_request.institution_pk = token_request.key.institution_pks[registry_id]
        request.scopes = list(token_request.scopes.tokens)
        return True

    # --- Issuing --------------------------------------------------------------------------

    def save_bearer_token(
        self, token: dict[str, Any], request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """Check the statuses, then issue in the toolkit's transaction.

        The only place that issues, so all that was decided is checked once more. Raises the
        errors of the statuses, and ``InvalidGrant`` when another request was first; that is
        a replay too, whose revocation must outlive the transaction.
        """
        token_request: TokenRequest = request.token_request
        if token_request.grant is None and token_request.refresh_token is None:
            _require_secret(token_request)
        else:
            _check_statuses(token_request)
        super().save_bearer_token(token, request, *args, **kwargs)
        if token_request.issued is None:
            is_code = token_request.grant is not None
            (codes.replayed if is_code else tokens.refresh_replayed)(token_request)

    def _save_bearer_token(
        self, token: dict[str, Any], request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """Spend what is redeemed and store what is issued (the toolkit's documented hook).

        The toolkit's redeems a code twice under concurrency, and knows no institution.
        """
        token_request: TokenRequest = request.token_request
        refresh = token_request.refresh_token
        action = AuditEvent.Action.TOKEN_ISSUED
        consumed = True
        if token_request.grant is not None:
            consumed = codes.consume(token_request)
        elif refresh is not None:
            action = AuditEvent.Action.TOKEN_REFRESHED
            consumed = tokens.consume_refresh_token(token_request, refresh)
        if consumed:
            token_request.issued = tokens.issue(
                token_request,
                access_token=token["access_token"],
                refresh_token=token.get("refresh_token", ""),
                refresh_token_expires_at=refresh.expires_at if refresh else None,
            )
            tokens.audit_token_request(
                token_request, action, scopes=str(token_request.scopes)
            )

    def invalidate_authorization_code(
        self, client_id: str, code: str, request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """Keep the consumed code; the toolkit's deletes it, and a replay is not seen."""


def _load_authorization(request: Request, row: Grant | RefreshToken) -> None:
    """Take user, institution and scopes from a grant or a refresh token."""
    token_request: TokenRequest = request.token_request
    token_request.user = request.user = row.user
    token_request.registry_id = row.institution.registry_id
    token_request.institution_pk = row.institution_id
    token_request.scopes = Scopes.parse(row.scope)
    request.scopes = list(token_request.scopes.tokens)


def _require_secret(token_request: TokenRequest) -> None:
    """Raise ``UnauthorizedClient`` for a public key, which cannot authenticate."""
    if not token_request.key.has_secret:
        raise UnauthorizedClient("client_credentials is for keys with a secret")


def _check_statuses(token_request: TokenRequest) -> None:
    """Raise unless user, services and institution are still in force (decisions 4).

    Raises ``InvalidGrant`` for the user, ``ScopesInvalid``, ``InstitutionNotOnKey``.
    """
    user = token_request.user
    institution = token_request.registry_id
    for name in ("contextInstitutionId", "authenticatingInstitutionId"):
        if token_request.client_request.get(name) not in {"", institution}:
            token_request.fail(
                InvalidGrant(f"{name} differs from that of the authorization"),
                cause="institution_differs",
            )
    if not _is_in_force(user, token_request.institution_pk):
        token_request.fail(
            InvalidGrant("the user cannot grant access any more"), cause="user_not_in_force"
        )
    key = token_request.key
    policy.check_services(key, token_request.scopes, token_request.now)
    policy.check_institution(key, token_request.scopes, institution)


def _is_in_force(user: User | None, institution_pk: int) -> bool:
    return user is not None and user.is_active and user.institution_id == institution_pk
