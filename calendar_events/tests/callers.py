"""Callers of the interface: Django's test client with a bearer token of a real user."""

import itertools
import json
from typing import Any
from urllib.parse import urlencode

from django.test import Client

from calendar_events.conf import conf
from calendar_events.permissions import Actor
from calendar_events.tests.factories import UserFactory
from platform_errors.credentials import Principal
from platform_errors.tests.factories import make_key, make_service, make_token

_tokens = itertools.count()


class Caller:
    """Sends requests below ``{events_root}`` with its own credentials."""

    def __init__(self, token: str = "", actor: Actor | None = None) -> None:
        self.token = token
        self.actor = actor
        self.client = Client(raise_request_exception=True)

    @property
    def user(self) -> Any:
        return self.actor.user

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send JSON, or bytes as they are; ``If_Match="…"`` is a header."""
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        if self.token:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        content = body if isinstance(body, bytes | str) else json.dumps(body)
        return self.client.generic(
            method,
            f"{conf.root_path}{path}",
            b"" if body is None else content,
            content_type=sent.pop("Content-Type", "application/json"),
            headers=sent,
        )

    def form(self, method: str, path: str, fields: Any) -> Any:
        """Send a form."""
        return self.send(
            method,
            path,
            urlencode(fields, doseq=True),
            Content_Type="application/x-www-form-urlencoded",
        )

    def get(self, path: str, **headers: str) -> Any:
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("POST", path, body, **headers)

    def put(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("PUT", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self.send("DELETE", path, **headers)


def caller(
    *roles: str,
    institution: str = "1001",
    key: Any = None,
    user: Any = None,
    service: str = "calendar_events",
) -> Caller:
    """Return a caller in these groups, with a live token for the events interface."""
    user = user or UserFactory(roles=roles)
    key = key or key_for(institution)
    principal = Principal(
        identifier=f"principal-{user.pk}",
        namespace=f"urn:platform:{institution}",
        institution=institution,
        user=user,
        is_active=True,
    )
    token = f"tk_{next(_tokens):032d}"
    make_token(
        token,
        key=key,
        principal=principal,
        institution=institution,
        scopes=frozenset({service}),
    )
    actor = Actor(user=user, institution=institution, client_id=key.client_id)
    return Caller(token, actor)


def key_for(*institutions: str, service: str = "calendar_events") -> Any:
    """Return a key with the service, for these institutions."""
    return make_key(
        f"key-{'-'.join(institutions)}",
        services=[make_service(service, "Calendar Events")],
        institutions=frozenset(institutions),
    )


def refusal(response: Any) -> tuple[int, str]:
    """Return the status and the code of a refusal."""
    document = response.json()
    assert document["data"]["status"] == response.status_code
    return response.status_code, document["code"]


def bad_fields(response: Any) -> Any:
    """Return the fields that a 400 names."""
    assert response.status_code == 400, response.content
    params = response.json()["data"]["params"]
    return sorted(params)
