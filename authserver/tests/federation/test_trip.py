"""The trip to a provider and back, in the middle of an application's request."""

from datetime import timedelta
from http import HTTPStatus

import pytest
import time_machine
from django.contrib.auth import HASH_SESSION_KEY
from django.utils import timezone

from authserver.models import AuditEvent, SignInRules, User
from authserver.tests import factories, openid
from authserver.tests.conftest import CALLBACK
from authserver.tests.federation.conftest import come_back, leave, request_of
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.both_databases


def test_the_only_way_in_is_gone_to_without_a_stop(visitor, issuer, method, key):
    visitor.open(request_of(key, "1003"))

    assert visitor.left_for.startswith(f"{issuer.url}/authorize?")


def test_the_request_is_answered_after_the_trip(visitor, issuer, method, key):
    visitor.open(request_of(key, "1003", state="abc"))

    visitor.open(issuer.back(visitor.left_for))
    assert visitor.heading.startswith("Allow")
    visitor.press("Allow")

    assert visitor.left_for.startswith(CALLBACK)
    assert visitor.answer["state"] == "abc"
    assert visitor.answer["code"].startswith("auth_")


def test_a_page_leads_there_from_the_choice_of_institutions(visitor, issuer, method, key):
    visitor.open(request_of(key))
    visitor.press("institution=1003")

    assert visitor.heading == "Sign in at your institution"
    (refresh,) = visitor.page.xpath("//meta[@http-equiv='refresh']/@content")
    assert "/login/at/" in refresh
    assert visitor.page.xpath("//a[text()='Choose another institution']")
    visitor.follow("Continue")
    visitor.open(issuer.back(visitor.left_for))
    assert visitor.heading.startswith("Allow")


def test_who_cancels_at_the_provider_has_ways_on(visitor, issuer, method, key):
    visitor.open(request_of(key))
    visitor.press("institution=1003")
    visitor.follow("Continue")

    visitor.open(issuer.back(visitor.left_for, code=None, error="access_denied"))

    assert visitor.response["x-svc-Reason"] == "cancelled"
    visitor.follow("Choose another institution")
    assert visitor.heading == "Choose your institution"
    visitor.press("institution=1002")
    assert visitor.heading == "Sign in"


def test_who_cancels_may_try_again(visitor, issuer, method, key):
    visitor.open(request_of(key, "1003"))
    visitor.open(issuer.back(visitor.left_for, code=None, error="access_denied"))

    visitor.follow("Try again")
    visitor.follow("Continue")
    visitor.open(issuer.back(visitor.left_for))

    assert visitor.heading.startswith("Allow")


def test_who_cancels_goes_back_to_the_application(visitor, issuer, method, key):
    visitor.open(request_of(key, "1003", state="abc"))
    visitor.open(issuer.back(visitor.left_for, code=None, error="access_denied"))

    visitor.press("Back to Campus Planner")

    assert visitor.heading == "Back to the application"
    (visitor.left_for,) = visitor.page.xpath("//a[text()='Continue']/@href")
    assert visitor.left_for.startswith(CALLBACK)
    assert (visitor.answer["error"], visitor.answer["state"]) == ("access_denied", "abc")
    assert AuditEvent.objects.filter(action="access_denied", registry_id="1003").exists()


def test_no_other_institution_is_offered_where_the_application_named_one(
    visitor, issuer, method, key
):
    visitor.open(request_of(key, "1003"))

    visitor.open(issuer.back(visitor.left_for, code=None, error="access_denied"))

    assert "Choose another institution" not in visitor.text


def test_a_request_that_is_over_leads_back_to_no_application(visitor, issuer, method, key):
    visitor.open(request_of(key, "1003"))
    first = visitor.left_for
    visitor.open(visitor.url)
    visitor.open(issuer.back(visitor.left_for, code=None, error="access_denied"))
    visitor.press("Back to Campus Planner")

    visitor.open(issuer.back(first, code=None, error="access_denied"))

    assert visitor.heading == "You are not signed in"
    assert "Campus Planner" not in visitor.text


def test_a_forged_form_sends_nobody_back(visitor, issuer, method, key):
    visitor.open(request_of(key, "1003"))
    visitor.open(issuer.back(visitor.left_for, code=None, error="access_denied"))
    (address,) = visitor.page.xpath("//form/@action")

    assert visitor.send(address).status == HTTPStatus.FORBIDDEN
    assert visitor.open(address).heading == "Sign in at your institution"


def test_an_answer_that_comes_again_after_the_code_was_issued_is_over(
    visitor, issuer, method, key
):
    visitor.open(request_of(key, "1003"))
    back = issuer.back(visitor.left_for)
    visitor.open(back)
    visitor.press("Allow")

    visitor.open(back)

    assert visitor.left_for == ""
    assert visitor.response["x-svc-Reason"] == "trip_unknown"


def test_the_context_of_the_scope_leads_there_without_a_stop(visitor, issuer, method, key):
    visitor.open(request_of(key, scope="calendar_events context:1003"))

    assert visitor.left_for.startswith(f"{issuer.url}/authorize?")


def test_the_back_button_and_another_try_work(visitor, issuer, method, key):
    visitor.open(request_of(key, "1003"))
    first = visitor.left_for
    visitor.open(visitor.url)
    second = visitor.left_for

    visitor.open(issuer.back(second))
    assert visitor.heading.startswith("Allow")
    visitor.open(issuer.back(first))

    assert visitor.heading.startswith("Allow")


def test_two_tabs_go_their_ways(visitor, issuer, method, key):
    visitor.open(request_of(key, "1003", state="one"))
    first = visitor.left_for
    visitor.open(request_of(key, "1003", state="two"))
    second = visitor.left_for

    visitor.open(issuer.back(second))
    visitor.press("Allow")
    assert visitor.answer["state"] == "two"
    visitor.open(issuer.back(first))
    visitor.press("Allow")

    assert visitor.answer["state"] == "one"


def test_a_tab_with_a_password_does_not_end_the_trip_of_another(
    visitor, issuer, method, key, northgate
):
    carol = factories.UserFactory(institution=northgate)
    visitor.open(request_of(key, "1003", state="one"))
    location = visitor.left_for
    visitor.open("/oauth2/login?institution=1002")
    visitor.press("Sign in", username=carol.username, password=factories.PASSWORD)

    visitor.open(issuer.back(location))

    assert visitor.heading.startswith("Allow")


def test_the_trip_may_take_twenty_minutes(visitor, issuer, method, key):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        visitor.open(request_of(key))
        clock.shift(timedelta(minutes=9))
        visitor.press("institution=1003")
        visitor.follow("Continue")
        location = visitor.left_for
        clock.shift(timedelta(minutes=19, seconds=59))

        visitor.open(issuer.back(location))
        clock.shift(timedelta(minutes=9))
        visitor.press("Allow")

        assert visitor.answer["code"].startswith("auth_")


def test_a_trip_that_took_longer_is_refused_in_words(visitor, issuer, method, key):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        visitor.open(request_of(key, "1003"))
        location = visitor.left_for
        clock.shift(timedelta(minutes=20, seconds=1))

        visitor.open(issuer.back(location))

        assert visitor.response["x-svc-Reason"] == "trip_unknown"


def test_several_ways_are_offered(visitor, issuer, method, lakeview, rules):
    rules.passwords = True
    rules.save()
    user = factories.UserFactory(institution=lakeview)

    visitor.open("/oauth2/login?institution=1003")

    assert visitor.page.xpath("//a[contains(., 'Sign in with University account')]")
    visitor.press("Sign in", username=user.username, password=factories.PASSWORD)
    assert visitor.heading == "My account"


@pytest.mark.parametrize("page", ["/oauth2/login?institution=1003", "/admin/login/"])
def test_a_password_counts_nowhere_where_the_institution_has_none(
    issuer, method, lakeview, page
):
    user = factories.UserFactory(institution=lakeview, is_staff=True)
    name = user.username if "oauth2" in page else user.login
    client = Visitor().client
    client.handler.enforce_csrf_checks = False

    client.post(page, {"username": name, "password": factories.PASSWORD})

    assert "_auth_user_id" not in client.session


def test_a_provider_that_is_not_open_yet_is_not_offered(visitor, method, rules):
    rules.passwords = True
    rules.save()
    method.is_active = False
    method.save()

    visitor.open("/oauth2/login?institution=1003")
    assert not visitor.page.xpath("//a[contains(., 'University account')]")

    visitor.open(f"/oauth2/login/at/{method.provider_id}?institution=1003")
    assert (visitor.left_for, visitor.heading) == ("", "Sign in")


def test_a_provider_of_another_institution_is_not_gone_to(visitor, method, northgate):
    visitor.open(f"/oauth2/login/at/{method.provider_id}?institution=1002")

    assert (visitor.left_for, visitor.heading) == ("", "Sign in")


def test_another_person_signs_in_after_the_account_was_switched(
    visitor, issuer, method, key
):
    visitor.open(request_of(key, "1003"))
    visitor.open(issuer.back(visitor.left_for))
    visitor.press("Use another account")
    visitor.follow("Continue")
    assert "prompt=login" in visitor.left_for
    issuer.claims = {"sub": "bea-1", "preferred_username": "bea"}

    visitor.open(issuer.back(visitor.left_for))

    assert "bea" in visitor.text
    assert User.objects.count() == 2


@pytest.fixture
def with_openid(settings):
    openid.switch_on(settings)
    return {"scope": "openid calendar_events"}


def test_nobody_is_led_to_the_provider_where_no_page_may_be_shown(
    visitor, issuer, method, key, with_openid
):
    visitor.open(request_of(key, "1003", prompt="none", **with_openid))

    assert visitor.answer["error"] == "login_required"


@pytest.mark.parametrize("asked", [{"prompt": "login"}, {"max_age": "0"}])
def test_a_fresh_sign_in_of_an_application_is_asked_of_the_provider(
    visitor, issuer, method, key, lakeview, with_openid, asked
):
    come_back(visitor, issuer, lakeview)

    visitor.open(request_of(key, "1003", **asked, **with_openid))

    assert visitor.left_for.startswith(f"{issuer.url}/authorize?")
    assert "prompt=login" in visitor.left_for
    assert visitor.open(issuer.back(visitor.left_for)).heading.startswith("Allow")


def test_signing_in_is_on_record(visitor, issuer, method, lakeview):
    come_back(visitor, issuer, lakeview)
    visitor.open("/oauth2/logout")
    visitor.press("Sign out")

    actions = AuditEvent.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["account_made", "login_succeeded", "logged_out"]


def test_the_login_page_asks_as_much_of_the_database_however_many_providers_there_are(
    visitor, method, lakeview, rules, django_assert_max_num_queries
):
    rules.passwords = True
    rules.save()
    with django_assert_max_num_queries(12) as few:
        visitor.open("/oauth2/login?institution=1003")
    for _ in range(5):
        factories.SignInMethodFactory(institution=lakeview)

    with django_assert_max_num_queries(len(few)):
        visitor.open("/oauth2/login?institution=1003")


def test_an_institution_without_rules_has_passwords_and_makes_nobody(
    visitor, issuer, lakeview
):
    method = factories.SignInMethodFactory(institution=lakeview, issuer=issuer.url)
    leave(visitor, lakeview, method)

    visitor.open(issuer.back(visitor.left_for))

    assert visitor.response["x-svc-Reason"] == "account_unknown"
    assert SignInRules.objects.count() == 0


@pytest.mark.parametrize("password", [None, factories.PASSWORD])
def test_a_fresh_sign_in_is_asked_of_the_provider_anew(
    settings, clock, visitor, issuer, method, lakeview, password
):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "FRESH_SIGN_IN_SECONDS": 900}
    come_back(visitor, issuer, lakeview)
    if password:  # of before there was a provider
        User.objects.update(password=factories.UserFactory.build().password)
        kept = visitor.client.session
        kept[HASH_SESSION_KEY] = User.objects.get().get_session_auth_hash()
        kept.save()
    assert visitor.open("/oauth2/access").heading == "My account"
    clock(901)

    visitor.open("/oauth2/factors/app").follow("Continue")

    assert "prompt=login" in visitor.left_for


def test_a_superuser_needs_a_factor_of_this_server_whatever_the_provider_says(
    settings, visitor, issuer, method, lakeview
):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "PLATFORM_NEEDS_SECOND_FACTOR": True}
    assert come_back(visitor, issuer, lakeview).heading == "My account"
    User.objects.update(is_superuser=True)

    assert visitor.open("/oauth2/access").heading == "Second factors"
    assert visitor.open("/admin/").heading == "Second factors"
