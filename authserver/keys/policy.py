"""What a key may do now: asked at every step, never remembered (decisions 4, spec 5.3).

Pure checks over the edge's view of a key; each raises the error of spec 7.
"""

from collections.abc import Iterable
from datetime import datetime

from oauth2_provider.settings import oauth2_settings

from authserver import errors
from authserver.keys.scopes import Scopes, ScopeUnreadable, is_reserved
from platform_errors.credentials import AccessToken, ServiceKey
from platform_errors.errors import catalogue
from platform_errors.keys import get_key_store


def check_scopes(key: ServiceKey, text: str, now: datetime) -> Scopes:
    """Read a scope parameter, every service of which must be on the key.

    Raises ``ScopeMissing`` (also for reserved scopes alone), ``InvalidScope`` or
    ``ScopesInvalid``.
    """
    scopes = read_scopes(text)
    check_services(key, scopes, now)
    return scopes


def read_scopes(text: str) -> Scopes:
    """Read a scope parameter that asks for a service or for an identity at least.

    Raises ``ScopeMissing`` (also for reserved scopes alone) or ``InvalidScope``.
    """
    try:
        scopes = Scopes.parse(text)
    except ScopeUnreadable as unreadable:
        raise errors.InvalidScope(str(unreadable)) from None
    if not scopes.services and not scopes.identity:
        raise errors.ScopeMissing
    if "" in scopes.contexts:
        raise errors.InvalidScope("context: in scope names no institution")
    return scopes


def check_services(key: ServiceKey, scopes: Scopes, now: datetime) -> None:
    """Raise ``ScopesInvalid`` unless the key has every service, live (spec 7.2)."""
    codes = scopes.services
    if not oauth2_settings.OIDC_ENABLED:  # then ``openid`` is a service nobody has
        codes = tuple(token for token in scopes.tokens if not is_reserved(token))
    if problems := key.service_problems(codes, now):
        # A service that is not on the key has a name all the same, if it exists.
        names = get_key_store().service_names([code for code, _, _ in problems])
        raise catalogue.ScopesInvalid(
            [(code, names.get(code, name), reason) for code, name, reason in problems]
        )


def check_institution(
    key: ServiceKey, scopes: Scopes, registry_id: str | None
) -> str | None:
    """Return the institution that the request chose, or ``None`` when it chose none.

    ``context:`` in the scope chooses like ``registry_id`` does (decisions 3.7). Raises
    ``InvalidRequest`` when they differ, ``InstitutionNotOnKey`` when the key lacks it.
    """
    chosen = set(scopes.contexts) | (set() if registry_id is None else {registry_id})
    if len(chosen) > 1:
        raise errors.InvalidRequest("the request names more than one institution")
    for institution in chosen:
        if institution not in key.institutions:
            raise catalogue.InstitutionNotOnKey(key=key.client_id, institution=institution)
        return institution
    return None


def is_token_in_force(token: AccessToken, now: datetime) -> bool:
    """Return whether a token works: in time, its key, institution and user as well."""
    key, principal = token.key, token.principal
    is_known = token.institution in key.institutions
    is_user_live = principal is None or (
        principal.is_active and principal.institution == token.institution
    )
    is_live = not token.is_expired(now) and key.status_at(now) == "active"
    return is_live and is_known and is_user_live


def live_services(key: ServiceKey, scopes: Iterable[str], now: datetime) -> frozenset[str]:
    """Return those of the scopes that are services which the key has, live."""
    return frozenset(
        code
        for code in scopes
        if (service := key.services.get(code)) and service.status_at(now) == "active"
    )
