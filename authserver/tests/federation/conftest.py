"""An institution whose people sign in at an issuer of its own."""

from urllib.parse import urlencode, urlsplit

import pytest
from django.conf import settings
from django.core.cache import cache

from authserver.models import SignInMethod, SignInRules
from authserver.tests import factories
from authserver.tests.conftest import CALLBACK, CHALLENGE
from authserver.tests.federation import issuer as issuers
from authserver.tests.federation import saml_provider
from authserver.tests.visitor import Visitor


@pytest.fixture(autouse=True)
def reaches_loopback(settings):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "FEDERATION_NETWORKS": ["127.0.0.0/8"]}
    cache.clear()


@pytest.fixture
def issuer():
    with issuers.running() as running:
        yield running


@pytest.fixture
def lakeview(db):
    return factories.InstitutionFactory(registry_id="1003", name="Lakeview College")


@pytest.fixture
def rules(lakeview):
    return SignInRules.objects.create(
        institution=lakeview, passwords=False, arrivals=SignInRules.Arrivals.MAKE
    )


@pytest.fixture
def method(lakeview, rules, issuer):
    return factories.SignInMethodFactory(institution=lakeview, issuer=issuer.url)


@pytest.fixture
def key(lakeview, northgate):
    service = factories.ServiceFactory(code="calendar_events", name="Calendar Events")
    return factories.ServiceKeyFactory(
        client_id="app",
        name="Campus Planner",
        redirect_uris=CALLBACK,
        institutions=[lakeview, northgate],
        services=[service],
    )


@pytest.fixture
def saml_method(lakeview, rules):
    return factories.SignInMethodFactory(
        institution=lakeview,
        kind=SignInMethod.Kind.SAML,
        issuer=saml_provider.ENTITY,
        client_id="",
        encrypted_secret="",
        metadata=saml_provider.metadata(),
    )


@pytest.fixture
def visitor(db):
    return Visitor()


def request_of(key, registry_id="", **changes):
    query = {
        "client_id": key.client_id,
        "redirect_uri": CALLBACK,
        "response_type": "code",
        "scope": "calendar_events",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        **changes,
    }
    return f"/oauth2/auth{registry_id and '/' + registry_id}?{urlencode(query)}"


def leave(visitor, institution, method=None):
    """Go to the provider of the institution; return where it left for."""
    visitor.open(f"/{settings.AUTH_MOUNT}login?institution={institution.registry_id}")
    if not visitor.left_for and method is None:
        visitor.follow("Continue")
    elif method is not None:
        visitor.follow(f"Sign in with {method.name}")
    return visitor.left_for


def come_back(visitor, issuer, institution, **changes):
    """Make the whole trip; ``changes`` is what is different in the answer."""
    visitor.open(issuer.back(leave(visitor, institution), **changes))
    return visitor


def post(visitor, answer, **fields):
    """Deliver a response as the provider's form does: without our cookies or a token."""
    address = urlsplit(answer.asked["acs"]).path
    kept = visitor.client.cookies.copy()
    visitor.client.cookies.clear()
    response = visitor.client.post(address, {"SAMLResponse": answer.encoded(), **fields})
    visitor.client.cookies = kept
    visitor.response, visitor.url = response, address
    if response.status_code == 302:
        visitor.open(response["Location"])
    return visitor
