"""How fresh a sign-in by a provider is: as fresh as the provider says, and proves."""

from copy import deepcopy
from urllib.parse import urlsplit

import jwt
import pytest
import time_machine
from django.utils import timezone

from authserver.models import AuditEvent, User
from authserver.tests import openid
from authserver.tests.conftest import CALLBACK, VERIFIER
from authserver.tests.federation.conftest import leave, post, request_of
from authserver.tests.federation.issuer import Ahead
from authserver.tests.federation.saml_provider import Answer, request_at
from authserver.tests.oauth_client import TokenClient

pytestmark = pytest.mark.both_databases
HOUR = 3600
PROTECTED = "/oauth2/factors/app"
LEADS_THERE = "Sign in at your institution"


class Oidc:
    leeway = 60

    def __init__(self, issuer):
        self.issuer = issuer

    def asks_anew(self, location):
        return "prompt=login" in location and "max_age=0" in location

    def answer(self, visitor, location, said):
        """Come back with a moment, in seconds from now, ``None`` for none."""
        self.issuer.token = {"auth_time": said if said is None else Ahead(said)}
        return visitor.open(self.issuer.back(location))


class Saml:
    leeway = 300
    answers = 0

    def asks_anew(self, location):
        return request_at(location).get("ForceAuthn") == "true"

    def answer(self, visitor, location, said):
        self.answers += 1
        answer = Answer(location, instant=said, identifier=f"_{self.answers}")
        return post(visitor, answer.sign())


@pytest.fixture(params=["oidc", "saml"])
def provider(request):
    if request.param == "oidc":
        request.getfixturevalue("method")
        return Oidc(request.getfixturevalue("issuer"))
    request.getfixturevalue("saml_method")
    return Saml()


@pytest.fixture(autouse=True)
def _is_to_be_fresh(settings):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "FRESH_SIGN_IN_SECONDS": 900}
    openid.switch_on(settings)


@pytest.fixture
def clock():
    with time_machine.travel(timezone.now().replace(microsecond=400_000), tick=False) as at:
        yield at.shift


@pytest.fixture
def arrived(provider, visitor, lakeview):
    """Somebody who signed in at the provider an hour before they came here."""
    return provider.answer(visitor, leave(visitor, lakeview), -HOUR)


def refused(visitor, reason="sign_in_old"):
    assert visitor.status == 403
    assert visitor.response["x-svc-Reason"] == reason
    assert "_auth_user_id" not in visitor.client.session


def test_a_sign_in_is_as_old_as_the_provider_says(provider, arrived):
    assert arrived.heading == "My account"

    arrived.open(PROTECTED)

    assert arrived.heading == LEADS_THERE


def test_going_to_the_provider_without_being_sent_makes_nothing_fresh(
    provider, arrived, lakeview
):
    arrived.open("/oauth2/logout").press("Sign out")
    location = leave(arrived, lakeview)
    assert not provider.asks_anew(location)

    provider.answer(arrived, location, -HOUR)

    assert arrived.open(PROTECTED).heading == LEADS_THERE


def test_who_was_asked_anew_touches_what_is_protected(provider, arrived, lakeview):
    arrived.open(PROTECTED)
    location = leave(arrived, lakeview)
    assert provider.asks_anew(location)

    provider.answer(arrived, location, 0)

    assert urlsplit(arrived.url).path == PROTECTED
    assert arrived.open("/oauth2/access").heading == "My account"


def test_who_is_asked_anew_needs_no_picker(provider, arrived, lakeview):
    arrived.open(PROTECTED).follow("Continue")

    assert provider.asks_anew(arrived.left_for)


def test_who_has_several_ways_in_is_asked_at_their_institution(provider, arrived, rules):
    rules.passwords = True
    rules.save()

    arrived.open(PROTECTED)

    assert arrived.heading == "Sign in"
    assert "Lakeview College" in arrived.text


def test_a_provider_that_does_not_ask_anew_is_refused(provider, arrived, lakeview):
    arrived.open(PROTECTED)

    provider.answer(arrived, leave(arrived, lakeview), -HOUR)

    refused(arrived)
    assert "did not ask once more who you are" in arrived.alert
    last = AuditEvent.objects.latest("pk")
    assert (last.action, last.reason) == ("arrival_refused", "sign_in_old")


def test_an_issuer_that_says_no_moment_is_refused_where_it_matters(
    issuer, method, visitor, lakeview
):
    silent = Oidc(issuer)
    silent.answer(visitor, leave(visitor, lakeview), None)
    visitor.open(PROTECTED)

    silent.answer(visitor, leave(visitor, lakeview), None)

    refused(visitor)


@pytest.mark.parametrize("change", ["", "no moment", "twice"])
def test_a_saml_answer_says_one_moment(visitor, saml_method, lakeview, change):
    answer = Answer(leave(visitor, lakeview))
    statement = answer.find(".//saml:AuthnStatement")
    if change == "twice":
        statement.addnext(deepcopy(statement))
    elif change == "no moment":
        del statement.attrib["AuthnInstant"]
    else:
        statement.getparent().remove(statement)

    refused(post(visitor, answer.sign()), "answer_invalid")


def test_a_refused_arrival_changes_nothing_of_the_account(
    provider, arrived, lakeview, issuer
):
    arrived.open(PROTECTED)
    User.objects.update(full_name="Written here")

    provider.answer(arrived, leave(arrived, lakeview), -HOUR)

    assert User.objects.get().full_name == "Written here"


def test_clocks_may_differ_as_they_may_elsewhere(provider, arrived, lakeview, clock):
    for said, is_fresh in [
        (-provider.leeway, True),
        (-provider.leeway - 1, False),
        (provider.leeway, True),
    ]:
        arrived.client.logout()
        provider.answer(arrived, leave(arrived, lakeview), -HOUR)
        arrived.open(PROTECTED)
        provider.answer(arrived, leave(arrived, lakeview), said)
        assert (arrived.status == 200) is is_fresh, said


def test_a_moment_that_is_to_come_is_refused(provider, visitor, lakeview, clock):
    provider.answer(visitor, leave(visitor, lakeview), provider.leeway + 1)

    refused(visitor, "answer_invalid")


@pytest.mark.parametrize("said", ["now", True, [1], {}, 2**70, 1e400, -(2**70)], ids=str)
def test_a_moment_that_is_none_is_no_moment(visitor, method, issuer, lakeview, said):
    issuer.token = {"auth_time": said}
    visitor.open(issuer.back(leave(visitor, lakeview)))
    assert visitor.heading == "My account"
    visitor.open(PROTECTED)

    visitor.open(issuer.back(leave(visitor, lakeview)))

    refused(visitor)


@pytest.mark.parametrize("asked", [{"prompt": "login"}, {"max_age": "60"}], ids=str)
def test_an_application_that_wants_a_recent_sign_in_gets_no_older_one(
    provider, arrived, key, asked
):
    arrived.open(request_of(key, "1003", scope="openid calendar_events", **asked))
    location = arrived.left_for
    assert provider.asks_anew(location)

    provider.answer(arrived, location, -HOUR)

    assert arrived.response["x-svc-Reason"] == "sign_in_old"
    arrived.follow("Try again")
    provider.answer(arrived, leave_again(arrived), 0)
    assert arrived.press("Allow").answer["code"]


def leave_again(visitor):
    return visitor.left_for or visitor.follow("Continue").left_for


def test_an_application_is_told_when_the_person_signed_in_at_the_provider(
    provider, arrived, key
):
    claims = id_token(arrived, key)

    assert claims["iat"] - claims["auth_time"] >= HOUR


def test_an_application_is_told_no_moment_where_the_issuer_tells_none(
    issuer, method, visitor, lakeview, key
):
    Oidc(issuer).answer(visitor, leave(visitor, lakeview), None)

    assert "auth_time" not in id_token(visitor, key)


def id_token(visitor, key):
    visitor.open(request_of(key, "1003", scope="openid calendar_events"))
    code = visitor.press("Allow").answer["code"]
    answer = TokenClient().form(
        grant_type="authorization_code",
        client_id=key.client_id,
        code=code,
        redirect_uri=CALLBACK,
        code_verifier=VERIFIER,
    )
    return jwt.decode(answer.json()["id_token"], options={"verify_signature": False})


def test_another_account_is_taken_though_the_issuer_says_no_moment(
    issuer, method, visitor, key
):
    silent = Oidc(issuer)
    visitor.open(request_of(key, "1003"))
    silent.answer(visitor, visitor.left_for, None)
    visitor.press("Use another account")
    location = leave_again(visitor)
    assert silent.asks_anew(location)

    silent.answer(visitor, location, None)

    assert visitor.heading.startswith("Allow")
