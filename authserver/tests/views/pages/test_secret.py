"""A link hands the secret of a key over: once, to one, and never after its time."""

import threading
from datetime import timedelta
from html import unescape

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from authserver.keys import secret_links
from authserver.models import AuditEvent, SecretLink, ServiceKey
from authserver.tests import factories
from authserver.tests.visitor import Visitor

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Action = AuditEvent.Action
SECRET = "xyzzy-plugh-4711"
TOKEN = "opens"
GONE = "This link shows nothing"


@pytest.fixture
def link(db):
    """To the secret of ``web``."""
    key = factories.ServiceKeyFactory(client_id="web", name="Library Portal", secret=SECRET)
    return factories.SecretLinkFactory(key=key, token_text=TOKEN)


def address(token=TOKEN):
    return f"/oauth2/secret?token={token}"


def shown(visitor):
    return visitor.page.xpath("string(//input[@id='secret']/@value)")


def recorded(action):
    events = AuditEvent.objects.filter(action=action).order_by("pk")
    return [(event.actor, event.client_id) for event in events]


def test_the_secret_is_shown_once_to_who_presses_the_button(visitor, link):
    visitor.open(address())
    assert (visitor.status, shown(visitor)) == (200, "")
    assert "Library Portal" in visitor.text

    visitor.press("Show the secret")

    assert shown(visitor) == SECRET
    assert "web" in visitor.page.xpath("//input/@value")
    assert visitor.open(address()).heading == GONE
    assert recorded(Action.SECRET_SHOWN) == [("", "web")]
    link.refresh_from_db()
    assert link.shown_at is not None
    assert link.ended_at == link.shown_at


def test_looking_at_a_link_does_not_use_it_up(client, link):
    for _ in range(3):
        assert client.get(address()).status_code == 200
        assert client.head(address()).status_code == 200

    link.refresh_from_db()
    assert link.ended_at is None


def test_a_form_of_another_site_does_not_use_it_up(link):
    foreign = Client(enforce_csrf_checks=True)

    assert foreign.post(address()).status_code == 403

    link.refresh_from_db()
    assert link.ended_at is None


def test_the_secret_can_be_read_nowhere_but_on_the_page(visitor, link, caplog):
    visitor.open(address()).press("Show the secret")

    assert SECRET not in caplog.text
    assert TOKEN not in caplog.text
    assert SECRET not in str(list(AuditEvent.objects.values()))
    assert SECRET not in str(visitor.client.cookies)
    assert not SecretLink.objects.filter(token_digest__contains=TOKEN).exists()


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("token", ["opens", "does not"])
def test_every_answer_keeps_to_itself(client, link, method, token):
    response = getattr(client, method)(address(token))

    assert "no-store" in response["Cache-Control"]
    assert response["Referrer-Policy"] == "no-referrer"
    assert "noindex" in response["X-Robots-Tag"]
    assert b'name="robots" content="noindex"' in response.content


def spoil(link, how):
    now = timezone.now()
    keys = ServiceKey.objects.filter(pk=link.key_id)
    links = SecretLink.objects.filter(pk=link.pk)
    if how == "used":
        links.update(shown_at=now, ended_at=now)
    elif how == "expired":
        links.update(expires_at=now)
    elif how == "revoked":
        links.update(ended_at=now)
    elif how == "rotated":
        keys.update(secret_created_at=now)
    elif how == "canceled":
        keys.update(status="canceled")
    elif how == "restored":
        keys.update(status="canceled")
        keys.update(status="active")
    elif how == "key expired":
        keys.update(expires_at=now)


@pytest.mark.parametrize(
    "how",
    [
        *("used", "expired", "revoked", "rotated", "canceled", "restored"),
        *("key expired", "unknown"),
    ],
)
def test_a_link_that_is_dead_has_the_one_answer(client, link, how):
    spoil(link, how)
    token = "another" if how == "unknown" else TOKEN
    nonsense = client.get("/oauth2/secret")

    for answer in (client.get(address(token)), client.post(address(token))):
        assert answer.status_code == 404
        assert answer.content == nonsense.content
        assert dict(answer.items()).keys() == dict(nonsense.items()).keys()
        assert SECRET not in unescape(answer.content.decode())


@pytest.mark.parametrize("token", ["x" * 5000, "%00", "%ED%A0%80", "a&token=b", "[]"])
def test_nonsense_is_no_link(client, link, token):
    assert client.get(address(token)).status_code == 404
    assert client.post(address(token)).status_code == 404


def test_who_guesses_waits(client, link, settings):
    settings.AUTHSERVER = settings.AUTHSERVER | {"CLIENT_FAILURES_PER_ADDRESS": 3}

    answers = [client.get(address(f"guess{n}")).status_code for n in range(5)]
    limited = client.post(address())

    assert answers == [404] * 3 + [429] * 2
    assert (limited.status_code, "Retry-After" in limited) == (429, True)
    assert len(recorded(Action.SECRET_LINK_REFUSED)) == 3
    elsewhere = client.get(address(), REMOTE_ADDR="192.0.2.9")
    assert elsewhere.status_code == 200


def test_a_second_opening_is_on_record_with_the_key(client, link):
    client.post(address())

    client.post(address())

    assert recorded(Action.SECRET_LINK_REFUSED) == [("", "web")]


@pytest.mark.django_db(transaction=True)
def test_of_many_who_press_at_once_one_sees_it(link):
    start, answers = threading.Barrier(6), []

    def press():
        browser = Client()
        start.wait(60)
        answers.append(browser.post(address()))
        connection.close()

    people = [threading.Thread(target=press) for _ in range(6)]
    for person in people:
        person.start()
    for person in people:
        person.join()

    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 5
    assert sum(SECRET.encode() in answer.content for answer in answers) == 1
    assert recorded(Action.SECRET_SHOWN) == [("", "web")]


def test_a_link_that_ends_between_the_look_and_the_lock_shows_nothing(link, monkeypatch):
    """As for whoever waits for another who opened it, or for the key to be rotated."""
    now = timezone.now()
    lock = ServiceKey.objects.select_for_update

    def end_and_lock(*arguments, **options):
        SecretLink.objects.update(ended_at=now)
        return lock(*arguments, **options)

    monkeypatch.setattr(ServiceKey.objects, "select_for_update", end_and_lock)

    assert secret_links.show(TOKEN, now) is None
    assert recorded(Action.SECRET_SHOWN) == []


@pytest.mark.parametrize("change", ["rotate", "cancel"])
def test_a_key_that_changes_between_the_look_and_the_lock_shows_nothing(
    link, monkeypatch, change
):
    """Whatever changes it: a program that does not end the links, too."""
    now, lock = timezone.now(), ServiceKey.objects.select_for_update

    def change_and_lock(*arguments, **options):
        key = ServiceKey.objects.get(pk=link.key_id)
        if change == "rotate":
            key.rotate_secret(now=now + timedelta(seconds=1))
        else:
            key.status = "canceled"
        key.save()
        return lock(*arguments, **options)

    monkeypatch.setattr(ServiceKey.objects, "select_for_update", change_and_lock)

    assert secret_links.show(TOKEN, now) is None
    assert SecretLink.objects.get().shown_at is None


# --- What the command does ----------------------------------------------------------------


def test_a_link_that_nobody_opened_is_on_record_once_and_stays(link):
    spoil(link, "expired")

    for _ in range(2):
        call_command("clear_expired", verbosity=0)

    assert recorded(Action.SECRET_LINK_EXPIRED) == [("manage.py", "web")]
    link.refresh_from_db()  # it says that nobody has the current secret
    assert link.ended_at is not None


def test_what_is_over_goes_after_a_while(link):
    long_ago = timezone.now() - timedelta(days=2)
    SecretLink.objects.update(shown_at=long_ago, ended_at=long_ago, expires_at=long_ago)
    replaced = factories.SecretLinkFactory(
        secret_created_at=long_ago, ended_at=long_ago, expires_at=long_ago
    )
    living = factories.SecretLinkFactory()

    call_command("clear_expired", verbosity=0)

    assert not SecretLink.objects.filter(pk__in=[link.pk, replaced.pk]).exists()
    assert SecretLink.objects.filter(pk=living.pk, ended_at=None).exists()


def test_the_page_works_in_a_browser_without_scripts_and_cookies_of_before(link):
    visitor = Visitor()

    visitor.open(address()).press("Show the secret")

    assert shown(visitor) == SECRET
