"""The pages of admin, and what each costs. Needs Django, set up in this process."""

from __future__ import annotations

import time
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin.templatetags.admin_list import result_headers
from django.contrib.admin.views.main import PAGE_VAR
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client, RequestFactory
from django.urls import reverse

from authserver.models import Institution, User
from benchmarks import processes
from benchmarks.sections.admin import Page
from benchmarks.seed.constants import ABSENT, COMMON, INSTITUTIONS, STOP_WORD
from config.tests.administration.every_page import autocompletes, pages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest

ROUNDS: Final = 5
WORTH_REPEATING: Final = 100
"""CPU milliseconds: a page that takes less once is not looked at again."""
STAFF: Final = {
    "superuser": "",
    "institution administrator": INSTITUTIONS[0],
    "editor": INSTITUTIONS[0],
    "contributor": INSTITUTIONS[0],
}
"""Who looks, by role, and of which institution: the one with most rows."""
WORDS: Final = ("e", STOP_WORD, COMMON, ABSENT, "key4999")
"""What is searched: a letter, words of all, many, few and no rows."""
TERMS: Final = ("", "e", COMMON)
"""What is typed into an autocomplete."""
MOST_CHOICES: Final = 5
"""Of a filter's choices, the first are followed."""


def variants(model_admin: Any, request: HttpRequest) -> Iterator[tuple[str, str]]:
    """Yield every ordering and filter of a list, some searches, and its last page."""
    shown = model_admin.get_changelist_instance(request)
    yield "last page", shown.get_query_string({PAGE_VAR: shown.paginator.num_pages})
    if model_admin.search_fields:
        for word in WORDS:
            yield f"search for {word}", f"?{urlencode({'q': word})}"
    for header in result_headers(shown):
        if header.get("sortable"):
            yield f"ordered by {header['text']}", str(header["url_primary"])
    for spec in shown.filter_specs:
        for choice in islice(spec.choices(shown), MOST_CHOICES):
            if "query_string" not in choice:  # it is typed
                for text in (COMMON, ABSENT):
                    query = {spec.parameter_name: text}
                    yield f"{spec.title}: {text}", f"?{urlencode(query)}"
            elif not choice["selected"]:
                yield f"{spec.title}: {choice['display']}", choice["query_string"]


def figures(*, database_pid: int) -> list[Page]:
    """Measure every page for everybody."""
    found: list[Page] = []
    for role, registry_id in STAFF.items():
        client, request = _signed_in(role, registry_id)
        for name, address in _addresses(request):
            if client.get(address).status_code == 200:
                found.append(Page(role, name, *_cost(client, address, database_pid)))
    return found


def _signed_in(role: str, registry_id: str) -> tuple[Client, HttpRequest]:
    home = Institution.objects.filter(registry_id=registry_id).first()
    user, _ = User.objects.get_or_create(
        username=role.replace(" ", "."), institution=home, is_superuser=role == "superuser"
    )
    user.groups.set(Group.objects.filter(name=role))
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(user)
    request = RequestFactory(SERVER_NAME="127.0.0.1").get("/")
    request.user = user
    return client, request


def _addresses(request: HttpRequest) -> Iterator[tuple[str, str]]:
    yield "first page", reverse("admin:index")
    for model_admin in admin.site._registry.values():  # noqa: SLF001 -- as Django's index
        if not model_admin.has_view_permission(request):
            continue
        meta = model_admin.opts
        for name, address in pages(model_admin, request):
            yield f"{meta.model_name}, {name}", address
        for name, address in autocompletes(model_admin):
            for term in TERMS:
                yield f"{meta.model_name}, {name}: {term}", f"{address}{term}"
        changelist = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
        for name, query in variants(model_admin, request):
            yield f"{meta.model_name}, {name}", f"{changelist}{query}"


def _cost(client: Client, address: str, pid: int) -> tuple[int, float, float]:
    """Return statements and CPU milliseconds, ours and those of the whole cluster.

    The cluster has nothing else to do, and a statement may have helpers besides the process
    of its connection.
    """
    statements: list[str] = []

    def count(execute: Any, sql: str, *others: Any) -> Any:
        statements.append(sql)
        return execute(sql, *others)

    application, stored = [], []
    with connection.execute_wrapper(count):
        for _ in range(ROUNDS):
            statements.clear()
            before, begun = processes.cpu_milliseconds(pid), time.process_time()
            client.get(address)
            application.append((time.process_time() - begun) * 1000)
            stored.append(processes.cpu_milliseconds(pid) - before)
            if application[0] + stored[0] < WORTH_REPEATING:
                break
    return len(statements), median(application), median(stored)
