"""Workers inside of a test's own transaction."""

import pytest
from django_tasks_db.management.commands import db_worker

from config.background import webhooks, worker


@pytest.fixture(autouse=True)
def _keep_the_connection(request, monkeypatch):
    """Let workers not close the connection, whose transaction the test is in."""
    mark = request.node.get_closest_marker("django_db")
    if mark is None or mark.kwargs.get("transaction"):
        return
    for module in (webhooks, worker, db_worker):
        monkeypatch.setattr(module, "close_old_connections", lambda: None)
