"""Callers who subscribe, receivers on loopback, and a messenger that tests step."""

import pytest

from calendar_events.tests.callers import caller
from calendar_events.tests.receiving import receiving
from calendar_events.tests.settling import settle
from calendar_events.tests.web import LOOPBACK
from calendar_events.webhooks.messenger import Messenger
from platform_errors.tests.factories import make_key, make_service


@pytest.fixture(autouse=True)
def _loopback_may_receive(settings, _known_institutions):
    settings.CALENDAR_EVENTS = {
        **settings.CALENDAR_EVENTS,
        "WEBHOOK_NETWORKS": LOOPBACK,
        "WEBHOOK_HTTP": True,
    }


@pytest.fixture
def receiver():
    with receiving() as server:
        yield server


@pytest.fixture
def deliver():
    """Let the messenger work until there is nothing left to do now."""
    messenger = Messenger()

    def until_idle():
        settle()
        while messenger.step():
            messenger.wait(60)

    yield until_idle
    messenger.close()


@pytest.fixture
def subscribe(editor):
    """Subscribe an address for the editor's key; ``by`` another caller."""

    def create(url, *, by=None, **body):
        settle()  # what is there already is not told of
        response = (by or editor).post("/webhooks", {"url": url, **body})
        assert response.status_code == 201, response.content
        return response.json()

    return create


@pytest.fixture
def other_key(db):
    """An editor through another service key of the same institution."""
    services = [make_service("calendar_events", "Calendar Events")]
    return caller("editor", key=make_key("other-key", services=services))
