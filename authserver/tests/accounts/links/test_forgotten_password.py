"""A forgotten password: asked for by anybody, chosen by whoever reads the mailbox."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from authserver.accounts import password_links
from authserver.models import AuditEvent
from authserver.tests import factories
from authserver.tests.accounts.test_new_password import ended, sign_in
from authserver.tests.links import NEW, ask, choose, link_in, signs_in
from authserver.tests.visitor import Visitor

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ASKED = "Look into your mailbox"


def asked_of(subject):
    """Return the reasons on record, in order."""
    events = AuditEvent.objects.filter(action="password_reset_asked", subject=subject)
    return [event.reason for event in events.order_by("pk")]


# --- Asking -------------------------------------------------------------------------------


def test_the_login_page_offers_it_and_the_link_lets_choose_a_new_password(
    visitor, mailbox, alice, held
):
    elsewhere = sign_in(Visitor())
    visitor.open("/oauth2/login?institution=1001").follow("Forgotten your password?")
    visitor.press("Send the link", email="Alice")
    (message,) = mailbox

    choose(visitor, link_in(message))

    assert visitor.heading == "Your password is set"
    assert visitor.follow("Sign in").heading == "Sign in"
    assert (signs_in("alice", NEW), signs_in("alice", factories.PASSWORD)) == (True, False)
    assert message.to == ["alice@library.example"]
    assert ended(held[0]) == [True, True, True]
    assert ended(held[1]) == [False, False, False]
    assert elsewhere.open("/oauth2/access").heading != "My account"


def test_without_mail_nothing_is_offered(visitor, riverside):
    login = visitor.open("/oauth2/login?institution=1001")

    assert "Ask the people who look after accounts at Riverside University" in login.text
    for page in ("forgotten", "asked"):
        assert visitor.open(f"/oauth2/password/{page}?institution=1001").status == 404


@pytest.mark.parametrize("typed", ["alice", " ALICE ", "Alice@Library.example"])
def test_an_account_is_found_by_its_username_or_address(visitor, mailbox, alice, typed):
    ask(visitor, typed)

    assert [message.to for message in mailbox] == [["alice@library.example"]]


def test_each_account_of_an_address_gets_a_message_of_its_own(
    visitor, mailbox, alice, riverside, northgate
):
    shared = {"email": "ALICE@library.example"}
    factories.UserFactory(username="alice2", institution=riverside, **shared)
    factories.UserFactory(username="alice3", institution=northgate, **shared)

    ask(visitor, "alice@library.example")

    named = [("alice2" in message.body, "alice3" in message.body) for message in mailbox]
    assert sorted(named) == [(False, False), (True, False)]


@pytest.mark.parametrize(
    "typed",
    [
        *("nobody", "nobody@library.example", "dora", "frank", "carol", "admin"),
        *("alice@1001", "x" * 254, "@", "%", "alice\u200b", "😀", "' OR 1=1 --"),
    ],
)
def test_nobody_learns_whether_an_account_exists(
    visitor, mailbox, alice, riverside, northgate, typed
):
    factories.UserFactory(
        username="dora", institution=riverside, disabled=True, email="dora@x.example"
    )
    factories.UserFactory(username="frank", institution=riverside)
    factories.UserFactory(username="carol", institution=northgate, email="c@x.example")
    factories.UserFactory(username="admin", administrator=True, email="a@x.example")
    ask(visitor, "alice")
    told, address = visitor.text, visitor.url
    mailbox.clear()

    ask(visitor, typed)

    assert (visitor.heading, visitor.text, visitor.url) == (ASKED, told, address)
    assert mailbox == []


def test_the_page_does_the_same_whatever_was_typed(visitor, mailbox, alice, settings):
    """Whether there is an account is looked for in a task, not while a page is answered."""
    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.dummy.DummyBackend"}}

    def statements(name):
        visitor.open("/oauth2/password/forgotten?institution=1001")
        with CaptureQueriesContext(connection) as captured:
            visitor.press("Send the link", email=name)
        found = [query["sql"].partition(" VALUES")[0][:60] for query in captured]
        return [each for each in found if "SAVEPOINT" not in each]

    statements("warm")
    for_alice, for_nobody = statements("alice"), statements("nobody")

    assert for_alice == for_nobody
    assert not any("authserver_user" in statement for statement in for_alice)


@pytest.mark.parametrize("typed", ["", "   ", "x" * 255, "a\x00b"])
def test_what_cannot_be_a_name_is_refused_with_words(visitor, mailbox, riverside, typed):
    ask(visitor, typed)

    assert visitor.alert.startswith("Enter a username or an e-mail address")
    assert not AuditEvent.objects.filter(action="password_reset_asked").exists()


def test_the_way_back_keeps_the_request_under_way(visitor, mailbox, alice, address, key):
    visitor.open(address(key)).follow("Forgotten your password?")
    visitor.press("Send the link", email="alice")
    choose(Visitor(), link_in(mailbox.pop()))

    visitor.follow("Back to signing in")
    visitor.press("Sign in", username="alice", password=NEW)

    assert visitor.heading == "Allow Campus Planner to act for you?"


def test_an_institution_must_be_chosen_first(visitor, mailbox, riverside):
    assert visitor.open("/oauth2/password/forgotten").heading == "Choose your institution"


def test_what_was_asked_is_on_record_with_where_it_was_asked(visitor, mailbox, alice):
    visitor.client.defaults["REMOTE_ADDR"] = "192.0.2.7"

    ask(visitor, "alice@library.example")
    ask(visitor, "nobody")

    events = AuditEvent.objects.filter(action="password_reset_asked").order_by("pk")
    assert [(each.subject, each.reason, each.address) for each in events] == [
        ("alice@1001", "", "192.0.2.7"),
        ("nobody@1001", "unknown_account", "192.0.2.7"),
    ]
    assert all(event.request_id for event in events)
    assert "token" not in str(events.values())


@pytest.mark.parametrize("why", ["by a provider", "by providers alone"])
def test_who_signs_in_elsewhere_gets_no_password_by_mail(
    visitor, mailbox, alice, riverside, why
):
    """Whoever reads the mailbox must not get around the institution's own provider."""
    if why == "by a provider":
        alice.set_unusable_password()
        alice.save()
    else:
        factories.SignInRulesFactory(institution=riverside, passwords=False)

    ask(visitor, "alice")

    assert (mailbox, visitor.heading) == ([], ASKED)
    assert asked_of("alice@1001") == ["no_passwords"]


def test_who_was_invited_and_let_the_link_lapse_asks_for_another(visitor, mailbox, alice):
    alice.set_unusable_password()
    alice.must_change_password = True
    alice.save()

    ask(visitor, "alice")

    assert choose(Visitor(), link_in(mailbox[0])).heading == "Your password is set"


# --- Limits -------------------------------------------------------------------------------


def test_an_account_gets_so_many_messages_within_the_window_and_nobody_is_told(
    visitor, mailbox, alice, settings, clock
):
    settings.ACCOUNT_RATE_LIMITS = {"password_mail": "2/3600s/user"}
    for name in ("alice", "alice@library.example", "alice"):
        ask(visitor, name)
        assert visitor.heading == ASKED
    assert (len(mailbox), asked_of("alice@1001")) == (2, ["", "", "too_many"])

    clock(3600)
    ask(visitor, "alice")

    assert len(mailbox) == 3


def test_a_message_counts_from_when_it_was_asked_for_sent_or_not(alice, settings):
    """While mail is down, nobody queues messages without end."""
    settings.ACCOUNT_RATE_LIMITS = {"password_mail": "2/3600s/user"}
    alice.email = "alice@library.example"

    found = [password_links.refusal(alice) for _ in range(3)]

    assert found == ["", "", "too_many"]


def test_an_address_asks_so_often_within_the_window_and_another_one_still_may(
    visitor, mailbox, alice, settings, clock
):
    settings.ACCOUNT_RATE_LIMITS = {"reset_password": "2/3600s/ip"}
    ask(visitor, "nobody")
    clock(600)
    ask(visitor, "nobody else")

    refused = ask(visitor, "alice")
    retry_after = refused.response["Retry-After"]
    ask(Visitor(REMOTE_ADDR="192.0.2.9"), "alice")
    clock(3000)
    ask(visitor, "alice")

    assert (retry_after, visitor.heading, len(mailbox)) == ("3000", ASKED, 2)
