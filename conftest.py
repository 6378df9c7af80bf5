"""What every app's tests share."""

import os
import signal

import hypothesis
import pytest
from django.core.cache import cache

from authserver import audit

# One Chromium for each test process, whichever app's test asks first.
pytest_plugins = ["authserver.tests.browser", "config.tests.economy"]

# A shell that starts the suite in the background lets it ignore SIGINT, and so would the
# programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Property tests try the same few examples everywhere and are not judged by their speed, so
# that a busy machine fails no run. `make fuzz` looks further.
hypothesis.settings.register_profile(
    "suite", deadline=None, derandomize=True, max_examples=30
)
hypothesis.settings.register_profile(
    "deep", deadline=None, max_examples=int(os.environ.get("EXAMPLES", "10000"))
)
hypothesis.settings.load_profile("deep" if os.environ.get("FUZZ") == "long" else "suite")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse ``serialized_rollback``, and cases whose name does not say what they try.

    ``config.tests.flushing`` puts the roles back after each flush; with rows put back
    again, they would be there twice.
    """
    for item in items:
        if "<lambda>" in item.nodeid:
            raise pytest.UsageError(f"{item.nodeid}: give its parameters ids")
        for mark in item.iter_markers("django_db"):
            if mark.kwargs.get("serialized_rollback"):
                raise pytest.UsageError(f"{item.nodeid}: serialized_rollback")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Close the audit record's guard for the test, and forget what others counted."""
    audit.guard_open.set(False)
    cache.clear()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """Open it for the flush after a transactional test: SQLite has no TRUNCATE."""
    audit.guard_open.set(True)
