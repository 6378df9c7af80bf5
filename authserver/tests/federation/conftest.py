"""An institution whose people sign in at an issuer of its own."""

import pytest
from django.conf import settings
from django.core.cache import cache

from authserver.models import SignInRules
from authserver.tests import factories
from authserver.tests.federation import issuer as issuers
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
def visitor(db):
    return Visitor()


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
