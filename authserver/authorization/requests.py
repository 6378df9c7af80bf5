"""The authorization request: validated completely before the user sees any page.

How the pages use it (decisions 3)::

    try:
        request = requests.validate(query, registry_id=registry_id, now=now)
    except requests.AuthorizationError as error:
        error.location     # where to redirect, or None: show it as a local page instead
        error.error, error.description, error.http_code, error.state
    handle, pending_request = pending.store(request, binding=..., now=now)

``pending.py`` keeps the request while the user decides, and issues the code. Nothing here
reads HTTP but addresses, and nothing redirects to an address that was not verified:
``AuthorizationError`` has a ``location`` only when the redirect address is registered
(decisions 3.2).
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote, unquote_plus

from authserver import errors
from authserver.authorization.openid_request import OpenIDRequest
from authserver.conf import conf
from authserver.keys import policy
from authserver.keys.scopes import Scopes
from authserver.keys.store import Client, find_client, is_storable
from authserver.models import ServiceKey
from authserver.oauth import parameters
from authserver.oauth.client_generation import PRESENT, Generation
from authserver.parsing import redirect_uris
from platform_errors.errors import catalogue
from platform_errors.errors.base import ApiError
from platform_errors.signing.ladder import require_active_key

MAX_STATE_LENGTH = 4096
CODE_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(kw_only=True, eq=False)
class AuthorizationError(Exception):
    """Why a request is not carried out, and where that may be said (spec 7.6)."""

    error: str
    description: str
    http_code: int
    reason: str
    state: str = ""
    client_id: str = ""
    redirect_uri: str | None = None
    """Set only when it is registered; ``None`` means a local page, without a link."""

    @property
    def location(self) -> str | None:
        """The address to redirect to, or ``None`` for a local page."""
        if self.redirect_uri is None:
            return None
        return redirect_url(
            self.redirect_uri,
            error=self.error,
            error_description=errors.error_description(self.description),
            http_code=str(self.http_code),
            state=self.state,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationRequest:
    """A request that can be granted, if the user and the time allow it."""

    key: Client
    redirect_uri: str
    scopes: Scopes
    state: str
    code_challenge: str
    """Empty only where PKCE is lifted."""
    institution: str | None
    """The registry identifier chosen by path or ``context:``; ``None`` shows the page."""
    openid: OpenIDRequest | None = None
    """Set where ``openid`` is among the scopes."""

    @property
    def remembers_consent(self) -> bool:
        """Whether what the user allows here need not be asked again (decisions 3.8)."""
        return self.key.remembers_consent(self.redirect_uri)

    def authorization_error(self, error: ApiError) -> AuthorizationError:
        """Return an error to raise, which goes back to the application."""
        return replace(
            authorization_error_of(error),
            state=self.state,
            client_id=self.key.client_id,
            redirect_uri=self.redirect_uri,
        )


def validate(
    query: bytes,
    *,
    registry_id: str | None,
    now: datetime,
    generation: Generation = PRESENT,
) -> AuthorizationRequest:
    """Validate the raw query of the authorization endpoint (spec 4.1).

    ``registry_id`` is the path's, digits by its route; ``generation`` may name another.
    Raises ``AuthorizationError``, without a location before the redirect address is
    verified.
    """
    try:
        values = parameters.parse(query)
        _require(values, "client_id", "redirect_uri")
    except ApiError as error:
        raise authorization_error_of(error) from None
    client_id, redirect_uri = values["client_id"], values["redirect_uri"]
    key = find_client(client_id)
    if key is None:
        raise _unknown_key(values, now)
    if not redirect_uris.is_registered(redirect_uri, key.redirect_addresses):
        mismatch = errors.RedirectMismatch()
        raise replace(authorization_error_of(mismatch), client_id=client_id)
    request = AuthorizationRequest(
        key=key,
        redirect_uri=redirect_uri,
        scopes=Scopes(()),
        state=values.get("state", ""),
        code_challenge="",
        institution=None,
    )
    try:
        return _validated(
            request, values, registry_id=registry_id, now=now, generation=generation
        )
    except ApiError as error:
        raise request.authorization_error(error) from None


def _validated(
    request: AuthorizationRequest,
    values: dict[str, str],
    *,
    registry_id: str | None,
    now: datetime,
    generation: Generation,
) -> AuthorizationRequest:
    """Climb the rest of the ladder, whose errors go to the verified address."""
    key = request.key
    if len(request.state) > MAX_STATE_LENGTH or _CONTROL.search(request.state):
        raise errors.InvalidRequest("state is too long or has control characters")
    require_active_key(key, now)
    generation.require_enabled(key)
    _require(values, "response_type")
    if values["response_type"] != "code":
        raise errors.UnsupportedResponseType("response_type must be code")
    scopes = policy.check_scopes(key, values.get("scope", ""), now)
    openid = OpenIDRequest.read(values) if scopes.identity else None
    challenge = _code_challenge(request.key, values)
    registry_id = generation.requested_institution(values, registry_id)
    return replace(
        request,
        scopes=scopes,
        code_challenge=challenge,
        institution=policy.check_institution(key, scopes, registry_id),
        openid=openid,
    )


def _require(values: dict[str, str], *names: str) -> None:
    for name in names:
        if not values.get(name):  # sent without a value is not sent (RFC 6749 section 3.1)
            raise errors.InvalidRequest(f"required parameter '{name}' is missing or blank")


def _unknown_key(values: dict[str, str], now: datetime) -> AuthorizationError:
    """Return the error of an unknown key, to an address that an active key registered.

    Character by character, and https only: without a key no loopback rule applies.
    """
    error = replace(
        authorization_error_of(catalogue.KeyInvalid(key=values["client_id"])),
        client_id=values["client_id"],
    )
    address = values["redirect_uri"]
    if not address.startswith("https://") or not is_storable(address):
        return error
    candidates = ServiceKey.objects.active(now).filter(redirect_uris__contains=address)
    if not any(address in key.redirect_addresses for key in candidates):
        return error
    return replace(error, redirect_uri=address, state=values.get("state", ""))


def _code_challenge(key: Client, values: dict[str, str]) -> str:
    """Return the PKCE challenge (RFC 7636): S256 alone, and checked before any page.

    Only an old-generation key with a secret may leave it out; what it sends is enforced.
    """
    challenge = values.get("code_challenge")
    method = values.get("code_challenge_method")
    if key.may_omit_pkce and challenge is None and method is None:
        return ""
    _require(values, "code_challenge", "code_challenge_method")
    if method != "S256":
        raise errors.InvalidRequest("code_challenge_method must be S256")
    if challenge is None or not CODE_CHALLENGE.fullmatch(challenge):
        raise errors.InvalidRequest(
            "code_challenge must be 43 characters of the URL-safe alphabet"
        )
    return challenge


def authorization_error_of(error: ApiError) -> AuthorizationError:
    """Return the error in the words of this endpoint, which goes nowhere yet."""
    return AuthorizationError(
        error=errors.authorization_error(error),
        description=error.text,
        http_code=error.status_code,
        reason=error.reason,
    )


def redirect_url(address: str, **added: str) -> str:
    """Return a registered address with parameters added, and ``iss`` (RFC 9207).

    The registered query is kept as it stands, but for parameters of the same names, which
    would make the answer ambiguous. Blank parameters (a ``state`` never sent) are left out.
    """
    values = {name: value for name, value in added.items() if value} | {"iss": conf.issuer}
    base, _, query = address.partition("?")
    kept = [
        piece
        for piece in query.split("&")
        if piece and unquote_plus(piece.partition("=")[0]) not in values
    ]
    # %20 and not "+" for a space: every decoder agrees on it.
    new = [f"{name}={quote(value, safe='')}" for name, value in values.items()]
    return f"{base}?{'&'.join(kept + new)}"
