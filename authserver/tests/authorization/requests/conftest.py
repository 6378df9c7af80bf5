"""A key with services in every state, and a way to ask with it."""

from urllib.parse import urlencode

import pytest
from django.utils import timezone

from authserver.authorization import requests
from authserver.legacy.client_generation import OLD
from authserver.oauth.client_generation import PRESENT
from authserver.tests import factories
from authserver.tests.authorization.requests.authorization_client import CHALLENGE, REDIRECT


@pytest.fixture
def institution():
    return factories.InstitutionFactory(registry_id="1001")


@pytest.fixture
def key(institution):
    key = factories.ServiceKeyFactory(client_id="spa", institutions=[institution])
    for code, name, traits in [
        ("calendar_events", "Calendar Events", {}),
        ("directory", "Directory", {}),
        ("archive", "Archive", {"canceled": True}),
        ("reports", "Reports", {"expired": True}),
        ("read:one", "Read one", {}),
    ]:
        factories.KeyServiceFactory(
            key=key, service__code=code, service__name=name, **traits
        )
    return key


@pytest.fixture
def ask(key):
    """Validate a good request, changed by the arguments; ``None`` leaves one out.

    Returns the request, or the refusal that was raised.
    """

    def ask(raw="", *, registry_id=None, old_generation=False, **changes):
        values = {
            "client_id": key.client_id,
            "redirect_uri": REDIRECT,
            "response_type": "code",
            "scope": "calendar_events",
            "state": "xyz",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
        } | changes
        query = urlencode({name: v for name, v in values.items() if v is not None}) + raw
        try:
            return requests.validate(
                query.encode("latin-1"),
                registry_id=registry_id,
                now=timezone.now(),
                generation=OLD if old_generation else PRESENT,
            )
        except requests.AuthorizationError as refused:
            return refused

    return ask
