"""What the edge knows about a caller: frozen views of a service key, a principal, a token.

These are the only shapes that cross between a credential store and the services. They carry
no behaviour that needs a database or a clock.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from django.contrib.auth.models import AbstractBaseUser


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminable:
    """What can be canceled, or expire."""

    status: Literal["active", "canceled"]
    expires_at: datetime | None = None

    def status_at(self, now: datetime) -> Literal["active", "canceled", "expired"]:
        """Return the effective status: canceled wins over expired."""
        if self.status == "canceled":
            return "canceled"
        if self.expires_at is not None and self.expires_at <= now:
            return "expired"
        return "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class Service(Terminable):
    """One (service, key) pair; its ``code`` is the scope that asks for it (spec 5.3)."""

    code: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceKey(Terminable):
    """A service key (the ``clientId`` of spec 5.2) as its store knows it."""

    client_id: str
    secrets: tuple[bytes, ...] = field(default=(), repr=False)
    services: Mapping[str, Service] = field(default_factory=dict)
    institutions: frozenset[str] = frozenset()
    """Registry identifiers of the *active* institutions whose data the key may ask for."""
    old_generation: bool = False

    def service_problems(
        self, codes: Iterable[str], now: datetime
    ) -> list[tuple[str, str, str]]:
        """Return (code, name, why) of each service that the key may not use (spec 7.2).

        The name of one that is not on the key is its code here.
        """
        problems = []
        for code in codes:
            service = self.services.get(code)
            if service is None:
                problems.append((code, code, "Not on key"))
            elif (status := service.status_at(now)) != "active":
                problems.append((code, service.name, status.capitalize()))
        return problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The acting user, named by ``principalID`` within ``principalIDNS`` (spec 5.2)."""

    identifier: str
    namespace: str
    institution: str
    user: AbstractBaseUser
    """The account; permissions are asked of it (``user.has_perm``)."""
    is_active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """A bearer token as its store knows it; the token text itself is never kept."""

    key: ServiceKey
    institution: str
    scopes: frozenset[str]
    expires_at: datetime
    principal: Principal | None
    """``None`` for a token that acts for no user (``client_credentials``)."""

    def is_expired(self, now: datetime) -> bool:
        """Return whether its lifetime is over."""
        return self.expires_at <= now


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Who is calling, established and checked; this is ``request.auth``."""

    scheme: Literal["hmac", "bearer"]
    key: ServiceKey
    institution: str | None
    """The institution of the credentials: the token's, the one that a signed request named,
    or the key's only one; ``None`` when a signed request of a wide key named none
    (decisions 2). Always one that the key may act for."""
    principal: Principal | None
    """The acting user: known, active and of the institution; else ``None``."""
    scopes: frozenset[str] | None = None
    """The services a token was issued for; ``None`` for a signed request, which may use
    every service of its key."""
    requested_institution: str = ""
    """The ``contextInstitutionId`` of the query; whether it is allowed is asked by the
    permissions, after the service (decisions 5)."""
    is_user_invalid: bool = False
    """A user was stated who cannot act here; refused by the permissions, in their turn."""
