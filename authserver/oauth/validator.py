"""The oauthlib request validator (``OAUTH2_PROVIDER["OAUTH2_VALIDATOR_CLASS"]``).

It implements the hooks that oauthlib's documentation asks a server for, each from the
``TokenRequest``, into which every row is read once. django-oauth-toolkit's validator lacks
institutions and statuses, looks codes up in the clear and redeems one twice under
concurrency; a hook that it answered and we forgot would be a hole, one that oauthlib's
class lacks raises ``NotImplementedError``. A refusal is raised as the error that the client
reads, which oauthlib passes on. ``save_bearer_token`` checks all that is decided once more.
"""

from typing import Any

from django.db import transaction
from oauthlib.common import Request
from oauthlib.oauth2 import RequestValidator

from authserver.errors import InvalidGrant, InvalidRequest, InvalidScope, UnauthorizedClient
from authserver.keys import policy
from authserver.keys.scopes import Scopes
from authserver.models import AuditEvent, Grant, RefreshToken, User
from authserver.oauth import clients, codes, tokens
from authserver.oauth.token_request import TokenRequest
from platform_errors.errors.catalogue import InstitutionNotOnKey


class Validator(RequestValidator):
    """The hooks of the three grant types of the token endpoint."""

    # --- Who is calling -------------------------------------------------------------------

    def authenticate_client(self, request: Request, *args: Any, **kwargs: Any) -> bool:
        """Establish the key, a public one as well. Raises the rows of spec 7.1."""
        token_request: TokenRequest = request.token_request
        key = clients.authenticate(
            token_request.client_request, token_request.http_request, token_request.now
        )
        token_request.client = request.client = key
        request.client_id = key.client_id
        token_request.generation.require_enabled(key)
        return True

    def validate_grant_type(
        self,
        client_id: str,
        grant_type: str,
        client: Any,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Leave ``client_credentials`` to keys with a secret (decisions 4)."""
        if grant_type == "client_credentials":
            _require_secret(request.token_request)
        return True

    # --- Authorization code ---------------------------------------------------------------

    def validate_code(
        self,
        client_id: str,
        code: str,
        client: Any,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Find the code's grant. Raises ``InvalidGrant`` or ``InvalidRequest``."""
        token_request: TokenRequest = request.token_request
        grant = codes.find(token_request)
        _load_authorization(token_request, grant)
        codes.check_pkce(token_request, grant)
        return True

    def get_code_challenge(self, code: str, request: Request) -> str | None:
        """Return the challenge of the authorization request."""
        grant: Grant = request.token_request.grant
        return grant.code_challenge or None

    def get_code_challenge_method(self, code: str, request: Request) -> str:
        """Return the method of the authorization request, always ``S256``."""
        grant: Grant = request.token_request.grant
        return grant.code_challenge_method

    def is_pkce_required(self, client_id: str, request: Request) -> bool:
        """Return whether the code cannot be redeemed without a verifier."""
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
        """Compare with the address of the authorization request, character by character."""
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

        Raises ``InvalidGrant``, or ``InvalidScope`` for more than was granted.
        """
        token_request: TokenRequest = request.token_request
        _load_authorization(token_request, tokens.find_refresh_token(token_request))
        if scope := token_request.client_request.get("scope"):
            requested = policy.read_scopes(scope)
            if not set(requested.tokens) <= set(token_request.scopes.tokens):
                raise InvalidScope("scope asks for more than was granted")
            token_request.scopes = requested
        return True

    def get_original_scopes(
        self, refresh_token: str, request: Request, *args: Any, **kwargs: Any
    ) -> list[str]:
        """Return what was granted."""
        token: RefreshToken = request.token_request.refresh_token
        return token.scope.split()

    # --- Client credentials ---------------------------------------------------------------

    def get_default_scopes(
        self, client_id: str, request: Request, *args: Any, **kwargs: Any
    ) -> list[str]:
        """There are none: a missing scope is refused in ``validate_scopes``."""
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
        """Read the scope and find the institution of ``client_credentials``.

        Raises ``ScopeMissing``, ``InvalidScope``, ``ScopesInvalid``, ``InvalidRequest`` or
        ``InstitutionNotOnKey``.
        """
        token_request: TokenRequest = request.token_request
        key = token_request.key
        client_request = token_request.client_request
        token_request.scopes = policy.check_scopes(
            key, client_request.get("scope"), token_request.now
        )
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
        return True

    # --- Issuing --------------------------------------------------------------------------

    def save_bearer_token(
        self, token: dict[str, Any], request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """Spend what is redeemed and store what is issued, in one transaction.

        The only place that issues, so the statuses are checked here. Raises their errors,
        and ``InvalidGrant`` when another request was first; that is a replay too.
        """
        token_request: TokenRequest = request.token_request
        grant, refresh = token_request.grant, token_request.refresh_token
        if grant is not None or refresh is not None:
            _check_statuses(token_request)
        else:
            _require_secret(token_request)
        action = AuditEvent.Action.TOKEN_ISSUED
        with transaction.atomic():
            consumed = True
            if grant is not None:
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
        if not consumed:
            (codes.replayed if grant is not None else tokens.refresh_replayed)(
                token_request
            )

    def invalidate_authorization_code(
        self, client_id: str, code: str, request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """Nothing is left to do: issuing the tokens consumed the code."""


def _load_authorization(token_request: TokenRequest, row: Grant | RefreshToken) -> None:
    """Take user, institution and scopes from a grant or a refresh token."""
    token_request.user = row.user
    token_request.registry_id = row.institution.registry_id
    token_request.institution_pk = row.institution_id
    token_request.scopes = Scopes.parse(row.scope)


def _require_secret(token_request: TokenRequest) -> None:
    """Raise ``UnauthorizedClient`` for a public key, which has no tokens of its own."""
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
