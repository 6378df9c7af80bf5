"""Second factors: codes, recovery codes and passkeys, and who must have one."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.db import connections
from django.test import Client

from authserver.crypto import encryption
from authserver.models import AuditEvent, Grant, Session
from authserver.tests import factories
from authserver.tests.codes import code_of
from authserver.tests.locks import record_failures
from authserver.tests.visitor import Visitor

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PASSWORD = factories.PASSWORD
GRANT_PAGE = "Allow Campus Planner to act for you?"


@pytest.fixture(autouse=True)
def _one_moment(clock):
    """Let no code outlive its half minute between the app and the page."""


@pytest.fixture
def secret(alice):
    """Alice's app, and her recovery codes."""
    text = totp.generate_totp_secret()
    totp.TOTP.activate(alice, text)
    return text


@pytest.fixture
def at_second_factor(visitor, address, key, alice, secret, log_in):
    visitor.open(address(key))
    log_in()
    assert visitor.heading == "Second factor"
    return visitor


def sign_in(browser, username="alice"):
    browser.open("/oauth2/login?institution=1001")
    return browser.press("Sign in", username=username, password=PASSWORD)


def actions_of(login):
    return list(AuditEvent.objects.filter(subject=login).values_list("action", flat=True))


# --- At a sign-in -------------------------------------------------------------------------


def test_the_request_of_an_application_survives_the_second_factor(at_second_factor, secret):
    at_second_factor.press("Sign in", code=code_of(secret))

    assert at_second_factor.heading == GRANT_PAGE
    at_second_factor.press("Allow")
    assert Grant.objects.exists()


def test_who_has_no_passkey_is_offered_none(at_second_factor):
    assert at_second_factor.field("code") is not None
    assert not at_second_factor.page.xpath("//*[@data-passkey]")


def test_a_password_alone_signs_nobody_in(at_second_factor):
    assert "_auth_user_id" not in at_second_factor.client.session
    assert "login_succeeded" not in actions_of("alice@1001")
    assert at_second_factor.open("/oauth2/access").heading == "Choose your institution"


def test_a_session_has_a_new_key_after_the_second_factor(at_second_factor, secret):
    before = at_second_factor.client.session.session_key

    at_second_factor.press("Sign in", code=code_of(secret))

    assert at_second_factor.client.session.session_key != before
    assert not at_second_factor.client.session.exists(before)


def test_a_wrong_code_is_said_and_recorded(at_second_factor):
    at_second_factor.press("Sign in", code="000000")

    assert at_second_factor.alert == "This code is not right. Please try again."
    assert "factor_failed" in actions_of("alice@1001")


def test_codes_are_limited_like_passwords(at_second_factor):
    for _ in range(10):
        assert at_second_factor.press("Sign in", code="000000").status == HTTPStatus.OK

    at_second_factor.press("Sign in", code="000000")

    assert at_second_factor.status == HTTPStatus.TOO_MANY_REQUESTS
    assert at_second_factor.response["Retry-After"] == "900"


def test_a_code_works_once(at_second_factor, secret, address, key):
    code = code_of(secret)
    at_second_factor.press("Sign in", code=code)
    other = sign_in(Visitor())

    assert other.press("Sign in", code=code).heading == "Second factor"


@pytest.mark.parametrize("ahead", [-1, 1])
def test_a_code_of_another_half_minute_is_refused(at_second_factor, secret, ahead):
    at_second_factor.press("Sign in", code=code_of(secret, ahead))

    assert at_second_factor.heading == "Second factor"


@pytest.mark.postgresql_only  # SQLite has one writer at a time
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["app", "recovery"])
def test_a_code_that_is_used_twice_at_once_works_once(alice, secret, kind):
    recovery = RecoveryCodes.activate(alice)
    code = code_of(secret) if kind == "app" else recovery.get_unused_codes()[0]
    browsers = [sign_in(Visitor()) for _ in range(4)]
    ready = threading.Barrier(len(browsers))

    def enter(browser):
        ready.wait(timeout=60)
        heading = browser.press("Sign in", code=code).heading
        connections.close_all()
        return heading

    with ThreadPoolExecutor(len(browsers)) as pool:
        headings = sorted(pool.map(enter, browsers))

    assert headings == ["My account", *3 * ["Second factor"]]


def test_a_recovery_code_works_once(visitor, alice, secret):
    sign_in(visitor).press("Sign in", code=code_of(secret))
    visitor.open("/oauth2/factors/recovery/new").press("Make new codes")
    recovery = visitor.page.xpath("//main//ul/li/code/text()")[0]

    assert len(visitor.page.xpath("//main//ul/li")) == 10
    assert sign_in(Visitor()).press("Sign in", code=recovery).heading == "My account"
    assert sign_in(Visitor()).press("Sign in", code=recovery).heading == "Second factor"


def test_a_second_factor_of_another_account_does_not_help(at_second_factor, northgate):
    other = factories.UserFactory(username="alice", institution=northgate)
    theirs = totp.generate_totp_secret()
    totp.TOTP.activate(other, theirs)

    at_second_factor.press("Sign in", code=code_of(theirs))

    assert at_second_factor.heading == "Second factor"


def test_the_second_factor_page_is_for_those_whose_password_was_right(visitor, secret):
    assert (
        visitor.open("/oauth2/account/second-factor").heading == "Choose your institution"
    )


def test_a_disabled_account_does_not_pass_the_second_factor(
    at_second_factor, alice, secret
):
    type(alice).objects.update(is_active=False)

    at_second_factor.press("Sign in", code=code_of(secret))

    assert "_auth_user_id" not in at_second_factor.client.session


def new_password(alice, desk):
    alice.set_password("a quite other phrase 9")
    alice.save()


def signed_out_everywhere(alice, desk):
    desk.open("/admin/authserver/user/")
    desk.press("Go", action="sign_out_everywhere", _selected_action=[str(alice.pk)])


@pytest.mark.parametrize("end", [new_password, signed_out_everywhere])
def test_what_ends_sessions_ends_a_sign_in_at_its_second_factor_too(
    at_second_factor, alice, secret, desk, end
):
    end(alice, desk)

    at_second_factor.press("Sign in", code=code_of(secret))

    assert "_auth_user_id" not in at_second_factor.client.session


def test_a_sign_in_at_its_second_factor_is_not_shown_as_a_session(
    at_second_factor, alice, secret
):
    other = sign_in(Visitor())

    other.press("Sign in", code=code_of(secret))

    assert len(other.values("session")) == 0


def test_django_admin_asks_for_the_second_factor_and_comes_back(db):
    root = factories.UserFactory(username="root", administrator=True)
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(root, secret)
    visitor = Visitor().open("/admin/authserver/institution/")
    visitor.press("Log in", username="root", password=PASSWORD)
    assert visitor.heading == "Second factor"

    visitor.press("Sign in", code=code_of(secret))

    assert visitor.url.endswith("/admin/authserver/institution/")


@pytest.mark.parametrize(
    "then", ["https://evil.example/", "//evil.example/", "/\\evil.example"]
)
def test_a_sign_in_leads_to_no_other_site(db, then):
    factories.UserFactory(username="root", administrator=True)
    form = {"username": "root", "password": PASSWORD, "next": then}

    response = Client().post("/admin/login/", form)

    assert response["Location"] == "/admin/"


@pytest.mark.parametrize(
    "then", ["https://evil.example/", "//evil.example/", "/\\evil.example"]
)
def test_a_fresh_sign_in_leads_to_no_other_site(visitor, alice, then):
    sign_in(visitor)
    visitor.client.get("/oauth2/account/again", {"next": then})

    response = visitor.client.get("/oauth2/account/again", {"next": then})
    token = re.search(rb'csrfmiddlewaretoken" value="([^"]+)', response.content)[1]
    form = {"password": PASSWORD, "next": then, "csrfmiddlewaretoken": token.decode()}

    assert (
        visitor.client.post("/oauth2/account/again", form)["Location"] == "/oauth2/access"
    )


# --- Set up and removed by their owner ----------------------------------------------------


def test_an_app_is_set_up_with_a_picture_and_a_key(
    visitor, alice, django_capture_on_commit_callbacks
):
    sign_in(visitor).open("/oauth2/factors").follow("Set up an app")
    assert visitor.page.xpath("//img[starts-with(@src, 'data:image/svg+xml')]")
    (secret,) = visitor.page.xpath("//details//code/text()")

    with django_capture_on_commit_callbacks(execute=True):
        visitor.press("Set it up", code=code_of(secret))

    assert visitor.heading == "Recovery codes"
    stored = Authenticator.objects.get(type="totp").data["secret"]
    assert secret not in stored
    assert stored.startswith("gAAAA")  # Fernet
    codes = Authenticator.objects.get(type="recovery_codes").data
    assert codes["seed"].startswith("gAAAA")
    assert actions_of("alice@1001").count("factor_added") == 2


def test_the_key_of_an_app_is_encrypted_before_it_is_confirmed_too(visitor, alice):
    sign_in(visitor).open("/oauth2/factors/app")
    (secret,) = visitor.page.xpath("//details//code/text()")

    kept = visitor.client.session[totp.SECRET_SESSION_KEY]

    assert secret not in kept
    assert kept.startswith("gAAAA")  # Fernet


def test_a_wrong_code_sets_up_no_app(visitor, alice):
    sign_in(visitor).open("/oauth2/factors/app").press("Set it up", code="000000")

    assert visitor.alert
    assert not Authenticator.objects.exists()


def test_the_last_factor_takes_the_recovery_codes_with_it(visitor, alice, secret):
    sign_in(visitor).press("Sign in", code=code_of(secret))
    visitor.open("/oauth2/factors/recovery/new").press("Make new codes")

    visitor.open("/oauth2/factors").follow("Remove the app")
    visitor.press("Remove it")

    assert visitor.heading == "Second factors"
    assert not Authenticator.objects.exists()
    assert "factor_removed" in actions_of("alice@1001")


@pytest.mark.parametrize(
    "page",
    [
        "factors",
        "factors/app",
        "factors/recovery",
        "factors/recovery/new",
        "factors/passkey",
    ],
)
def test_factors_are_the_signed_in_person_s_alone(visitor, db, page):
    visitor.open(f"/oauth2/{page}")

    assert visitor.heading == "Choose your institution"


def test_nobody_removes_the_passkey_of_another(visitor, alice, riverside):
    bob = factories.UserFactory(username="bob", institution=riverside)
    theirs = Authenticator.objects.create(user=bob, type="webauthn", data={"name": "Key"})
    sign_in(visitor)

    for method in (visitor.open, visitor.send):
        page = method(f"/oauth2/factors/passkey/{theirs.pk}/remove")
        assert page.status in {HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN}
    assert Authenticator.objects.filter(pk=theirs.pk).exists()


def test_a_factor_is_not_changed_by_a_forged_form(visitor, alice, secret):
    sign_in(visitor).press("Sign in", code=code_of(secret))

    assert visitor.send("/oauth2/factors/app/remove").status == HTTPStatus.FORBIDDEN
    assert Authenticator.objects.exists()


@pytest.mark.parametrize(
    "credential",
    [
        "",
        "{}",
        "[]",
        "null",
        '"text"',
        "[" * 100_000,
        '{"id": 1}',
        "\x00",
        '{"response": 3}',
    ],
    ids=["empty", "object", "list", "null", "text", "deep", "number", "nul", "response"],
)
def test_a_passkey_that_is_none_is_no_error_of_ours(visitor, alice, secret, credential):
    visitor.open("/oauth2/login?institution=1001")
    token = visitor.values("csrfmiddlewaretoken")[0]
    form = {"credential": credential, "csrfmiddlewaretoken": token}

    assert visitor.client.get(
        "/oauth2/account/passkey", headers={"Accept": "application/json"}
    ).json()["request_options"]
    response = visitor.client.post("/oauth2/account/passkey", form)
    assert response.status_code == HTTPStatus.FOUND
    sign_in(visitor)
    for page in ("/oauth2/account/second-factor", "/oauth2/factors/passkey"):
        response = visitor.client.post(page, form)
        assert response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
    assert not Authenticator.objects.filter(type="webauthn").exists()


def test_secrets_of_factors_move_to_the_first_encryption_key(settings, alice, secret):
    keys = settings.AUTHSERVER["ENCRYPTION_KEYS"]
    new = Fernet.generate_key().decode()
    settings.AUTHSERVER = {**settings.AUTHSERVER, "ENCRYPTION_KEYS": [new, *keys]}

    call_command("reencrypt_secrets", verbosity=0)

    settings.AUTHSERVER = {**settings.AUTHSERVER, "ENCRYPTION_KEYS": [new]}
    stored = Authenticator.objects.get(type="totp").data["secret"]
    assert encryption.decrypt(stored).decode() == secret


# --- Who must have one --------------------------------------------------------------------


@pytest.fixture
def required(settings, riverside):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "PLATFORM_NEEDS_SECOND_FACTOR": True}
    type(riverside).objects.update(requires_second_factor=True)


def test_who_must_have_a_factor_adds_one_before_an_application_gets_anything(
    required, visitor, address, key, alice, log_in
):
    visitor.open(address(key))
    log_in()
    assert visitor.heading == "Second factors"
    assert "needs a second factor" in visitor.text
    visitor.follow("Set up an app")
    (secret,) = visitor.page.xpath("//details//code/text()")
    visitor.press("Set it up", code=code_of(secret))
    visitor.follow("I have kept them")

    visitor.follow("Go on")

    assert visitor.heading == GRANT_PAGE


def test_who_must_have_a_factor_sees_no_page_without(required, visitor, alice):
    sign_in(visitor)

    for page in ("/oauth2/access", "/oauth2/access?x=1"):
        assert visitor.open(page).heading == "Second factors"


def test_who_removes_the_only_factor_adds_another_before_going_on(
    required, visitor, alice, secret
):
    sign_in(visitor).press("Sign in", code=code_of(secret))
    visitor.open("/oauth2/factors").follow("Remove the app")

    visitor.press("Remove it")

    assert "needs a second factor" in visitor.text
    assert visitor.open("/oauth2/access").heading == "Second factors"


def test_a_platform_role_adds_a_factor_before_admin_opens(required, db):
    factories.UserFactory(username="root", administrator=True)
    visitor = Visitor().open("/admin/")
    visitor.press("Log in", username="root", password=PASSWORD)
    assert visitor.heading == "Second factors"
    assert visitor.open("/admin/authserver/user/").heading == "Second factors"
    visitor.follow("Set up an app")
    (secret,) = visitor.page.xpath("//details//code/text()")
    visitor.press("Set it up", code=code_of(secret))
    visitor.follow("I have kept them")

    visitor.follow("Go on")

    assert visitor.url.endswith("/admin/authserver/user/")


def test_other_institutions_ask_for_none(required, visitor, northgate):
    factories.UserFactory(username="bea", institution=northgate)
    visitor.open("/oauth2/login?institution=1002")

    visitor.press("Sign in", username="bea", password=PASSWORD)

    assert visitor.heading == "My account"


# --- An administrator helps who lost them -------------------------------------------------


def test_an_administrator_removes_the_factors_of_who_lost_them(desk, alice, secret):
    elsewhere = sign_in(Visitor()).press("Sign in", code=code_of(secret))
    desk.open("/admin/authserver/user/")
    desk.press("Go", action="remove_factors", _selected_action=[str(alice.pk)])

    assert "Second factors removed: 1." in desk.text
    assert not Authenticator.objects.exists()
    assert not Session.objects.filter(user_id=alice.pk).exists()
    assert elsewhere.open("/oauth2/access").heading == "Choose your institution"
    event = AuditEvent.objects.get(action="factors_removed")
    assert (event.actor, event.subject, event.details) == (
        "admin",
        "alice@1001",
        {"factors": 1},
    )


# --- Fresh sign-in ------------------------------------------------------------------------


@pytest.fixture
def fresh(settings, clock):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "FRESH_SIGN_IN_SECONDS": 900}
    return clock


def test_factors_are_touched_after_a_fresh_sign_in_only(fresh, visitor, alice):
    sign_in(visitor)
    assert visitor.open("/oauth2/factors/app").heading == "Set up an authenticator app"
    fresh(901)

    visitor.open("/oauth2/factors/app")
    assert visitor.heading == "Is it still you?"
    assert visitor.press("Go on", password="wrong").heading == "Is it still you?"
    visitor.press("Go on", password=PASSWORD)

    assert visitor.heading == "Set up an authenticator app"


def test_what_was_sent_before_a_fresh_sign_in_is_kept_nowhere(fresh, visitor, alice):
    sign_in(visitor).open("/oauth2/factors/app")
    fresh(901)

    visitor.press("Set it up", code="123456")

    assert visitor.heading == "Is it still you?"
    assert "account_reauthentication_state" not in visitor.client.session
    assert "123456" not in str(dict(visitor.client.session))


def test_guesses_at_a_fresh_sign_in_count_as_failed_logins(fresh, visitor, alice):
    sign_in(visitor)
    fresh(901)
    record_failures(10, account="alice@1001")

    visitor.open("/oauth2/factors/app").press("Go on", password=PASSWORD)

    assert visitor.status == HTTPStatus.TOO_MANY_REQUESTS


@pytest.mark.parametrize(
    "page",
    [
        "servicekey/add/",
        "user/add/",
        "institution/add/",
        "user/{pk}/change/",
        "user/{pk}/password/",
    ],
)
def test_admin_asks_again_before_keys_roles_and_accounts_are_touched(
    fresh, desk_of_root, alice, page
):
    address = f"/admin/authserver/{page.format(pk=alice.pk)}"
    assert desk_of_root.open(address).status == HTTPStatus.OK
    fresh(901)

    assert desk_of_root.open(address).heading == "Is it still you?"
    desk_of_root.press("Go on", password=PASSWORD)

    assert desk_of_root.url.endswith(address)


@pytest.fixture
def desk_of_root(fresh):
    factories.UserFactory(username="root", administrator=True)
    visitor = Visitor().open("/admin/")
    return visitor.press("Log in", username="root", password=PASSWORD)
