"""The pages of admin: a platform to look after, and what each page costs. Needs Django."""

from __future__ import annotations

import time
from datetime import timedelta
from statistics import median
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from authserver.models import AuditEvent, Institution, KeyInstitution, ServiceKey, User
from benchmarks import processes
from benchmarks.seed import bulk, database

if TYPE_CHECKING:
    from collections.abc import Iterator

BATCH = 2_000
ROUNDS = 3
ON_THE_WIDEST_KEY = 1_000


def fill(*, events: int, institutions: int, users: int, keys: int) -> None:
    """Make a platform: members, people, keys, a record of what happened, a calendar."""
    database.prepare(events=events)
    now = timezone.now()
    members = Institution.objects.bulk_create(
        Institution(
            registry_id=str(100_000 + number),
            name=f"Institution {number}",
            search_text=f"institution {number}",
        )
        for number in range(institutions)
    )
    homes = [members[number % institutions] for number in range(users)]
    User.objects.bulk_create(
        (
            User(
                username=f"person{number}",
                login=f"person{number}@{home.registry_id}",
                institution=home,
                password="!",  # noqa: S106 -- nobody signs in
                principal_namespace=f"urn:platform:{home.registry_id}",
            )
            for number, home in enumerate(homes)
        ),
        batch_size=BATCH,
    )
    made = ServiceKey.objects.bulk_create(
        (
            ServiceKey(
                client_id=f"key{number}",
                name=f"Key {number}",
                expires_at=now + timedelta(days=number % 900),
            )
            for number in range(keys)
        ),
        batch_size=BATCH,
    )
    wide = members[:ON_THE_WIDEST_KEY]
    links = [KeyInstitution(key=made[0], institution=each) for each in wide]
    links += [
        KeyInstitution(key=key, institution=members[number % institutions])
        for number, key in enumerate(made[1:])
    ]
    KeyInstitution.objects.bulk_create(links, batch_size=BATCH)
    AuditEvent.objects.bulk_create(
        (
            AuditEvent(
                at=now - timedelta(minutes=events - number),
                action=AuditEvent.Action.values[number % 20],
                subject=homes[number % users].registry_id,
                client_id=f"key{number % keys}",
                registry_id=homes[number % users].registry_id,
                reason="secret_mismatch",
            )
            for number in range(events)
        ),
        batch_size=BATCH,
    )
    bulk.analyze()


def pages(model_admin: Any) -> Iterator[tuple[str, str]]:
    """Yield a name and an address for each kind of page of an admin class."""
    meta = model_admin.opts
    name = f"admin:{meta.app_label}_{meta.model_name}"
    changelist = reverse(f"{name}_changelist")
    yield "list", changelist
    if model_admin.search_fields:
        yield "search", f"{changelist}?q=e"
    yield "add", reverse(f"{name}_add")
    rows = model_admin.model._base_manager
    if (pk := rows.order_by("pk").values_list("pk", flat=True).first()) is not None:
        yield "change", reverse(f"{name}_change", args=[pk])
        yield "history", reverse(f"{name}_history", args=[pk])
    for each in (model_admin, *model_admin.inlines):
        owner = getattr(each, "model", model_admin.model)._meta
        for field in each.autocomplete_fields:
            asked = {"app_label": owner.app_label, "model_name": owner.model_name}
            query = urlencode({**asked, "field_name": field, "term": "e"})
            yield f"choice of {field}", f"{reverse('admin:autocomplete')}?{query}"


def figures(*, database_pid: int) -> list[tuple[str, str, int, float, float]]:
    """Return who asked for what: statements, CPU ms of the application, of the database."""
    root = User.objects.create_superuser("root", "nobody signs in")
    ines = User.objects.create_user("ines", institution=Institution.objects.earliest("pk"))
    ines.groups.set(Group.objects.filter(name="institution administrator"))
    found = []
    for user in (root, ines):
        client = Client(SERVER_NAME="127.0.0.1")
        client.force_login(user)
        addresses = {"first page": reverse("admin:index")} | {
            f"{model_admin.opts.model_name}, {kind}": address
            for model_admin in admin.site._registry.values()  # noqa: SLF001 -- the same
            for kind, address in pages(model_admin)
        }
        for name, address in addresses.items():
            if client.get(address).status_code == 200:
                found.append((user.username, name, *_cost(client, address, database_pid)))
    return found


def _cost(client: Client, address: str, pid: int) -> tuple[int, float, float]:
    statements: list[str] = []

    def count(execute: Any, sql: str, *others: Any) -> Any:
        statements.append(sql)
        return execute(sql, *others)

    with connection.execute_wrapper(count):
        client.get(address)
    application, stored = [], []
    for _ in range(ROUNDS):
        begun, before = time.process_time(), processes.cpu_milliseconds(pid)
        client.get(address)
        application.append((time.process_time() - begun) * 1000)
        stored.append(processes.cpu_milliseconds(pid) - before)
    return len(statements), median(application), median(stored)
