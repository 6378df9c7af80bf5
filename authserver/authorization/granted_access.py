"""What a user allowed, by application, for the my-access page (decisions 3.8)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Max

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
    scopes: set[str]
    granted_at: datetime
    expires_at: datetime
    acted_at: datetime | None = None
    """When the application last took a token to act with, as far as tokens are kept."""
    services: list[str] = field(default_factory=list)
    """The scopes in words."""

    def include(self, scopes: set[str], granted_at: datetime, expires_at: datetime) -> None:
        """Add another consent or token."""
        self.scopes |= scopes
        self.granted_at = min(self.granted_at, granted_at)
        self.expires_at = max(self.expires_at, expires_at)


@dataclass(slots=True, kw_only=True)
class Application:
    """An application and its accesses, by institution."""

    client_id: str
    name: str
    is_canceled: bool
    """It cannot act until the key is activated and the user allows it again."""
    accesses: list[Access] = field(default_factory=list)


def applications_for(user: User, now: datetime) -> list[Application]:
    """Return every application that was allowed to act for the user, canceled ones too."""
    found: dict[tuple[int, int], Access] = {}
    for key_id, institution_id, scope, granted_at, expires_at in _rows(user, now):
        access = found.setdefault(
            (key_id, institution_id),
            Access(
                institution="", scopes=set(), granted_at=granted_at, expires_at=expires_at
            ),
        )
        access.include(set(scope.split()), granted_at, expires_at)
    acted = _last_acted(user)
    keys = ServiceKey.objects.in_bulk({key_id for key_id, _ in found})
    institutions = Institution.objects.in_bulk({pk for _, pk in found})
    names = dict(Service.objects.values_list("code", "name"))
    applications: dict[int, Application] = {}
    for (key_id, institution_id), access in found.items():
        access.institution = institutions[institution_id].name
        access.services = _in_words(access.scopes, names)
        access.acted_at = acted.get((key_id, institution_id))
        key = keys[key_id]
        applications.setdefault(
            key_id,
            Application(
                client_id=key.client_id,
                name=key.name,
                is_canceled=key.status == ServiceKey.Status.CANCELED,
            ),
        ).accesses.append(access)
    return sorted(applications.values(), key=lambda each: (each.name, each.client_id))


def scopes(
    user: User, *, key_id: int, institution_id: int, now: datetime
) -> frozenset[str]:
    """Return what an application has been allowed at an institution, for the grant page.

    Unlike a remembered consent this never skips the page; tokens of public keys count too.
    """
    found: set[str] = set()
    for of_key, at_institution, scope, _granted_at, _expires_at in _rows(user, now):
        if (of_key, at_institution) == (key_id, institution_id):
            found.update(scope.split())
    return frozenset(found)


def _rows(user: User, now: datetime) -> Iterator[tuple[int, int, str, datetime, datetime]]:
    yield from (
        Consent.objects.live(now)
        .filter(user=user)
        .values_list("key_id", "institution_id", "scope", "granted_at", "expires_at")
    )
    yield from (
        RefreshToken.objects.live(now)
        .filter(user=user)
        .values_list("application_id", "institution_id", "scope", "created", "expires_at")
    )
    yield from (
        AccessToken.objects.live(now)
        .filter(user=user)
        .values_list("application_id", "institution_id", "scope", "created", "expires")
    )


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
