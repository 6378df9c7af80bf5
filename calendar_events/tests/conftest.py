"""Callers with a key store in memory; their users and groups are real rows."""

import pytest
from django.conf import settings as django_settings

from calendar_events.tests.callers import Caller, caller
from platform_errors.tests.store import MemoryKeyStore


@pytest.fixture(autouse=True)
def _memory_key_store(settings):
    settings.PLATFORM_ERRORS = {
        **django_settings.PLATFORM_ERRORS,
        "KEY_STORE": "platform_errors.tests.store.MemoryKeyStore",
    }
    yield
    MemoryKeyStore.clear()


def institutions():
    """Stand in for whoever knows the institutions."""
    return {"1001": "Riverside University (1001)", "1002": "Northgate (1002)"}


@pytest.fixture(autouse=True)
def _known_institutions(settings):
    settings.CALENDAR_EVENTS = {
        **django_settings.CALENDAR_EVENTS,
        "INSTITUTIONS": f"{__name__}.institutions",
    }


@pytest.fixture
def anonymous():
    """Somebody without credentials."""
    return Caller()


@pytest.fixture
def editor(db):
    """Who creates, publishes and changes everything at 1001."""
    return caller("editor")


@pytest.fixture
def author(db):
    """Who publishes, and changes their own, at 1001."""
    return caller("author")


@pytest.fixture
def contributor(db):
    """Who creates drafts, and changes their own while unpublished, at 1001."""
    return caller("contributor")


@pytest.fixture
def subscriber(db):
    """A user of 1001 without any permission."""
    return caller()


@pytest.fixture
def stranger(db):
    """An editor of another institution, with a key that has only that one."""
    return caller("editor", institution="1002")
