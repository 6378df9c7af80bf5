"""The demonstration's fixed cast: institutions, users, services, keys (decisions 8).

README, tests and tools rely on every value of ``cast.toml``. Seeding again changes nothing
that is there: an administrator may have edited it.
"""

import tomllib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.models import Group
from django.db import transaction

from authserver.models import (
    Institution,
    KeyInstitution,
    KeyService,
    Service,
    ServiceKey,
    User,
)
from config.demo import issuer

_CAST: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("cast.toml").read_text(encoding="utf-8")
)
INSTITUTIONS: list[tuple[str, str, str, str]] = _CAST["institutions"]
USERS: list[tuple[str, str, str, int]] = _CAST["users"]
STAFF: list[tuple[str, str]] = _CAST["staff"]
SERVICES: list[tuple[str, str, str]] = _CAST["services"]
DISABLED: list[str] = _CAST["disabled"]
_LONG_AGO = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoKey:
    """One key of the cast."""

    client_id: str
    name: str
    secret: str = ""
    redirects: list[str] = field(default_factory=lambda: ["http://127.0.0.1/callback"])
    institutions: list[str] = field(default_factory=lambda: ["1001"])
    active: list[str] = field(default_factory=list)
    canceled: list[str] = field(default_factory=list)
    expired: list[str] = field(default_factory=list)
    is_canceled: bool = False
    is_expired: bool = False
    old_generation: bool = False


KEYS = [DemoKey(**each) for each in _CAST["keys"]]


@transaction.atomic
def seed(now: datetime) -> dict[str, User]:
    """Create what is missing of the cast; return its users by username."""
    institutions = {
        registry_id: Institution.objects.get_or_create(
            registry_id=registry_id,
            defaults={"name": name, "place": place, "code": code},
        )[0]
        for registry_id, name, place, code in INSTITUTIONS
    }
    services = {
        code: Service.objects.get_or_create(
            code=code, defaults={"name": name, "description": description}
        )[0]
        for code, name, description in SERVICES
    }
    for key in KEYS:
        _seed_key(key, institutions, services, now)
    if not User.objects.filter(login="admin").exists():
        User.objects.create_superuser("admin", password_of("admin"))
    for username, role in STAFF:
        _seed_staff(username, role)
    issuer.seed(institutions["1004"])
    return {
        username: _seed_user(username, institutions[registry_id], role, number)
        for username, registry_id, role, number in USERS
    }


def describe() -> list[str]:
    """Return what a visitor needs to know, a line each."""
    people = [
        f"{name} / {password_of(name)} at {registry_id}"
        + (f" ({role})" if role else "")
        + (" (disabled)" if name in DISABLED else "")
        for name, registry_id, role, _ in USERS
    ]
    keys = [f"{key.client_id} / {key.secret or 'public'}" for key in KEYS]
    return [
        f"admin / {password_of('admin')} (superuser)",
        *(f"{name} / {password_of(name)} ({role}, in /admin/)" for name, role in STAFF),
        *people,
        *(f"service key {key}" for key in keys),
    ]


def password_of(username: str) -> str:
    """Return the published password of a demo account."""
    return f"{username}-demo-pass"


def _seed_user(username: str, institution: Institution, role: str, number: int) -> User:
    user = User.objects.at(institution, username).first()
    if user is None:
        user = User.objects.create_user(
            username,
            password_of(username),
            institution=institution,
            full_name=username.title(),
            email=f"{username}@demo.example",
            principal_id=f"00000000-0000-4000-8000-{number:012}",
            is_active=username not in DISABLED,
        )
        if role:
            user.groups.add(Group.objects.get_or_create(name=role)[0])
    return user


def _seed_staff(username: str, role: str) -> None:
    if User.objects.filter(login=username).exists():
        return
    user = User.objects.create_user(
        username, password_of(username), full_name=username.title(), is_staff=True
    )
    user.groups.add(Group.objects.get_or_create(name=role)[0])


def _seed_key(
    demo: DemoKey,
    institutions: dict[str, Institution],
    services: dict[str, Service],
    now: datetime,
) -> None:
    if ServiceKey.objects.filter(client_id=demo.client_id).exists():
        return
    key = ServiceKey(
        client_id=demo.client_id,
        name=demo.name,
        redirect_uris="\n".join(demo.redirects),
        old_generation=demo.old_generation,
        status=(
            ServiceKey.Status.CANCELED if demo.is_canceled else ServiceKey.Status.ACTIVE
        ),
        expires_at=now - _LONG_AGO if demo.is_expired else None,
    )
    if demo.secret:
        key.set_secret(demo.secret, now=now)
    key.full_clean()
    key.save()
    KeyInstitution.objects.bulk_create(
        KeyInstitution(key=key, institution=institutions[registry_id])
        for registry_id in demo.institutions
    )
    KeyService.objects.bulk_create(
        [
            *(KeyService(key=key, service=services[code]) for code in demo.active),
            *(
                KeyService(
                    key=key, service=services[code], status=KeyService.Status.CANCELED
                )
                for code in demo.canceled
            ),
            *(
                KeyService(key=key, service=services[code], expires_at=now - _LONG_AGO)
                for code in demo.expired
            ),
        ]
    )
