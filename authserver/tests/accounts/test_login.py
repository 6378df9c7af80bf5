"""Logging in: one message for every failure, equal work, and what becomes of odd input."""

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.hashers import BasePasswordHasher
from django.test import RequestFactory

from authserver.models import AuditEvent
from authserver.tests import factories

pytestmark = pytest.mark.django_db

FAILURE = "The username or the password is not right. Please try again."
FULL_WIDTH_ALICE = "\uff41\uff4c\uff49\uff43\uff45"
Action = AuditEvent.Action


@pytest.fixture
def login_page(visitor, address, key):
    return visitor.open(address(key))


def is_logged_in(visitor):
    return visitor.heading.startswith("Allow ")


@pytest.mark.parametrize(
    ("username", "password"),
    [
        ("nobody", factories.PASSWORD),
        ("alice", "wrong"),
        ("dora", factories.PASSWORD),
        ("alice@1001", factories.PASSWORD),
        ("admin", factories.PASSWORD),
        ("carol", factories.PASSWORD),
        ("a\x00lice", factories.PASSWORD),
        ("alice", factories.PASSWORD + "\x00"),
        ("a" * 151, factories.PASSWORD),
        ("alice", "p" * 1025),
        ("", factories.PASSWORD),
        ("alice", ""),
        ("   ", "   "),
        ("😀", "😀"),
    ],
)
def test_every_failure_has_the_same_message(
    login_page, alice, riverside, northgate, username, password
):
    factories.UserFactory(username="dora", institution=riverside, disabled=True)
    factories.UserFactory(username="carol", institution=northgate)
    factories.UserFactory(username="admin", administrator=True)

    login_page.press("Sign in", username=username, password=password)

    assert login_page.status == 200
    assert login_page.alert == FAILURE
    assert "sessionid" not in login_page.client.cookies


@pytest.mark.parametrize(
    "typed", ["alice", "ALICE", "Alice", "\uff41\uff4c\uff49\uff43\uff45", "  alice  "]
)
def test_a_username_is_found_however_it_is_typed(login_page, alice, log_in, typed):
    log_in(username=typed)

    assert is_logged_in(login_page)


def test_a_password_is_taken_as_it_is_typed(login_page, riverside, log_in):
    factories.UserFactory(username="eve", institution=riverside, password="  spaces  ")

    log_in(username="eve", password="spaces")
    assert login_page.alert == FAILURE

    log_in(username="eve", password="  spaces  ")
    assert is_logged_in(login_page)


def test_an_inactive_institution_lets_nobody_in(alice, riverside):
    riverside.is_active = False
    riverside.save()
    alice.refresh_from_db()

    found = authenticate(
        RequestFactory().post("/"),
        institution=riverside,
        username="alice",
        password=factories.PASSWORD,
    )

    assert found is None


def test_an_administrators_login_is_no_username_at_an_institution(riverside):
    factories.UserFactory(username="admin", administrator=True)

    found = authenticate(
        RequestFactory().post("/"),
        institution=riverside,
        username="admin",
        password=factories.PASSWORD,
    )

    assert found is None


class CountingHasher(BasePasswordHasher):
    """Counts how often a password is worked on."""

    algorithm = "counting"
    calls = 0

    def encode(self, password, salt):
        type(self).calls += 1
        return f"counting${salt}${password}"

    def decode(self, encoded):
        _, salt, password = encoded.split("$", 2)
        return {"algorithm": "counting", "salt": salt, "hash": password}

    def verify(self, password, encoded):
        salt = self.decode(encoded)["salt"]
        return self.encode(password, salt) == encoded


@pytest.mark.parametrize("username", ["alice", "dora", "nobody"])
def test_a_failure_costs_the_same_work_for_everybody(
    login_page, alice, riverside, settings, username
):
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    dora = factories.UserFactory(username="dora", institution=riverside, disabled=True)
    for user in (alice, dora):
        user.set_password("right")
        user.save()
    CountingHasher.calls = 0

    login_page.press("Sign in", username=username, password="wrong")

    assert CountingHasher.calls == 1


@pytest.mark.parametrize("username", ["alice", "nobody"])
def test_a_failure_costs_the_same_queries_for_everybody(
    login_page, alice, username, django_assert_num_queries
):
    # session, pending request, key, institution; the institution's ways in, before and
    # after; the user; the audit of the failure
    with django_assert_num_queries(8):
        login_page.press("Sign in", username=username, password="wrong")


def test_the_username_is_kept_and_the_password_is_not(login_page, alice):
    login_page.press("Sign in", username="alice", password="wrong words")

    assert login_page.field("username").get("value") == "alice"
    assert login_page.field("password").get("value") is None
    assert "wrong words" not in login_page.response.content.decode()


def test_the_fields_tell_password_managers_what_they_are(login_page):
    username, password = login_page.field("username"), login_page.field("password")

    assert username.get("autocomplete") == "username"
    assert username.get("autocapitalize") == "none"
    assert password.get("autocomplete") == "current-password"
    assert password.get("type") == "password"


def test_the_focus_is_on_what_has_to_be_typed(login_page, alice):
    assert login_page.field("username").get("autofocus") is not None

    login_page.press("Sign in", username="alice", password="wrong")

    assert login_page.field("username").get("autofocus") is None
    password = login_page.field("password")
    assert password.get("autofocus") is not None
    assert password.get("aria-describedby") == "problem"
    assert password.get("aria-invalid") == "true"


def test_the_page_says_whom_to_ask_about_a_forgotten_password(login_page):
    assert (
        "Ask the people who look after accounts at Riverside University" in login_page.text
    )


def test_logins_and_failures_are_audited_without_passwords(login_page, alice, log_in):
    log_in(password="wrong words")
    log_in()

    rows = AuditEvent.objects.filter(action__startswith="login").order_by("pk")
    assert [(row.action, row.subject, row.registry_id, row.address) for row in rows] == [
        (Action.LOGIN_FAILED, "alice@1001", "1001", "127.0.0.1"),
        (Action.LOGIN_SUCCEEDED, "alice@1001", "1001", "127.0.0.1"),
    ]
    assert "wrong words" not in str(list(rows.values()))


def test_somebody_who_is_signed_in_already_is_not_asked_again(
    login_page, alice, log_in, address, key
):
    url = login_page.url
    log_in()

    login_page.open(url)

    assert is_logged_in(login_page)


def test_the_session_gets_a_new_key_at_login(login_page, alice, log_in):
    before = login_page.client.session.session_key

    log_in()

    after = login_page.client.session.session_key
    assert before != after
    assert login_page.client.session["institution"] == "1001"
    assert not login_page.client.session.exists(before)


def test_a_session_planted_before_the_login_is_worth_nothing(
    login_page, alice, log_in, visitor
):
    planted = login_page.client.cookies["session"].value
    log_in()

    visitor.client.cookies["session"] = planted
    visitor.open(login_page.url)

    assert visitor.heading == "This request is no longer open"
