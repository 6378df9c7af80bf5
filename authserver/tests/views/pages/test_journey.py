"""The journey in a browser: institution, login, grant, and back to the application."""

import datetime as dt
import re
from http import HTTPStatus

import pytest

from authserver.models import AuditEvent, Grant, PendingRequest
from authserver.tests import factories
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.django_db


def test_a_user_logs_in_allows_and_goes_back_with_a_code(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    assert visitor.heading == "Sign in"
    assert "Riverside University" in visitor.text
    assert "Campus Planner" in visitor.text

    log_in()
    assert visitor.heading == "Allow Campus Planner to act for you?"

    visitor.press("Allow")
    assert visitor.left_for.startswith("https://client.example/cb?")
    assert set(visitor.answer) == {"code", "state", "iss"}
    assert re.fullmatch("auth_[A-Za-z0-9]{43}", visitor.answer["code"])
    assert visitor.answer["state"] == "some state/&="
    assert Grant.objects.get().scope == "calendar_events directory"


def test_without_an_institution_the_user_chooses_one_first(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key, at=""))
    assert visitor.heading == "Choose your institution"

    visitor.press("institution=1001")
    log_in()
    visitor.press("Allow")

    assert Grant.objects.get().institution.registry_id == "1001"


def test_the_institution_page_is_shown_even_when_only_one_could_be_chosen(
    visitor, address, riverside, events_service
):
    lonely = factories.ServiceKeyFactory(
        services=[events_service], institutions=[riverside]
    )

    visitor.open(address(lonely, at="", scope="calendar_events"))

    assert visitor.heading == "Choose your institution"
    assert visitor.values("institution") == ["1001"]


def test_denying_tells_the_application_in_the_parameters_of_7_6(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    log_in()
    visitor.press("Deny")

    assert visitor.answer == {
        "error": "access_denied",
        "error_description": "the user denied access",
        "http_code": "403",
        "state": "some state/&=",
        "iss": "http://testserver",
    }
    assert not Grant.objects.exists()


def test_nothing_ticked_is_a_denial(visitor, address, key, alice, log_in):
    visitor.open(address(key))
    log_in()
    visitor.press("Allow", without=["scope"])

    assert visitor.answer["error"] == "access_denied"


def test_what_is_unticked_is_not_granted(visitor, address, key, alice, log_in):
    visitor.open(address(key))
    log_in()
    visitor.press("Allow", scope=["directory"])

    assert Grant.objects.get().scope == "directory"


def test_a_forged_tick_cannot_widen_the_request(visitor, address, key, alice, log_in):
    visitor.open(address(key, scope="directory"))
    log_in()
    visitor.press("Allow", scope=["directory", "calendar_events", "refresh_token"])

    assert Grant.objects.get().scope == "directory"


def test_the_refresh_token_is_asked_for_in_words(visitor, address, key, alice, log_in):
    visitor.open(address(key, scope="directory refresh_token"))
    log_in()

    assert "Stay connected Keep this access for 7 days" in visitor.text
    visitor.press("Allow", scope=["directory"])
    assert Grant.objects.get().scope == "directory"


def test_the_grant_page_says_who_what_and_where(visitor, address, key, alice, log_in):
    visitor.open(address(key))
    log_in()

    assert "Signed in as Alice Archer" in visitor.text
    assert "alice at Riverside University" in visitor.text
    assert "Calendar Events See, create and change events." in visitor.text
    assert "Your answer goes to client.example" in visitor.text


@pytest.mark.parametrize(
    ("redirect_uri", "words"),
    [
        ("http://127.0.0.1:51234/callback", "a program on this device (127.0.0.1:51234)"),
        ("com.example.app:/cb", "an application on this device (com.example.app)"),
    ],
)
def test_the_grant_page_names_native_destinations(
    visitor, address, key, alice, log_in, redirect_uri, words
):
    visitor.open(address(key, redirect_uri=redirect_uri))
    log_in()

    assert f"Your answer goes to {words}" in visitor.text
    visitor.press("Allow")
    assert visitor.left_for.startswith(f"{redirect_uri}?code=auth_")


def test_a_second_request_in_the_same_session_needs_no_second_login(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    log_in()
    visitor.press("Allow")

    visitor.open(address(key))

    assert visitor.heading == "Allow Campus Planner to act for you?"


def test_a_session_for_one_institution_never_serves_another(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    log_in()

    visitor.open(address(key, at="1002"))

    assert visitor.heading == "Sign in"
    assert "Northgate Public Library" in visitor.text


def test_the_same_username_at_the_other_institution_is_somebody_else(
    visitor, address, key, alice, northgate, log_in
):
    factories.UserFactory(username="alice", institution=northgate, password="other words")
    visitor.open(address(key, at="1002"))

    log_in()
    assert visitor.heading == "Sign in"

    log_in(password="other words")
    assert "alice at Northgate Public Library" in visitor.text


def test_an_account_that_was_moved_logs_in_again(
    visitor, address, key, alice, northgate, log_in
):
    visitor.open(address(key))
    log_in()
    alice.institution = northgate
    alice.save()

    visitor.open(address(key, at="1002"))

    assert visitor.heading == "Sign in"


def test_another_account_can_take_over_the_same_request(
    visitor, address, key, alice, riverside, log_in
):
    factories.UserFactory(username="bob", institution=riverside, full_name="Bob Baker")
    visitor.open(address(key))
    log_in()

    visitor.press("Use another account")
    assert visitor.heading == "Sign in"

    log_in(username="bob")
    assert "Signed in as Bob Baker" in visitor.text
    visitor.press("Allow")
    assert Grant.objects.get().user.username == "bob"


def test_opening_the_switch_address_ends_no_session(visitor, address, key, alice, log_in):
    visitor.open(address(key))
    log_in()

    visitor.open(visitor.url.replace("/grant", "/login/switch"))

    assert visitor.heading == "Allow Campus Planner to act for you?"


def test_the_answer_is_audited_with_who_which_key_and_where(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    log_in()
    visitor.press("Allow")

    event = AuditEvent.objects.get(action=AuditEvent.Action.ACCESS_GRANTED)
    assert (event.actor, event.client_id, event.registry_id, event.address) == (
        "alice@1001",
        "spa",
        "1001",
        "127.0.0.1",
    )


# What is no longer open, or never was this browser's (decisions 3.12).


def test_a_double_submit_yields_one_code_and_a_friendly_page(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    log_in()
    page, form = visitor.url, dict(visitor.page.forms[-1].form_values())
    visitor.press("Allow")

    visitor.send(page, {**form, "decision": "allow"})

    assert visitor.status == HTTPStatus.GONE
    assert visitor.heading == "This request is no longer open"
    assert "connect again" in visitor.text
    assert Grant.objects.count() == 1


def test_an_expired_request_says_so_on_every_page(
    visitor, address, key, alice, log_in, time_machine
):
    visitor.open(address(key))
    time_machine.move_to(dt.datetime.now(dt.UTC) + dt.timedelta(seconds=601))

    log_in()

    assert visitor.status == HTTPStatus.GONE
    assert visitor.heading == "This request is no longer open"


def test_a_request_begun_in_another_browser_is_not_served(visitor, address, key):
    visitor.open(address(key))

    stranger = Visitor().open(visitor.url)

    assert stranger.status == HTTPStatus.GONE
    assert stranger.heading == "This request is no longer open"


@pytest.mark.parametrize("page", ["institution", "login", "grant", "continue", "finish"])
@pytest.mark.parametrize("query", ["?request=nonsense", "?request=", "?request=%00%ff"])
def test_a_handle_that_is_none_is_answered_with_words(visitor, page, query):
    visitor.open(f"/oauth2/{page}{query}")

    assert visitor.status == HTTPStatus.GONE
    assert visitor.heading == "This request is no longer open"


@pytest.mark.parametrize("page", ["grant", "cancel", "continue", "finish", "login/switch"])
def test_a_step_without_any_request_is_answered_with_words(visitor, page):
    visitor.open(f"/oauth2/{page}")

    assert visitor.status == HTTPStatus.GONE


@pytest.mark.parametrize("page", ["grant", "continue", "finish"])
def test_a_later_page_sends_back_to_the_login(visitor, address, key, page):
    visitor.open(address(key))

    visitor.open(visitor.url.replace("/login", f"/{page}"))

    assert visitor.heading == "Sign in"


def test_nobody_skips_the_question_by_opening_the_last_page(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    log_in()

    visitor.open(visitor.url.replace("/grant", "/finish"))

    assert visitor.heading == "Allow Campus Planner to act for you?"
    assert not Grant.objects.exists()


def test_an_answer_that_is_neither_yes_nor_no_is_asked_again(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    log_in()

    visitor.press(scope=["directory"])

    assert visitor.status == HTTPStatus.BAD_REQUEST
    assert visitor.alert == "Please allow or deny."


def test_two_requests_in_two_tabs_do_not_disturb_each_other(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key, state="first"))
    first = visitor.url
    visitor.open(address(key, state="second"))
    log_in()
    visitor.press("Allow")
    assert visitor.answer["state"] == "second"

    visitor.open(first)
    visitor.press("Allow")

    assert visitor.answer["state"] == "first"
    assert PendingRequest.objects.filter(consumed_at__isnull=False).count() == 2


def test_a_key_that_is_canceled_meanwhile_sends_the_user_back(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    key.status = key.Status.CANCELED
    key.save()

    log_in()

    assert visitor.heading == "This request can't be completed"
    (refresh,) = visitor.page.xpath("//meta[@http-equiv='refresh']/@content")
    assert refresh.startswith("0; url=https://client.example/cb?error=invalid_client_id")


def test_a_user_disabled_on_the_grant_page_grants_nothing(
    visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    log_in()
    alice.is_active = False
    alice.save()

    visitor.press("Allow")

    assert visitor.heading == "Sign in"
    assert not Grant.objects.exists()
