"""Sessions: how long they live, how they end, and the user's own password."""

import hashlib

import pytest
from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction

from authserver.models import AuditEvent, Session
from authserver.tests import factories
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.django_db

NEW = "a brand new phrase"


@pytest.fixture
def at_home(clock, visitor, alice, log_in):
    """Alice, signed in, on her access page."""
    visitor.open("/oauth2/login?institution=1001")
    return log_in()


@pytest.mark.parametrize("elsewhere", ["/admin/", "https://evil.example/", ""])
def test_signing_out_leads_nowhere_whatever_the_query_says(at_home, elsewhere):
    at_home.open(f"/oauth2/logout?next={elsewhere}").press("Sign out")

    assert at_home.heading == "You are signed out"
    assert at_home.url.endswith(f"/oauth2/logout?next={elsewhere}")


def is_signed_in(visitor):
    return visitor.open("/oauth2/access").heading == "My account"


def test_a_session_ends_after_thirty_idle_minutes(at_home, clock):
    clock(30 * 60 - 1)
    assert is_signed_in(at_home)

    clock(30 * 60 + 1)
    assert not is_signed_in(at_home)


def test_a_session_in_use_ends_after_eight_hours(at_home, clock):
    for _ in range(8 * 60 // 20 - 1):
        clock(20 * 60)
        assert is_signed_in(at_home)

    clock(20 * 60)
    assert not is_signed_in(at_home)


def test_the_cookie_lives_no_longer_than_the_session(at_home, clock):
    cookie = at_home.client.cookies["session"]
    assert cookie["max-age"] == 30 * 60
    for _ in range(23):
        clock(20 * 60)
        is_signed_in(at_home)

    assert at_home.client.cookies["session"]["max-age"] == 20 * 60


def test_a_session_in_use_is_written_once_a_minute(
    at_home, clock, django_assert_num_queries
):
    clock(59)
    with django_assert_num_queries(12):
        at_home.open("/oauth2/access")
    clock(1)
    with django_assert_num_queries(15):  # a savepoint, the update, its release
        at_home.open("/oauth2/access")


def test_logging_in_again_begins_the_eight_hours_anew(at_home, clock, log_in):
    for _ in range(20):
        clock(20 * 60)
        is_signed_in(at_home)
    at_home.press("Sign out")
    at_home.open("/oauth2/login?institution=1001")
    log_in()

    clock(29 * 60)
    is_signed_in(at_home)
    clock(29 * 60)
    is_signed_in(at_home)
    clock(29 * 60)

    assert is_signed_in(at_home)


def test_the_admins_sessions_end_alike(clock, db):
    factories.UserFactory(username="admin", administrator=True)
    desk = Visitor().open("/admin/login/")
    desk.press("Log in", username="admin", password=factories.PASSWORD)

    clock(30 * 60 + 1)

    assert desk.open("/admin/").field("password") is not None


@pytest.mark.parametrize("ended", ["user", "institution"])
def test_a_session_ends_with_its_user_and_its_institution(at_home, alice, ended):
    row = alice if ended == "user" else alice.institution
    row.is_active = False
    row.save()

    assert not is_signed_in(at_home)


# Signing out.


def test_signing_out_ends_the_session_on_the_server(at_home):
    cookie = at_home.client.cookies["session"].value

    at_home.press("Sign out")

    assert at_home.heading == "You are signed out"
    at_home.client.cookies["session"] = cookie
    assert not is_signed_in(at_home)
    assert AuditEvent.objects.filter(action="logged_out", actor="alice@1001").exists()


def test_a_link_signs_nobody_out(at_home):
    at_home.open("/oauth2/logout")
    assert at_home.heading == "Sign out?"
    assert is_signed_in(at_home)

    at_home.open("/oauth2/logout").press("Sign out")
    assert at_home.heading == "You are signed out"


def test_signing_out_without_a_session_says_so(visitor):
    assert visitor.open("/oauth2/logout/").heading == "You are signed out"


def test_signing_out_forgets_what_was_begun(at_home, address, key):
    at_home.open(address(key))
    page = at_home.url
    at_home.open("/oauth2/logout").press("Sign out")

    at_home.open(page)

    assert at_home.heading == "This request is no longer open"


# The user's own password.


@pytest.fixture
def password_page(at_home):
    return at_home.follow("Change password")


def change(page, old=factories.PASSWORD, new=NEW, again=None):
    return page.press(
        "Change the password",
        oldpassword=old,
        password1=new,
        password2=new if again is None else again,
    )


def test_a_user_changes_the_password_and_stays_signed_in(password_page, alice):
    change(password_page)

    alice.refresh_from_db()
    assert alice.check_password(NEW)
    assert password_page.heading == "My account"
    assert "Your password was changed." in password_page.text
    event = AuditEvent.objects.get(action=AuditEvent.Action.PASSWORD_CHANGED)
    assert (event.actor, event.registry_id) == ("alice@1001", "1001")


def test_a_limit_of_the_library_is_told_in_words(password_page, settings):
    settings.ACCOUNT_RATE_LIMITS = {"change_password": "1/m/user"}
    page = password_page.url
    change(password_page, old="wrong")

    change(password_page.open(page), old="wrong")

    assert (password_page.status, password_page.response["Retry-After"]) == (429, "60")
    assert password_page.heading == "Too many requests from your connection"


def test_a_change_of_the_password_is_announced_by_mail(visitor, mailbox, alice, log_in):
    type(alice).objects.filter(pk=alice.pk).update(email="alice@library.example")
    visitor.open("/oauth2/login?institution=1001")

    change(log_in().follow("Change password"))

    (message,) = mailbox
    assert message.to == ["alice@library.example"]
    assert "Your password has been changed." in message.body


def test_who_confirmed_an_address_changes_the_password_all_the_same(password_page, alice):
    EmailAddress.objects.create(
        user=alice, email="a@x.example", verified=True, primary=True
    )

    assert change(password_page).heading == "My account"


def test_who_has_no_password_changes_none(visitor, administrator):
    administrator.set_unusable_password()
    administrator.save()
    visitor.client.force_login(administrator)

    assert visitor.open("/oauth2/access/password").heading == "My account"


def test_each_password_can_be_shown(password_page):
    shown = password_page.page.xpath("//button[@data-reveals]/@data-reveals")

    assert shown == ["id_oldpassword", "id_password1", "id_password2"]


def test_every_other_session_of_the_user_ends(password_page, alice):
    elsewhere = Visitor().open("/oauth2/login?institution=1001")
    elsewhere.press("Sign in", username="alice", password=factories.PASSWORD)
    assert is_signed_in(elsewhere)

    change(password_page)

    assert not is_signed_in(elsewhere)
    assert is_signed_in(password_page)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"old": "wrong"}, "Please type your current password."),
        ({"again": "another phrase"}, "You must type the same password each time."),
        ({"new": "elevenchars", "again": "elevenchars"}, "at least 12 characters"),
        (
            {"new": factories.PASSWORD, "again": factories.PASSWORD},
            "This is the password that you have now.",
        ),
        ({"new": "12345678901", "again": "12345678901"}, "entirely numeric"),
        ({"new": "x" * 1025}, "at most 1024 characters"),
        ({"new": "with\x00nul"}, "Null characters are not allowed"),
    ],
)
def test_a_change_that_cannot_be_is_refused_in_words(password_page, alice, values, words):
    change(password_page, **values)

    alice.refresh_from_db()
    assert alice.check_password(factories.PASSWORD)
    assert "The password was not changed. Fix the errors below." in password_page.alert
    assert words in password_page.text


def test_guessing_the_old_password_is_limited_like_logging_in(password_page, clock):
    page = password_page.url
    clock(1)
    for _ in range(10):
        change(password_page, old="wrong")

    change(password_page.open(page), old=factories.PASSWORD)

    assert password_page.heading == "Too many attempts"


def test_nobody_who_is_not_signed_in_sees_the_password_page(visitor, alice):
    assert visitor.open("/oauth2/access/password").heading == "Choose your institution"


@pytest.mark.parametrize("key", ["\0" * 32, "\0" * 8, "x" * 5000, "Ä" * 32, "'; --" * 8])
def test_a_session_cookie_of_anything_is_no_session(client, key):
    client.cookies["session"] = key

    response = client.get("/oauth2/access")

    assert response.status_code == 302


def test_a_session_is_stored_under_a_digest_of_its_cookie(at_home, alice):
    row = Session.objects.get(user_id=alice.pk)

    cookie = at_home.client.cookies["session"].value
    assert row.session_key == hashlib.sha256(cookie.encode()).hexdigest()
    assert row.get_decoded()["institution"] == "1001"


@pytest.mark.parametrize("length", [32, 40, 64])
def test_the_value_of_a_row_used_as_a_cookie_is_no_session(at_home, alice, length):
    stored = Session.objects.get(user_id=alice.pk).session_key
    reader = Visitor()
    reader.client.cookies["session"] = stored[:length]

    assert not is_signed_in(reader)
    assert is_signed_in(at_home)


def test_the_value_of_an_administrators_row_opens_no_admin(desk, administrator):
    stored = Session.objects.get(user_id=administrator.pk).session_key
    reader = Visitor()
    reader.client.cookies["session"] = stored

    assert reader.open("/admin/").field("password") is not None
    assert desk.open("/admin/").field("password") is None


def test_the_database_refuses_a_session_key_that_is_no_digest(db):
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.SessionFactory(session_key="k" * 32)


def test_signing_out_leaves_no_row(at_home, alice):
    at_home.press("Sign out")

    assert not Session.objects.filter(user_id=alice.pk).exists()


def test_logging_in_leaves_one_row_under_the_new_key(visitor, address, key, alice, log_in):
    visitor.open(address(key))
    before = Session.objects.get().session_key

    log_in()

    assert Session.objects.get().session_key != before


def test_a_session_of_nobody_names_nobody(visitor, address, key):
    visitor.open(address(key))

    assert Session.objects.get().user_id is None


def test_who_was_not_signed_in_leaves_no_record_of_signing_out(visitor, riverside):
    visitor.open("/oauth2/login?institution=1001")
    token = visitor.field("csrfmiddlewaretoken").get("value")

    visitor.send("/oauth2/logout", {"csrfmiddlewaretoken": token})

    assert visitor.heading == "You are signed out"
    assert not AuditEvent.objects.filter(action="logged_out").exists()
