"""A browser that has signed in to an account before passes the lock of an address."""

from http import HTTPStatus

import pytest

from authserver.models import AuditEvent, LoginFailure
from authserver.tests import factories
from authserver.tests.visitor import Visitor

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

DAY = 24 * 3600
LOGIN = "/oauth2/login?institution=1001"


def sign_in(browser, username="alice", password=factories.PASSWORD):
    browser.open(LOGIN)
    return browser.press("Sign in", username=username, password=password)


def lock_the_address():
    LoginFailure.objects.bulk_create(
        LoginFailure(account=f"user{n}@1001", address="127.0.0.1") for n in range(100)
    )


@pytest.fixture
def known(clock, alice):
    """A browser in which alice has signed in once, and out again."""
    browser = sign_in(Visitor())
    browser.press("Sign out")
    clock(1)
    return browser


def test_a_known_device_passes_the_lock_of_the_address(known):
    lock_the_address()

    assert sign_in(known).heading == "My access"


def test_an_unknown_device_does_not(known):
    lock_the_address()

    assert sign_in(Visitor()).status == HTTPStatus.TOO_MANY_REQUESTS


def test_a_device_is_known_for_that_account_only(known, alice):
    factories.UserFactory(username="bob", institution=alice.institution)
    lock_the_address()

    assert sign_in(known, "bob").status == HTTPStatus.TOO_MANY_REQUESTS


def test_a_device_is_known_for_every_account_that_signed_in_with_it(known, alice):
    factories.UserFactory(username="bob", institution=alice.institution)
    sign_in(known, "bob").press("Sign out")
    lock_the_address()

    assert sign_in(known).heading == "My access"
    known.press("Sign out")
    assert sign_in(known, "bob").heading == "My access"


def test_of_many_accounts_the_device_is_known_for_the_last_five(known, alice):
    for n in range(5):
        factories.UserFactory(username=f"guest{n}", institution=alice.institution)
        sign_in(known, f"guest{n}").press("Sign out")
    lock_the_address()

    assert sign_in(known).status == HTTPStatus.TOO_MANY_REQUESTS
    assert sign_in(known, "guest0").heading == "My access"


def test_a_known_device_does_not_pass_the_lock_of_its_account(known):
    for _ in range(10):
        sign_in(known, password="wrong")

    assert sign_in(known).status == HTTPStatus.TOO_MANY_REQUESTS


def test_what_a_known_device_gets_wrong_during_a_lock_opens_no_lock(known, clock):
    lock_the_address()
    clock(1)

    assert sign_in(known, password="wrong").status == HTTPStatus.OK

    actions = AuditEvent.objects.values_list("action", flat=True)
    assert list(actions).count("login_failed") == 1
    assert "login_locked" not in actions


def test_a_lock_of_the_address_that_a_known_device_opens_is_audited(known):
    lock_the_address()
    LoginFailure.objects.first().delete()

    assert sign_in(known, password="wrong").status == HTTPStatus.OK

    assert AuditEvent.objects.get(action="login_locked").details == {"seconds": 30}


@pytest.mark.parametrize(
    ("seconds", "status"),
    [(90 * DAY - 2, HTTPStatus.OK), (90 * DAY - 1, HTTPStatus.TOO_MANY_REQUESTS)],
)
def test_a_device_is_known_for_ninety_days(known, clock, seconds, status):
    """The clock stands a second after the login already."""
    clock(seconds)
    lock_the_address()

    assert sign_in(known).status == status


def test_how_long_a_device_is_known_is_a_setting(known, clock, settings):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "LOGIN_DEVICE_DAYS": 1}
    clock(DAY - 1)
    lock_the_address()

    assert sign_in(known).status == HTTPStatus.TOO_MANY_REQUESTS


def test_another_accounts_login_does_not_prolong_what_is_known(known, clock, alice):
    factories.UserFactory(username="bob", institution=alice.institution)
    clock(89 * DAY)
    sign_in(known, "bob").press("Sign out")
    clock(2 * DAY)
    lock_the_address()

    assert sign_in(known).status == HTTPStatus.TOO_MANY_REQUESTS
    assert sign_in(known, "bob").heading == "My access"


@pytest.mark.parametrize(
    "forge",
    [str.upper, lambda value: value[:-1], lambda value: "", lambda value: "Ä:\0:x"],
    ids=["capitals", "cut", "empty", "nonsense"],
)
def test_a_cookie_that_we_did_not_sign_makes_no_device_known(known, forge):
    known.client.cookies["device"] = forge(known.client.cookies["device"].value)
    lock_the_address()

    assert sign_in(known).status == HTTPStatus.TOO_MANY_REQUESTS


def test_the_cookie_names_nobody_and_no_script_reads_it(known):
    cookie = known.client.cookies["device"]

    assert "alice" not in cookie.value
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert cookie["max-age"] == 90 * DAY


def test_over_https_the_cookie_belongs_to_this_host_alone(clock, alice, settings):
    settings.SESSION_COOKIE_SECURE = True

    cookie = sign_in(Visitor()).client.cookies["__Host-device"]

    assert cookie["secure"] is True
    assert (cookie["path"], cookie["domain"]) == ("/", "")


def test_an_administrators_device_is_known_in_the_admin(clock, administrator):
    desk = Visitor().open("/admin/login/")
    desk.press("Log in", username="admin", password=factories.PASSWORD)
    desk.press("Log out")
    lock_the_address()

    desk.open("/admin/login/")
    desk.press("Log in", username="admin", password=factories.PASSWORD)

    assert desk.field("password") is None
    stranger = Visitor().open("/admin/login/")
    stranger.press("Log in", username="admin", password=factories.PASSWORD)
    assert stranger.status == HTTPStatus.TOO_MANY_REQUESTS


def test_a_failed_login_makes_no_device_known(clock, alice):
    browser = sign_in(Visitor(), password="wrong")

    assert "device" not in browser.client.cookies
