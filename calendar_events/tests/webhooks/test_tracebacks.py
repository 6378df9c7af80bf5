"""What a report of an error shows of secrets: nothing, wherever the error is."""

import sys

import pytest
from django.utils import timezone
from django.views.debug import ExceptionReporter
from standardwebhooks import Webhook

from calendar_events.admin import webhooks as desk
from calendar_events.api import webhooks as interface
from calendar_events.models import WebhookSubscription
from calendar_events.tests.factories import UserFactory
from calendar_events.webhooks import signing, subscriptions

pytestmark = pytest.mark.django_db

HOOK = {"url": "https://receiver.example/hook"}


class BrokenError(Exception):
    """Something of ours went wrong."""


def fail(*args, **kwargs):
    raise BrokenError


@pytest.fixture
def made(monkeypatch):
    """Keep the secrets that are made."""
    secrets = []
    new_secret = signing.new_secret

    def keep():
        secrets.append(new_secret())
        return secrets[-1]

    monkeypatch.setattr(signing, "new_secret", keep)
    return secrets


def report_of(call):
    """Return what Django writes to administrators of the error that a call ends with."""
    try:
        call()
    except BrokenError:
        return ExceptionReporter(None, *sys.exc_info()).get_traceback_html()
    raise AssertionError("nothing went wrong")


def assert_hidden(report, secrets):
    assert "BrokenError" in report
    assert secrets
    for secret in secrets:
        assert secret.removeprefix("whsec_") not in report


@pytest.mark.parametrize(
    ("where", "what"),
    [
        (WebhookSubscription, "save"),
        (subscriptions, "check"),
        (interface, "SecretDocument"),
    ],
    ids=["stored", "checked", "answered"],
)
@pytest.mark.parametrize("action", ["create", "rotate"])
def test_a_report_shows_no_secret_of_the_interface(
    editor, made, monkeypatch, where, what, action
):
    if (what, action) == ("check", "rotate"):
        where, what = signing, "encrypt"
    path = "/webhooks"
    if action == "rotate":
        path = f"/webhooks/{editor.post('/webhooks', HOOK).json()['id']}/rotate"
    monkeypatch.setattr(where, what, fail)

    assert_hidden(report_of(lambda: editor.post(path, HOOK)), made)


def test_a_report_shows_no_secret_while_it_is_encrypted(editor, made, monkeypatch):
    class Port:
        encrypt = staticmethod(fail)

    monkeypatch.setattr(signing, "_port", Port)

    assert_hidden(report_of(lambda: editor.post("/webhooks", HOOK)), made)


def test_a_report_shows_no_secret_while_a_message_is_signed(editor, made, monkeypatch):
    editor.post("/webhooks", HOOK)
    editor.post(f"/webhooks/{WebhookSubscription.objects.get().pk}/rotate")
    row = WebhookSubscription.objects.get()
    monkeypatch.setattr(Webhook, "sign", fail)

    report = report_of(
        lambda: signing.headers(row, message_id="msg_1", payload="{}", now=timezone.now())
    )

    assert_hidden(report, made)
    assert len(made) == 2


@pytest.mark.parametrize(
    ("where", "what"),
    [(WebhookSubscription, "save"), (desk, "TemplateResponse")],
    ids=["stored", "shown"],
)
def test_a_report_shows_no_secret_of_the_desk(
    editor, made, client, monkeypatch, where, what
):
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    page = "/admin/calendar_events/webhooksubscription/add/"
    form = {
        "url": HOOK["url"],
        "client_id": editor.actor.client_id,
        "institution": "1001",
        "types": ["event.created"],
        "statuses": ["publish"],
    }
    monkeypatch.setattr(where, what, fail)

    assert_hidden(report_of(lambda: client.post(page, form)), made)
