"""My account: sessions, what is kept about a person, and the end of the account."""

import datetime as dt
import json
import re
from http import HTTPStatus
from urllib.parse import urlencode

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal import auth as totp
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.auth.models import Group

from authserver.accounts import personal_data
from authserver.accounts.sessions import browser_in_words
from authserver.models import AccessToken, AuditEvent, Session, User
from authserver.oauth.openid import claims_of
from authserver.tests import factories
from authserver.tests.visitor import Visitor

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1"
)


def sign_in(username="alice", agent=FIREFOX, at="1001"):
    browser = Visitor(HTTP_USER_AGENT=agent)
    browser.open(f"/oauth2/login?institution={at}")
    browser.press("Sign in", username=username, password=factories.PASSWORD)
    assert browser.heading == "My account"
    return browser


@pytest.mark.parametrize(
    "page", ["/oauth2/access/password", "/oauth2/factors?next=/oauth2/access", "/admin/"]
)
def test_who_has_to_sign_in_first_comes_back_to_the_page(alice, page):
    browser = Visitor()
    browser.open(page)
    if page == "/admin/":
        alice.is_staff = True
        alice.save()
        browser.follow("Sign in at your institution")
    browser.press("institution=1001")

    browser.press("Sign in", username="alice", password=factories.PASSWORD)

    assert browser.url.removeprefix("http://testserver") == page
    assert browser.open("/oauth2/login?institution=1001").heading == "My account"


@pytest.mark.parametrize("role", ["", "editor"])
def test_who_has_a_role_finds_the_administration(alice, role):
    if role:
        alice.groups.add(Group.objects.get(name=role))

    here = sign_in()

    assert ("Go to the administration" in here.text) is bool(role)
    if role:
        here.follow("Go to the administration")
        assert here.url.endswith("/admin/")
        assert here.status == HTTPStatus.OK


@pytest.mark.parametrize("has_password", [True, False])
def test_nobody_without_a_password_is_told_of_one(alice, has_password):
    here = sign_in()
    if not has_password:
        alice.set_unusable_password()
        alice.save()
        kept = here.client.session
        kept[HASH_SESSION_KEY] = alice.get_session_auth_hash()
        kept.save()

    assert ("your password" in here.open("/oauth2/factors").text) is has_password


@pytest.mark.parametrize(
    "url", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:1"]
)
def test_a_sign_in_leads_to_no_other_site(alice, url):
    browser = Visitor()
    browser.open(f"/oauth2/account/login?{urlencode({'next': url})}")
    browser.press("institution=1001")

    browser.press("Sign in", username="alice", password=factories.PASSWORD)

    assert (browser.heading, browser.left_for) == ("My account", "")


# --- Sessions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (SAFARI, "Safari on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/1 Safari/1 Edg/1", "Edge on Windows"),
        ("<script>alert(1)</script>", "Unknown browser"),
        ("", "Unknown browser"),
    ],
)
def test_a_browser_is_named_as_people_do(agent, words):
    assert browser_in_words(agent) == words


def test_a_person_sees_where_they_are_signed_in(alice):
    sign_in(agent=SAFARI)

    here = sign_in()

    assert "Firefox on Linux This browser" in here.text
    assert "Safari on iPhone" in here.text


def test_no_page_and_no_row_has_the_key_of_a_session(alice):
    other = sign_in(agent=SAFARI)

    here = sign_in()

    for browser in (here, other):
        key = browser.client.session.session_key
        assert key not in here.response.content.decode()
        assert not Session.objects.filter(pk=key).exists()


def test_a_person_ends_one_session_and_the_others_go_on(alice):
    one, two = sign_in(agent=SAFARI), sign_in(agent="Chrome/1")
    here = sign_in()

    here.press("Sign out Safari on iPhone of " + _since(here, "Safari on iPhone"))

    assert one.open("/oauth2/access").heading == "Choose your institution"
    assert two.open("/oauth2/access").heading == "My account"
    assert here.open("/oauth2/access").heading == "My account"
    event = AuditEvent.objects.filter(action="logged_out").get()
    assert (event.subject, event.details) == ("alice@1001", {"sessions": 1})


def _since(browser, name):
    (button,) = [
        words
        for words in (
            " ".join(b.text_content().split()) for b in browser.page.xpath("//button")
        )
        if f"Sign out {name}" in words
    ]
    return button.split(" of ")[1]


def test_a_person_signs_out_everywhere_else(alice):
    others = [sign_in(agent=SAFARI), sign_in(agent="Chrome/1")]
    here = sign_in()

    here.press("Sign out everywhere else")

    assert here.heading == "My account"
    for other in others:
        assert other.open("/oauth2/access").heading == "Choose your institution"


def test_nobody_ends_the_session_of_another(alice, riverside, northgate):
    factories.UserFactory(username="bob", institution=riverside)
    factories.UserFactory(username="alice", institution=northgate)
    theirs = [sign_in("bob"), sign_in("alice", at="1002")]
    here = sign_in()

    for digest in [*Session.objects.values_list("pk", flat=True), "\x00", "x" * 99]:
        here.open("/oauth2/access")
        token = here.values("csrfmiddlewaretoken")[0]
        here.send("/oauth2/access", {"session": digest, "csrfmiddlewaretoken": token})

    assert here.open("/oauth2/access").heading == "My account"
    for other in theirs:
        assert other.open("/oauth2/access").heading == "My account"


def test_ending_sessions_is_not_forged(alice):
    other, here = sign_in(agent=SAFARI), sign_in()

    assert here.send("/oauth2/access", {"session": "others"}).status == HTTPStatus.FORBIDDEN
    assert other.open("/oauth2/access").heading == "My account"


def test_the_page_asks_as_often_with_many_sessions(alice, django_assert_max_num_queries):
    here = sign_in()
    with django_assert_max_num_queries(30) as few:
        here.open("/oauth2/access")
        asked = len(few)
    for _ in range(5):
        sign_in(agent=SAFARI)

    with django_assert_max_num_queries(asked):
        here.open("/oauth2/access")


def test_an_account_of_the_platform_has_the_page_too(db):
    factories.UserFactory(username="root", administrator=True)
    visitor = Visitor().open("/admin/login/")
    visitor.press("Log in", username="root", password=factories.PASSWORD)

    assert visitor.open("/oauth2/access").heading == "My account"
    assert visitor.open("/oauth2/access/password").heading == "Change your password"


# --- The own name ---------------------------------------------------------------------


def test_a_person_changes_their_name(alice):
    here = sign_in().open("/oauth2/access").follow("Change the name")
    assert here.field("full_name").value == "Alice Archer"

    here.press("Save", full_name="  Alice\u2028Baker ")

    assert here.heading == "My account"
    assert "Alice Baker" in here.text
    alice.refresh_from_db()
    assert alice.full_name == "Alice Baker"
    event = AuditEvent.objects.get(action="account_changed")
    assert (event.actor, event.subject) == ("alice@1001", "alice@1001")
    assert event.details["changes"] == "Full name: Alice Archer → Alice Baker"


@pytest.mark.parametrize("name", ["x" * 201, "a\x00b"])
def test_a_name_that_cannot_be_is_refused_with_words(alice, name):
    here = sign_in().open("/oauth2/access/name")

    here.press("Save", full_name=name)

    assert (here.heading, here.status) == ("Change your name", 200)
    assert here.alert


def test_the_name_of_an_account_of_a_provider_is_the_provider_s_to_say(alice):
    SocialAccount.objects.create(user=alice, provider="x", uid="1")
    here = sign_in()

    assert "Change the name" not in here.text
    assert here.open("/oauth2/access/name").status == HTTPStatus.NOT_FOUND
    alice.refresh_from_db()
    assert alice.full_name == "Alice Archer"


def test_a_name_is_not_changed_by_a_forged_form(alice):
    answer = sign_in().send("/oauth2/access/name", {"full_name": "Mallory"})

    assert answer.status == HTTPStatus.FORBIDDEN


# --- Applications ---------------------------------------------------------------------


def test_the_page_says_when_an_application_last_took_a_token(alice, key, time_machine):
    of_alice = {"user": alice, "application": key, "institution": alice.institution}
    time_machine.move_to(dt.datetime(2026, 11, 20, 8, tzinfo=dt.UTC))
    factories.RefreshTokenFactory(**of_alice)
    time_machine.move_to(dt.datetime(2026, 11, 21, 9, 30, tzinfo=dt.UTC))
    factories.AccessTokenFactory(**of_alice)
    other = factories.UserFactory(username="bob", institution=alice.institution)
    time_machine.move_to(dt.datetime(2026, 11, 21, 9, 45, tzinfo=dt.UTC))
    factories.AccessTokenFactory(**of_alice | {"user": other})

    here = sign_in()

    assert "Last active 21 November 2026, 09:30 UTC" in here.text


def test_an_application_that_was_allowed_and_did_nothing_was_not_active(
    alice, confidential_key
):
    factories.ConsentFactory(
        user=alice, key=confidential_key, institution=alice.institution
    )

    assert "Last active Not lately" in sign_in().text


def test_the_page_asks_as_often_with_many_tokens(alice, key, django_assert_max_num_queries):
    of_alice = {"user": alice, "application": key, "institution": alice.institution}
    factories.AccessTokenFactory(**of_alice)
    here = sign_in()
    with django_assert_max_num_queries(40) as few:
        here.open("/oauth2/access")
        asked = len(few)
    for _ in range(5):
        factories.AccessTokenFactory(**of_alice)
        factories.RefreshTokenFactory(**of_alice)

    with django_assert_max_num_queries(asked):
        here.open("/oauth2/access")


# --- What is kept -------------------------------------------------------------------------


def test_a_person_downloads_what_is_kept_about_them_and_nobody_else(alice, riverside):
    bob = factories.UserFactory(username="bob", institution=riverside, full_name="Bob B")
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(bob, secret)
    token = factories.AccessTokenFactory(user=alice)
    EmailAddress.objects.create(user=alice, email="alice@x.example", verified=True)
    here = sign_in()

    response = here.client.get("/oauth2/access/data")

    text = response.content.decode()
    kept = json.loads(text)
    assert kept["account"]["login"] == "alice@1001"
    assert kept["sessions"][0]["browser"] == "Firefox on Linux"
    assert kept["mail_addresses"] == [{"email": "alice@x.example", "verified": True}]
    assert kept["access_tokens"][0]["application__name"] == token.application.name
    assert "login_succeeded" in {event["action"] for event in kept["audit_record"]}
    assert "attachment" in response["Content-Disposition"]
    assert "no-store" in response["Cache-Control"]
    for hidden in ("Bob B", secret, "argon2", "md5$", alice.password, token.token_checksum):
        assert str(hidden) not in text


def test_what_became_of_an_earlier_person_of_the_login_is_not_told(alice):
    before = alice.created_at - dt.timedelta(days=1)
    factories.AuditEventFactory(at=before, address="192.0.2.77")

    kept = sign_in().client.get("/oauth2/access/data").json()

    assert "192.0.2.77" not in json.dumps(kept)
    assert kept["audit_record"]


def test_other_apps_add_what_they_keep(alice):
    def tell(user, **_kwargs):
        return "loans", [{"of": user.login}]

    personal_data.collect_personal_data.connect(tell)
    try:
        kept = sign_in().client.get("/oauth2/access/data").json()
    finally:
        personal_data.collect_personal_data.disconnect(tell)

    assert kept["loans"] == [{"of": "alice@1001"}]


@pytest.mark.parametrize("page", ["data", "delete"])
def test_both_need_a_fresh_sign_in(settings, clock, alice, page):
    settings.AUTHSERVER = {**settings.AUTHSERVER, "FRESH_SIGN_IN_SECONDS": 900}
    here = sign_in()
    clock(901)

    assert here.open(f"/oauth2/access/{page}").heading == "Is it still you?"


@pytest.mark.parametrize("page", ["data", "delete"])
def test_both_are_the_signed_in_person_s_alone(visitor, db, page):
    assert visitor.open(f"/oauth2/access/{page}").heading == "Choose your institution"


# --- The end of the account ---------------------------------------------------------------


def test_a_wish_for_the_end_is_on_record_where_the_institution_decides(alice):
    here = sign_in().open("/oauth2/access/delete")

    here.press("Ask for it")

    assert "Your wish is on record." in here.text
    assert User.objects.filter(pk=alice.pk).exists()
    event = AuditEvent.objects.get(action="deletion_asked")
    assert (event.subject, event.registry_id) == ("alice@1001", "1001")


def test_a_person_deletes_their_account_where_the_institution_lets_them(alice, riverside):
    type(riverside).objects.update(lets_people_delete_accounts=True)
    token = factories.AccessTokenFactory(user=alice)
    elsewhere, here = sign_in(agent=SAFARI), sign_in()

    here.open("/oauth2/access/delete").press("Delete it")

    assert here.heading == "Your account is gone"
    assert not User.objects.filter(pk=alice.pk).exists()
    assert not AccessToken.objects.filter(pk=token.pk, revoked_at=None).exists()
    for browser in (here, elsewhere):
        assert browser.open("/oauth2/access").heading == "Choose your institution"
    assert AuditEvent.objects.filter(
        subject="alice@1001", action="account_changed"
    ).exists()


def test_an_account_is_not_deleted_by_a_forged_form(alice, riverside):
    type(riverside).objects.update(lets_people_delete_accounts=True)
    here = sign_in()

    assert here.send("/oauth2/access/delete").status == HTTPStatus.FORBIDDEN
    assert User.objects.filter(pk=alice.pk).exists()


# --- The own mail address -----------------------------------------------------------------


NEW_ADDRESS = "alice@new.example"


@pytest.fixture
def asked(alice, mailbox):
    """Alice, who asked for another address; and the link that was sent there."""
    type(alice).objects.filter(pk=alice.pk).update(email="alice@old.example")
    here = sign_in().open("/oauth2/access/mail")
    here.press("Send the message", email=NEW_ADDRESS)
    (sent,) = mailbox
    assert sent.to == [NEW_ADDRESS]
    link = re.search(r"https?://[^/]+(/oauth2/\S+)", sent.body)[1]
    return here, link


def test_an_address_counts_once_its_link_is_used(asked, alice):
    here, link = asked
    assert "alice@old.example" in here.text
    alice.refresh_from_db()
    assert claims_of(alice, {"email"})["email_verified"] is False

    here.open(link).press("Confirm")

    alice.refresh_from_db()
    assert alice.email == NEW_ADDRESS
    assert f"{NEW_ADDRESS} Confirmed" in here.text
    assert claims_of(alice, {"email"})["email_verified"] is True
    assert here.open(link).status == HTTPStatus.GONE


def test_an_address_that_an_administrator_sets_is_not_confirmed(asked, alice):
    here, link = asked
    here.open(link).press("Confirm")

    type(alice).objects.filter(pk=alice.pk).update(email="other@new.example")

    alice.refresh_from_db()
    assert claims_of(alice, {"email"})["email_verified"] is False


def test_the_link_of_an_address_ends_when_another_is_asked_for(asked, alice):
    here, link = asked
    here.open("/oauth2/access/mail").press("Send the message", email="a@evil.example")

    assert here.open(link).status == HTTPStatus.GONE


def test_the_link_of_an_address_works_for_three_days(asked, alice, time_machine):
    _, link = asked
    time_machine.move_to(dt.datetime.now(dt.UTC) + dt.timedelta(days=3, seconds=1))

    assert sign_in().open(link).status == HTTPStatus.GONE


def test_nobody_confirms_an_address_for_an_account_of_somebody_else(
    asked, alice, riverside
):
    _, link = asked
    factories.UserFactory(username="bob", institution=riverside)
    bob, nobody = sign_in("bob"), Visitor()

    assert bob.open(link).status == HTTPStatus.GONE
    assert nobody.open(link).heading == "Choose your institution"
    assert not EmailAddress.objects.filter(verified=True).exists()


def test_the_address_of_an_account_of_a_provider_is_the_provider_s_to_say(alice, mailbox):
    SocialAccount.objects.create(user=alice, provider="x", uid="1")
    here = sign_in()

    assert "Change the e-mail address" not in here.text
    here.open("/oauth2/access/mail")
    assert here.status == HTTPStatus.NOT_FOUND
    assert mailbox == []


def test_two_institutions_may_know_one_address(asked, alice, northgate, mailbox):
    here, link = asked
    other = factories.UserFactory(username="alice", institution=northgate)
    EmailAddress.objects.create(user=other, email=NEW_ADDRESS, verified=True)

    here.open(link).press("Confirm")

    assert EmailAddress.objects.filter(email=NEW_ADDRESS, verified=True).count() == 2


def test_messages_to_new_addresses_are_limited(alice, mailbox):
    here = sign_in()
    for number in range(6):
        here.open("/oauth2/access/mail")
        here.press("Send the message", email=f"a{number}@new.example")

    assert "Too many messages" in here.alert
    assert len(mailbox) == 5


@pytest.mark.parametrize(
    "key", ["", "x", "\x00", "a" * 5000], ids=["none", "short", "nul", "long"]
)
def test_a_key_that_confirms_nothing_is_said_in_words(alice, mailbox, key):
    here = sign_in()

    assert here.open(f"/oauth2/access/mail/confirm?{urlencode({'key': key})}").status == 410


def test_without_mail_there_is_no_page_to_change_the_address(alice):
    assert sign_in().open("/oauth2/access/mail").status == HTTPStatus.NOT_FOUND
