"""A link works once, for its account, until something else ends it."""

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal import auth as totp

from authserver.models import AuditEvent, Session
from authserver.tests import factories
from authserver.tests.accounts.test_new_password import sign_in
from authserver.tests.links import NEW, ask, choose, link_in, signs_in
from authserver.tests.visitor import Visitor

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def asked_of(subject):
    """Return the reasons on record, in order."""
    events = AuditEvent.objects.filter(action="password_reset_asked", subject=subject)
    return [event.reason for event in events.order_by("pk")]


def test_a_link_leaves_the_address_before_anything_is_shown(visitor, link):
    visitor.open(link)

    assert visitor.url.endswith("/oauth2/password/new")
    assert visitor.response["Referrer-Policy"] == "no-referrer"
    assert "no-store" in visitor.response["Cache-Control"]


@pytest.mark.parametrize(
    "way", ["used", "signed in", "address", "password", "renamed", "moved", "time"]
)
def test_a_link_ends(visitor, link, alice, way, northgate, settings, time_machine):
    if way == "used":
        choose(Visitor(), link)
    elif way == "signed in":
        sign_in(Visitor())
    elif way == "address":
        alice.email = "other@library.example"
        alice.save()
    elif way == "password":
        alice.set_password("something else entirely")
        alice.save()
    elif way == "renamed":
        alice.username = "alison"
        alice.save()
    elif way == "moved":
        alice.institution = northgate
        alice.save()
    else:
        settings.PASSWORD_RESET_TIMEOUT = -1

    visitor.open(link)

    assert (visitor.status, visitor.heading) == (410, "This link does not work")


def test_a_new_password_does_not_stand_for_the_second_factor(visitor, link, alice):
    totp.TOTP.activate(alice, totp.generate_totp_secret())

    choose(visitor, link)

    assert "_auth_user_id" not in visitor.client.session
    visitor.open("/oauth2/login?institution=1001")
    visitor.press("Sign in", username="alice", password=NEW)
    assert visitor.heading == "Second factor"


def test_a_link_that_was_opened_ends_all_the_same(visitor, link, alice):
    visitor.open(link)
    alice.set_password("something else entirely")
    alice.save()

    visitor.press("Set the password", password1=NEW, password2=NEW)

    assert (visitor.status, signs_in("alice", NEW)) == (410, False)


def test_of_two_browsers_that_opened_a_link_one_sets_the_password(visitor, link):
    second = Visitor()
    second.open(link)
    choose(visitor, link)

    second.press(
        "Set the password", password1="mine, not yours", password2="mine, not yours"
    )

    assert (second.status, signs_in("alice", NEW)) == (410, True)


def test_a_disabled_account_gets_and_uses_no_link(visitor, mailbox, link, alice):
    alice.is_active = False
    alice.save()

    ask(visitor, "alice")
    visitor.open(link)

    assert (mailbox, visitor.status) == ([], 410)
    assert asked_of("alice@1001") == ["", "disabled"]


def test_a_link_is_for_its_account_alone(visitor, mailbox, link, riverside):
    factories.UserFactory(username="bob", institution=riverside, email="bob@x.example")
    ask(visitor, "bob")
    of_bob = link_in(mailbox.pop())
    mixed = of_bob.partition("&token=")[0] + "&token=" + link.partition("&token=")[2]
    works = visitor.open(of_bob).field("password1") is not None

    assert (works, visitor.open(mixed).status) == (True, 410)


@pytest.mark.parametrize(
    "query",
    [
        *("", "token=x", "link=%00&token=x", "link=1&token=%FF", "link=1&token=a-b"),
        *("link=%D9%A1&token=a-b", "link=-1&token=a-b", f"link={'9' * 30}&token=a-b"),
    ],
)
def test_a_broken_link_is_told_in_words(visitor, query):
    visitor.open(f"/oauth2/password/new?{query}")

    assert (visitor.status, visitor.heading) == (410, "This link does not work")
    assert not Session.objects.exists()


@pytest.mark.parametrize(
    ("password", "again", "problem"),
    [
        ("short", None, "This password is too short"),
        (NEW, "something else", "the same password each time"),
        (factories.PASSWORD, None, "This is the password that you have now."),
        ("x" * 1025, None, "at most 1024 characters"),
    ],
)
def test_a_password_that_is_not_good_is_refused_beside_its_field(
    visitor, link, password, again, problem
):
    choose(visitor, link, password, again)

    assert visitor.status == 200
    assert problem in visitor.text
    assert visitor.press("Set the password", password1=NEW, password2=NEW).heading


def test_a_new_password_lifts_the_lock_of_the_account_and_is_on_record(
    visitor, link, settings
):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "1/900s/key"}
    assert not signs_in("alice", "wrong")

    choose(visitor, link)

    assert signs_in("alice", NEW)
    actions = AuditEvent.objects.filter(subject="alice@1001", actor="alice@1001")
    assert {"password_reset", "login_unlocked"} <= {each.action for each in actions}


def test_the_account_itself_may_use_a_link_while_signed_in(visitor, mailbox, alice):
    sign_in(visitor)
    ask(visitor, "alice")

    choose(visitor, link_in(mailbox.pop()))

    assert visitor.heading == "Your password is set"
    assert visitor.open("/oauth2/access").heading != "My account"


@pytest.mark.parametrize("what", ["account", "institution"])
def test_a_link_of_before_it_was_switched_off_does_not_come_back(
    visitor, mailbox, link, alice, riverside, what
):
    row = {"account": alice, "institution": riverside}[what]
    for is_active in (False, True):
        type(row).objects.filter(pk=row.pk).update(is_active=is_active)

    assert visitor.open(link).status == 410
    ask(visitor, "alice")
    assert choose(visitor, link_in(mailbox.pop())).heading == "Your password is set"


def test_of_several_links_each_works_until_one_is_used(visitor, mailbox, link, alice):
    ask(visitor, "alice")
    newer = link_in(mailbox.pop())

    assert choose(visitor, link).heading == "Your password is set"
    assert visitor.open(newer).status == 410


def test_a_new_password_is_announced_by_mail(visitor, mailbox, link):
    choose(visitor, link)

    (message,) = mailbox
    assert (message.to, message.subject) == (
        ["alice@library.example"],
        "Password Reset: Riverside University",
    )
    assert 'account "alice" at Riverside University' in message.body
    assert "Your password has been reset." in message.body


def test_a_link_ends_where_passwords_do_not_count_any_more(visitor, link, riverside):
    factories.SignInRulesFactory(institution=riverside, passwords=False)

    assert visitor.open(link).status == 410


def test_what_was_begun_goes_on_when_a_link_of_somebody_else_is_opened(
    visitor, link, address, key, riverside, log_in
):
    factories.UserFactory(username="bob", institution=riverside)
    visitor.open(address(key))
    log_in("bob")
    at = visitor.url

    choose(visitor, link)
    visitor.open(at).press("Sign in", username="alice", password=NEW)

    assert visitor.heading == "Allow Campus Planner to act for you?"


def test_a_new_password_forgives_no_guesses_at_other_accounts(
    visitor, link, alice, settings
):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "9/900s/key,2/900s/ip"}
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True)
    for name in ("bob", "carol"):
        assert not signs_in(name, "guess")

    choose(visitor, link)

    assert not signs_in("alice", NEW)
