"""Consents remembered, shown as granted before, taken back (decisions 3.8)."""

import datetime as dt

import pytest

from authserver.models import (
    AccessToken,
    AuditEvent,
    Consent,
    Grant,
    RefreshToken,
    ServiceKey,
)
from authserver.tests import factories

pytestmark = pytest.mark.django_db

GRANT = "Allow Library Portal to act for you?"


@pytest.fixture
def allowed(visitor, address, confidential_key, alice, log_in):
    """A visitor who allowed the confidential key the directory once."""
    visitor.open(address(confidential_key, scope="directory"))
    log_in()
    return visitor.press("Allow")


def marked(visitor):
    """What the grant page marks as allowed before."""
    return visitor.page.xpath("//label[.//*[@class='tag']]//input/@value")


def test_what_was_allowed_is_not_asked_again(allowed, address, confidential_key):
    allowed.open(address(confidential_key, scope="directory", state="again"))

    assert allowed.answer["code"].startswith("auth_")
    assert allowed.answer["state"] == "again"


def test_less_than_what_was_allowed_is_not_asked_either(
    visitor, address, confidential_key, alice, log_in
):
    visitor.open(address(confidential_key))
    log_in()
    visitor.press("Allow")

    visitor.open(address(confidential_key, scope="directory"))

    assert Grant.objects.order_by("pk").last().scope == "directory"


def test_more_is_asked_and_what_was_allowed_is_marked(allowed, address, confidential_key):
    allowed.open(address(confidential_key, scope="calendar_events directory"))

    assert allowed.heading == GRANT
    assert marked(allowed) == ["directory"]


def test_a_refresh_token_for_the_first_time_is_asked(allowed, address, confidential_key):
    allowed.open(address(confidential_key, scope="directory refresh_token"))

    assert allowed.heading == GRANT
    assert "Stay connected" in allowed.text


def test_a_context_is_no_right_and_asks_nothing(allowed, address, confidential_key):
    allowed.open(address(confidential_key, scope="directory context:1001"))

    assert allowed.answer["code"].startswith("auth_")


def test_what_was_allowed_at_one_institution_is_asked_at_another(
    allowed, address, confidential_key, northgate, log_in
):
    factories.UserFactory(username="carol", institution=northgate)
    allowed.open(address(confidential_key, scope="directory", at="1002"))

    log_in(username="carol")

    assert allowed.heading == GRANT


def test_a_public_key_is_asked_every_time(visitor, address, key, alice, log_in):
    visitor.open(address(key))
    log_in()
    visitor.press("Allow")

    visitor.open(address(key))

    assert visitor.heading == "Allow Campus Planner to act for you?"
    assert not Consent.objects.exists()


def test_what_a_public_key_holds_is_marked(visitor, address, key, alice, northgate, log_in):
    factories.RefreshTokenFactory(user=alice, application=key, scope="directory")
    factories.RefreshTokenFactory(user=alice, scope="calendar_events")
    factories.RefreshTokenFactory(
        user=alice, application=key, institution=northgate, scope="calendar_events"
    )
    visitor.open(address(key))

    log_in()

    assert marked(visitor) == ["directory"]


def test_a_public_key_with_claimed_addresses_is_remembered(
    visitor, address, key, alice, log_in
):
    key.claimed_https = True
    key.save()
    visitor.open(address(key))
    log_in()
    visitor.press("Allow")

    visitor.open(address(key))

    assert visitor.answer["code"].startswith("auth_")


@pytest.mark.parametrize("unclaimed", ["http://127.0.0.1/callback", "com.example.app:/cb"])
def test_a_consent_for_a_claimed_address_is_none_for_the_keys_other_addresses(
    visitor, address, key, alice, log_in, unclaimed
):
    key.claimed_https = True
    key.save()
    visitor.open(address(key))
    log_in()
    visitor.press("Allow")

    visitor.open(address(key, redirect_uri=unclaimed))

    assert visitor.heading == "Allow Campus Planner to act for you?"


@pytest.mark.parametrize("hint", ["approval_prompt", "prompt", "skip_authorization"])
@pytest.mark.parametrize("value", ["auto", "none", "true"])
def test_no_hint_of_the_application_skips_the_question(
    visitor, address, key, alice, log_in, hint, value
):
    factories.AccessTokenFactory(
        user=alice, application=key, scope="calendar_events directory"
    )
    visitor.open(address(key))
    log_in()

    visitor.open(address(key, **{hint: value}))

    assert visitor.heading == "Allow Campus Planner to act for you?"


def test_a_consent_ends_after_ninety_days(
    allowed, address, confidential_key, log_in, time_machine
):
    time_machine.move_to(dt.datetime.now(dt.UTC) + dt.timedelta(days=90, seconds=1))

    allowed.open(address(confidential_key, scope="directory"))
    log_in()

    assert allowed.heading == GRANT
    assert "Allowed before" not in allowed.text


def test_a_consent_of_another_user_is_worth_nothing(
    allowed, address, confidential_key, riverside, log_in
):
    factories.UserFactory(username="bob", institution=riverside)
    allowed.open(address(confidential_key))
    allowed.press("Use another account")

    log_in(username="bob")

    assert "Allowed before" not in allowed.text


def test_after_a_login_a_page_goes_on_by_itself(
    visitor, address, confidential_key, alice, riverside, log_in
):
    factories.ConsentFactory(
        user=alice, key=confidential_key, institution=riverside, scope="directory"
    )
    visitor.open(address(confidential_key, scope="directory"))

    log_in()

    assert visitor.heading == "You are signed in"
    (refresh,) = visitor.page.xpath("//meta[@http-equiv='refresh']/@content")
    link = visitor.page.xpath("//a[@class='button']/@href")[0]
    assert refresh == f"0; url={link}"
    assert visitor.follow("Continue").answer["code"].startswith("auth_")


def test_a_consent_withdrawn_meanwhile_is_asked_again(
    visitor, address, confidential_key, alice, riverside, log_in
):
    consent = factories.ConsentFactory(
        user=alice, key=confidential_key, institution=riverside, scope="directory"
    )
    visitor.open(address(confidential_key, scope="directory"))
    log_in()
    consent.delete()

    visitor.follow("Continue")

    assert visitor.heading == GRANT


# My account.


def test_my_access_leads_through_institution_and_login_without_an_application(
    visitor, alice, log_in
):
    visitor.open("/oauth2/access")
    assert visitor.heading == "Choose your institution"

    visitor.press("institution=1001")
    assert visitor.heading == "Sign in"

    log_in()
    assert visitor.heading == "My account"
    assert "None. When you allow an application" in visitor.text


def test_an_inactive_institution_is_not_offered(visitor, alice):
    factories.InstitutionFactory(registry_id="1009", inactive=True)

    visitor.open("/oauth2/institution")
    assert visitor.values("institution") == ["1001"]

    visitor.open("/oauth2/login?institution=1009")
    assert visitor.heading == "Choose your institution"


def test_it_lists_what_was_allowed_by_application_and_institution(allowed):
    allowed.open("/oauth2/access")

    assert "Library Portal Institution Riverside University Services Directory" in (
        allowed.text
    )


def test_it_lists_public_applications_by_their_tokens(
    visitor, alice, key, events_service, log_in
):
    factories.RefreshTokenFactory(user=alice, application=key)
    visitor.open("/oauth2/login?institution=1001")

    log_in()

    assert "Campus Planner" in visitor.text
    assert "Services Calendar Events, Stay connected" in visitor.text


def test_it_lists_nothing_of_others_and_nothing_that_has_ended(
    visitor, alice, riverside, log_in
):
    factories.RefreshTokenFactory(application__name="Of somebody else")
    factories.AccessTokenFactory(user=alice, application__name="Expired", expired=True)
    factories.AccessTokenFactory(user=alice, application__name="Revoked", revoked=True)
    visitor.open("/oauth2/login?institution=1001")

    log_in()

    assert "None. When you allow an application" in visitor.text


@pytest.mark.parametrize("count", [1, 5])
def test_it_costs_the_same_however_many_applications(
    visitor, alice, log_in, count, django_assert_num_queries
):
    for _ in range(count):
        factories.AccessTokenFactory(user=alice)
    visitor.open("/oauth2/login?institution=1001")
    log_in()

    # session, user; consents, refresh and access tokens, when they were last issued; keys,
    # institutions, services; permissions of the user and of groups; second factors and
    # passkeys, providers
    with django_assert_num_queries(14):
        visitor.open("/oauth2/access")


def test_withdrawing_kills_every_token_of_the_application_and_no_other(
    allowed, alice, confidential_key, address
):
    refresh = factories.RefreshTokenFactory(user=alice, application=confidential_key)
    access = factories.AccessTokenFactory(user=alice, application=confidential_key)
    other = factories.AccessTokenFactory(user=alice)
    allowed.open("/oauth2/access")

    allowed.press(f"application={confidential_key.client_id}")

    assert "Library Portal can no longer act for you." in allowed.text
    assert RefreshToken.objects.get(pk=refresh.pk).revoked is not None
    assert AccessToken.objects.get(pk=access.pk).revoked_at is not None
    assert AccessToken.objects.get(pk=other.pk).revoked_at is None
    assert Grant.objects.get().redeemed_at is not None
    event = AuditEvent.objects.get(action=AuditEvent.Action.ACCESS_REVOKED)
    assert (event.actor, event.subject) == ("alice@1001", "alice@1001")
    assert event.client_id == "web"
    allowed.open(address(confidential_key, scope="directory"))
    assert allowed.heading == GRANT


@pytest.mark.parametrize("client_id", ["nobody", "", "a\x00b"])
def test_withdrawing_what_is_not_there_changes_nothing(allowed, client_id):
    allowed.open("/oauth2/access")
    token = allowed.field("csrfmiddlewaretoken").get("value")

    allowed.send("/oauth2/access", {"application": client_id, "csrfmiddlewaretoken": token})

    assert allowed.heading == "My account"
    assert Consent.objects.get().revoked_at is None


def test_my_access_says_that_a_canceled_application_can_no_longer_act(
    visitor, address, key, alice, log_in
):
    factories.AccessTokenFactory(user=alice, application=key, scope="calendar_events")
    visitor.open(address(key))
    log_in()
    assert "has been canceled" not in visitor.open("/oauth2/access").text
    key.status = ServiceKey.Status.CANCELED
    key.save()

    visitor.open("/oauth2/access")

    assert "Campus Planner This application has been canceled." in visitor.text
    visitor.press(f"application={key.client_id}")
    assert "has been canceled" not in visitor.text


def test_an_administrator_of_the_platform_has_an_account_page_too(visitor):
    factories.UserFactory(username="admin", administrator=True)
    visitor.open("/admin/login/")
    visitor.press("Log in", username="admin", password=factories.PASSWORD)

    visitor.open("/oauth2/access")

    assert visitor.heading == "My account"


def test_a_choice_of_institution_goes_on_too_where_nothing_is_left_to_ask(
    allowed, address, confidential_key
):
    allowed.open(address(confidential_key, scope="directory", at=""))

    allowed.press("institution=1001")

    assert allowed.heading == "You are signed in"
    assert allowed.follow("Continue").answer["code"].startswith("auth_")
