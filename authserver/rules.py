"""What a key may do now: asked at every step, never remembered (decisions 4, spec 5.3).

Pure checks over the edge's view of a key; each raises the refusal of spec section 7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from authserver import refusals
from authserver.scopes import Scopes, ScopeUnreadable
from platform_errors import exceptions

if TYPE_CHECKING:
    from datetime import datetime

    from platform_errors.credentials import ServiceKey


def check_key(key: ServiceKey, now: datetime) -> None:
    """Ask that the key works. Raises ``KeyCanceled`` or ``KeyExpired`` (spec 7.1)."""
    if key.status == "canceled":
        raise exceptions.KeyCanceled
    if key.is_expired(now):
        raise exceptions.KeyExpired


def check_scopes(key: ServiceKey, text: str, now: datetime) -> Scopes:
    """Read a scope parameter and ask that the key has every service of it.

    Raises ``ScopeMissing`` (also for switches alone), ``InvalidScope`` or
    ``ScopesInvalid``.
    """
    try:
        scopes = Scopes.parse(text)
    except ScopeUnreadable:
        raise refusals.InvalidScope(
            "scope is a list of names with single spaces between them"
        ) from None
    if not scopes.services:
        raise refusals.ScopeMissing
    check_services(key, scopes, now)
    return scopes


def check_services(key: ServiceKey, scopes: Scopes, now: datetime) -> None:
    """Ask that the key has every service, live. Raises ``ScopesInvalid`` (spec 7.2)."""
    if problems := scopes.problems(key, now):
        raise exceptions.ScopesInvalid(problems)


def check_institution(
    key: ServiceKey, scopes: Scopes, registry_id: str | None
) -> str | None:
    """Return the institution that the request chose, or ``None`` when it chose none.

    ``context:`` in the scope chooses like ``registry_id`` does (decisions 3.7). Raises
    ``InvalidRequest`` when they differ, ``InstitutionNotOnKey`` when the key lacks it.
    """
    chosen = set(scopes.contexts) | (set() if registry_id is None else {registry_id})
    if len(chosen) > 1:
        raise refusals.InvalidRequest("the request names more than one institution")
    for institution in chosen:
        if institution not in key.institutions:
            raise exceptions.InstitutionNotOnKey(key=key.client_id, institution=institution)
        return institution
    return None
