"""Two keys of one institution, and a client to send their requests."""

import pytest

from authserver.tests import factories
from authserver.tests.oauth_client import (
    REDIRECT,
    TokenClient,
    make_key,
    new_code,
    new_verifier,
)


@pytest.fixture
def user():
    return factories.UserFactory(
        username="alice", institution__registry_id="1001", principal_id="p-1"
    )


@pytest.fixture
def public(user):
    return make_key(user, "spa")


@pytest.fixture
def confidential(user):
    return make_key(user, "web", secret="web-secret")


@pytest.fixture
def verifier():
    return new_verifier()


@pytest.fixture
def token():
    return TokenClient()


@pytest.fixture
def code_request(user, public, verifier):
    """The parameters that redeem a fresh code."""

    def make(key=public, scope="calendar_events", **changes):
        return {
            "grant_type": "authorization_code",
            "code": new_code(user=user, key=key, scope=scope, verifier=verifier),
            "client_id": key.client_id,
            "redirect_uri": REDIRECT,
            "code_verifier": verifier,
        } | changes

    return make


@pytest.fixture
def refreshable(token, code_request):
    return token.query(
        **code_request(scope="calendar_events directory refresh_token")
    ).json()
