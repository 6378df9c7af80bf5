"""The demonstration's fixed cast: institutions, users, services, keys (decisions 8).

README, tests and tools rely on every value here. Seeding again changes nothing that is
there: an administrator may have edited it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

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
from config.demo.institutions import OTHERS

INSTITUTIONS = (
    ("1001", "Riverside University", "Riverside", "RIVER"),
    ("1002", "Northgate Public Library", "Northgate", "NORTH"),
    ("1003", "Lakeview College", "Lakeview", "LAKE"),
    *OTHERS,
)
# (username, institution, role in the events interface, last digits of the principal)
USERS = (
    ("alice", "1001", "editor", 1),
    ("bob", "1001", "", 2),
    ("carol", "1002", "editor", 3),
    ("dora", "1001", "", 4),
    ("erin", "1001", "contributor", 5),
    ("frank", "1001", "author", 6),
    ("ines", "1001", "institution administrator", 7),
)
# Staff of the platform, without an institution: (username, role)
STAFF = (
    ("oscar", "platform operator"),
    ("kim", "key manager"),
    ("uma", "auditor"),
)
DISABLED = {"dora"}
SERVICES = (
    (
        "calendar_events",
        "Calendar Events",
        "See the events calendar and change it for you.",
    ),
    ("directory", "Directory", "Look up people and places at your institution."),
    ("archive", "Archive", "Read documents of the archive."),
    ("reports", "Reports", "Read usage reports of your institution."),
    ("billing", "Billing", "Read invoices of your institution."),
    ("identity", "Identity", "See who you are: your identifier and your institution."),
)
CALLBACK = "http://127.0.0.1/callback"
_LONG_AGO = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoKey:
    """One key of the cast."""

    client_id: str
    name: str
    secret: str = ""
    redirects: tuple[str, ...] = (CALLBACK,)
    institutions: tuple[str, ...] = ("1001",)
    active: tuple[str, ...] = ()
    canceled: tuple[str, ...] = ()
    expired: tuple[str, ...] = ()
    is_canceled: bool = False
    is_expired: bool = False
    old_generation: bool = False


KEYS = (
    DemoKey(
        client_id="demo-spa",
        name="Campus Calendar",
        redirects=(
            CALLBACK,
            "http://127.0.0.1:8000/demo/callback",
            "https://client.example/cb",
        ),
        institutions=("1001", "1002"),
        active=("calendar_events", "directory", "identity"),
        canceled=("archive",),
        expired=("reports",),
    ),
    DemoKey(
        client_id="demo-hmac",
        name="Night Sync",
        secret="demo-hmac-secret",  # noqa: S106 -- published, and refused without DEMO
        active=("calendar_events", "identity"),
        old_generation=True,
    ),
    DemoKey(
        client_id="demo-expired",
        name="Expired Sync",
        secret="demo-expired-secret",  # noqa: S106
        active=("calendar_events", "identity"),
        old_generation=True,
        is_expired=True,
    ),
    DemoKey(
        client_id="demo-canceled",
        name="Canceled Sync",
        secret="demo-canceled-secret",  # noqa: S106
        active=("calendar_events", "identity"),
        old_generation=True,
        is_canceled=True,
    ),
    DemoKey(
        client_id="demo-lapsed",
        name="Sync with a canceled service",
        secret="demo-lapsed-secret",  # noqa: S106
        canceled=("calendar_events",),
    ),
    DemoKey(
        client_id="demo-lapsed2",
        name="Sync with an expired service",
        secret="demo-lapsed2-secret",  # noqa: S106
        expired=("calendar_events",),
    ),
    DemoKey(
        client_id="demo-wide",
        name="Consortium Sync",
        secret="demo-wide-secret",  # noqa: S106
        institutions=("1001", "1002"),
        active=("calendar_events",),
    ),
)


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
