"""A new password ends what was granted with the old one, wherever it is set."""

from io import StringIO

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.management.commands import changepassword
from django.core.management import call_command

from authserver.models import AuditEvent, Session
from authserver.tests import factories
from authserver.tests.views.pages.test_session import NEW, change, is_signed_in
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.django_db


def sign_in(browser):
    browser.open("/oauth2/login?institution=1001")
    return browser.press("Sign in", username="alice", password=factories.PASSWORD)


@pytest.fixture
def at_home(visitor, alice):
    """Alice, signed in, on her access page."""
    return sign_in(visitor)


@pytest.fixture
def password_page(at_home):
    return at_home.follow("Change password")


def ended(rows):
    for row in rows:
        row.refresh_from_db()
    access, refresh, code = rows
    moments = (access.revoked_at, refresh.revoked, code.redeemed_at)
    return [moment is not None for moment in moments]


def set_in_admin(desk, user):
    desk.open(f"/admin/authserver/user/{user.pk}/password/")
    desk.press("Change password", password1=NEW, password2=NEW)


def test_a_changed_password_ends_the_tokens_and_codes_of_the_account(password_page, held):
    change(password_page)

    of_alice, of_bob = held
    assert ended(of_alice) == [True, True, True]
    assert ended(of_bob) == [False, False, False]


def test_a_password_set_by_an_administrator_ends_sessions_tokens_and_codes(
    at_home, desk, alice, held
):
    set_in_admin(desk, alice)

    of_alice, of_bob = held
    assert ended(of_alice) == [True, True, True]
    assert ended(of_bob) == [False, False, False]
    assert not Session.objects.filter(user_id=alice.pk).exists()
    assert not is_signed_in(at_home)
    assert desk.open("/admin/").field("password") is None


def test_an_administrators_own_new_password_keeps_this_session(desk, administrator):
    desk.open("/admin/password_change/")
    desk.press(
        "Change the password",
        oldpassword=factories.PASSWORD,
        password1=NEW,
        password2=NEW,
    )

    assert desk.open("/admin/").field("password") is None
    assert Session.objects.filter(user_id=administrator.pk).count() == 1


def test_a_password_set_on_the_command_line_ends_tokens_too(alice, held, monkeypatch):
    monkeypatch.setattr(changepassword.Command, "_get_pass", lambda *_: NEW)

    call_command("changepassword", "alice@1001", stdout=StringIO())

    assert ended(held[0]) == [True, True, True]


def test_what_a_new_password_ended_is_audited_for_each_application(
    desk, alice, held, confidential_key
):
    factories.AccessTokenFactory(
        user=alice, application=confidential_key, institution=alice.institution
    )

    set_in_admin(desk, alice)

    events = AuditEvent.objects.filter(action="token_revoked").order_by("client_id")
    assert [(e.subject, e.client_id, e.registry_id, e.reason) for e in events] == [
        ("alice@1001", "spa", "1001", "password_changed"),
        ("alice@1001", "web", "1001", "password_changed"),
    ]


def test_a_new_password_without_tokens_records_no_revocation(password_page):
    change(password_page)

    assert not AuditEvent.objects.filter(action="token_revoked").exists()


def test_a_login_that_hashes_the_password_anew_ends_nothing(visitor, alice, held):
    """A stronger hasher is no new password."""
    alice.password = make_password(factories.PASSWORD, hasher="argon2")
    alice.save()

    sign_in(visitor)

    alice.refresh_from_db()
    assert alice.password.startswith("md5$")
    assert ended(held[0]) == [False, False, False]


def test_where_it_is_switched_off_a_new_password_ends_sessions_alone(
    password_page, held, settings
):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "PASSWORD_CHANGE_REVOKES_TOKENS": False}
    elsewhere = sign_in(Visitor())
    assert "applications" not in password_page.open("/oauth2/access/password").text

    change(password_page)

    assert ended(held[0]) == [False, False, False]
    assert not is_signed_in(elsewhere)


def test_the_page_says_what_a_new_password_ends(password_page):
    assert "signs you out on your other devices" in password_page.text
    assert "ends the access of the applications you have allowed" in password_page.text


def test_a_refused_new_password_ends_nothing(password_page, held):
    change(password_page, old="wrong")

    assert ended(held[0]) == [False, False, False]
