"""What every app's tests share."""

import pytest

from authserver import audit


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Close the audit record's guard for the test."""
    audit.guard_open.set(False)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """Open it for the flush after a transactional test: SQLite has no TRUNCATE."""
    audit.guard_open.set(True)
