"""How many requests to providers a process has under way, and for whom."""

import threading
from contextlib import ExitStack, contextmanager

import pytest

from authserver.federation import outgoing
from authserver.models import SignInRules
from authserver.tests import factories
from authserver.tests.federation import issuer as issuers
from authserver.tests.federation.conftest import come_back, leave
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.both_databases
DISCOVERY = "/.well-known/openid-configuration"


@contextmanager
def waiting(institution, *, path="/slow"):
    """Have a request for the institution under way, which its provider does not answer."""
    asked, over = threading.Event(), threading.Event()

    def wait(handler):
        asked.set()
        over.wait(30)
        handler.send_error(503)

    def ask():
        with outgoing.asked_by(institution.pk), outgoing.session() as session:
            session.get(f"{running.url}{path}")

    with issuers.running() as running:
        running.answers = {path: wait}
        thread = threading.Thread(target=ask)
        thread.start()
        assert asked.wait(10)
        try:
            yield
        finally:
            over.set()
            thread.join()


@pytest.fixture
def northgate_issuer(northgate):
    with issuers.running() as other:
        SignInRules.objects.create(
            institution=northgate, passwords=True, arrivals=SignInRules.Arrivals.MAKE
        )
        factories.SignInMethodFactory(institution=northgate, issuer=other.url)
        yield other


def test_slow_providers_of_an_institution_keep_its_own_people_from_signing_in(
    visitor, issuer, method, lakeview
):
    with waiting(lakeview), waiting(lakeview):
        leave(visitor, lakeview)

        assert (visitor.status, visitor.response["Retry-After"]) == (503, "5")
        assert visitor.response["x-svc-Reason"] == "provider_busy"
        assert "Try again in a moment" in visitor.alert
        assert issuer.asked == []

    visitor.follow("Try again")
    assert come_back(Visitor(), issuer, lakeview).heading == "My account"


def test_slow_providers_of_an_institution_keep_nobody_else_from_signing_in(
    visitor, issuer, method, lakeview, northgate, northgate_issuer
):
    with waiting(lakeview), waiting(lakeview):
        visitor.open("/oauth2/login?institution=1002")
        visitor.follow("Sign in with University account")
        visitor.open(northgate_issuer.back(visitor.left_for))
        assert visitor.heading == "My account"

        ours = factories.UserFactory(institution=northgate)
        other = Visitor().open("/oauth2/login?institution=1002")
        other.press("Sign in", username=ours.username, password=factories.PASSWORD)
        assert other.heading == "My account"


def test_a_process_has_so_many_requests_under_way_whoever_asks(
    visitor, issuer, method, lakeview, northgate
):
    third = factories.InstitutionFactory(registry_id="1077", name="Third College")
    with ExitStack() as held:
        for institution in (northgate, northgate, third):
            held.enter_context(waiting(institution))

        leave(visitor, lakeview)

        assert visitor.response["x-svc-Reason"] == "provider_busy"


def test_who_comes_back_while_the_provider_is_busy_is_told_so(
    visitor, issuer, method, lakeview
):
    address = issuer.back(leave(visitor, lakeview))

    with waiting(lakeview), waiting(lakeview):
        visitor.open(address)

    assert visitor.response["x-svc-Reason"] == "provider_busy"


def test_a_slot_is_given_back_whatever_became_of_the_request(
    visitor, issuer, method, lakeview
):
    for answer in ((500, {}), b"", b"[" * 9):
        issuer.answers = {DISCOVERY: answer}
        for _ in range(4):
            leave(Visitor(), lakeview)
    issuer.answers = {}

    assert come_back(visitor, issuer, lakeview).heading == "My account"
