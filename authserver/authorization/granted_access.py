"""What a user allowed, by application, for the my-access page (decisions 3.8)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max, QuerySet

from authserver.keys.scopes import is_reserved
from authserver.models import (
    REFRESH_TOKEN_SCOPE,
    AccessToken,
    Consent,
    Institution,
    RefreshToken,
    Service,
    ServiceKey,
    User,
)

STAYS_CONNECTED = "Stay connected"
IDENTITY_NAMES = {
    "openid": "Sign you in",
    "profile": "Your name",
    "email": "Your mail address",
}
"""The scopes of OpenID Connect in words."""


@dataclass(slots=True, kw_only=True)
class Access:
    """One application at one institution: what, since when, until when."""

    institution: str
    services: list[str]
    """The scopes in words."""
    granted_at: datetime
    expires_at: datetime
    acted_at: datetime | None
    """When the application last took a token to act with, as far as tokens are kept."""


@dataclass(slots=True, kw_only=True)
class Application:
    """An application and its accesses, by institution."""

    client_id: str
    name: str
    is_canceled: bool
    """It cannot act until the key is activated and the user allows it again."""
    accesses: list[Access]


def applications_for(user: User, now: datetime) -> list[Application]:
    """Return every application that was allowed to act for the user, canceled ones too."""
    found: dict[tuple[int, int], list[tuple[str, datetime, datetime]]] = {}
    for key_id, institution_id, scope, since, until in _rows(user, now):
        found.setdefault((key_id, institution_id), []).append((scope, since, until))
    acted = _last_acted(user)
    keys = ServiceKey.objects.in_bulk({key_id for key_id, _ in found})
    institutions = Institution.objects.in_bulk({pk for _, pk in found})
    names = dict(Service.objects.values_list("code", "name"))
    accesses: dict[int, list[Access]] = {}
    for (key_id, institution_id), rows in found.items():
        scopes, granted, expire = zip(*rows, strict=True)
        access = Access(
            institution=institutions[institution_id].name,
            services=_in_words(set(" ".join(scopes).split()), names),
            granted_at=min(granted),
            expires_at=max(expire),
            acted_at=acted.get((key_id, institution_id)),
        )
        accesses.setdefault(key_id, []).append(access)
    applications = [
        Application(
            client_id=key.client_id,
            name=key.name,
            is_canceled=key.status == ServiceKey.Status.CANCELED,
            accesses=accesses[key.pk],
        )
        for key in keys.values()
    ]
    return sorted(applications, key=lambda each: (each.name, each.client_id))


def scopes(
    user: User, *, key_id: int, institution_id: int, now: datetime
) -> frozenset[str]:
    """Return what an application has been allowed at an institution, for the grant page.

    Unlike a remembered consent this never skips the page; tokens of public keys count too.
    """
    found = [
        scope
        for of_key, at_institution, scope, *_ in _rows(user, now)
        if (of_key, at_institution) == (key_id, institution_id)
    ]
    return frozenset(" ".join(found).split())


def _rows(user: User, now: datetime) -> Iterator[tuple[int, int, str, datetime, datetime]]:
    """Yield key, institution, scope, and the moments from which and until which."""
    kinds: list[tuple[QuerySet[Any], str, str, str]] = [
        (Consent.objects.live(now), "key_id", "granted_at", "expires_at"),
        (RefreshToken.objects.live(now), "application_id", "created", "expires_at"),
        (AccessToken.objects.live(now), "application_id", "created", "expires"),
    ]
    for rows, key, since, until in kinds:
        columns = (key, "institution_id", "scope", since, until)
        yield from rows.filter(user=user).values_list(*columns)


def _last_acted(user: User) -> dict[tuple[int, int], datetime]:
    """Return when a token was last issued for the user, by application and institution."""
    found: dict[tuple[int, int], datetime] = {}
    access, refresh = (
        rows.filter(user=user)
        .order_by()
        .values_list("application_id", "institution_id")
        .annotate(Max("created"))
        for rows in (AccessToken.objects, RefreshToken.objects)
    )
    for key_id, institution_id, at in access.union(refresh):
        place = (key_id, institution_id)
        found[place] = max(at, found.get(place, at))
    return found


def _in_words(scopes: set[str], names: dict[str, str]) -> list[str]:
    words = sorted(
        (IDENTITY_NAMES | names).get(scope, scope)
        for scope in scopes
        if not is_reserved(scope)
    )
    return [*words, STAYS_CONNECTED] if REFRESH_TOKEN_SCOPE in scopes else words
