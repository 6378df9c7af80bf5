"""What the database is asked for the metrics, and what they say without one."""

import tomllib
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from authserver.models import AccessToken
from authserver.tests.factories import AccessTokenFactory
from config import __version__
from config.background import queue
from config.monitoring import database_metrics, metrics
from config.tests import prepared
from config.tests.background.tasks import note

pytestmark = pytest.mark.both_databases

NOW = timezone.now()


@pytest.fixture
def tasks(db):
    """Store tasks of each state, the oldest of which waits for an hour."""
    states = ["READY", "READY", "RUNNING", "FAILED", "SUCCESSFUL"]
    for state in states:
        row = DBTaskResult.objects.get(pk=note.enqueue("a").id)
        changes = {
            "status": TaskResultStatus[state],
            "enqueued_at": NOW - timedelta(hours=1),
        }
        DBTaskResult.objects.filter(pk=row.pk).update(**changes)


def value(name, **labels):
    """Return what a gauge of this process is set to."""
    return metrics.REGISTRY.get_sample_value(name, labels)


def test_tasks_are_counted_by_state_and_the_oldest_is_known(tasks):
    database_metrics.refresh(NOW)

    counted = [value("platform_tasks", state=one) for one in ("ready", "running", "failed")]
    assert counted == [2, 1, 1]
    assert value("platform_oldest_task_seconds") == 3600


def waits():
    database_metrics.refresh(NOW)
    return value("platform_oldest_task_seconds")


def test_a_task_that_is_tried_again_waits_since_that_was_due(tasks):
    again = DBTaskResult.objects.filter(status=TaskResultStatus.READY)
    again.update(run_after=NOW - timedelta(seconds=5))
    assert waits() == 5

    queue.try_again(DBTaskResult.objects.failed())
    again.filter(run_after=NOW - timedelta(seconds=5)).delete()

    assert waits() < 1


def test_the_version_is_that_of_the_package():
    described = tomllib.loads((prepared.ROOT / "pyproject.toml").read_text())

    assert __version__ == described["project"]["version"]


def test_the_oldest_expired_token_says_how_long_nothing_was_cleared(db):
    AccessTokenFactory(expires=NOW + timedelta(hours=1))
    AccessTokenFactory(expires=NOW - timedelta(days=3))

    database_metrics.refresh(NOW)
    assert value("platform_oldest_expired_seconds") == 3 * 86400
    AccessToken.objects.filter(expires__lte=NOW).delete()
    database_metrics.refresh(NOW)
    assert value("platform_oldest_expired_seconds") == 0


class Broken:
    """Rows of a database that is away."""

    def ready(self):
        raise OperationalError


def test_a_database_that_fails_is_said_to_be_away_until_it_answers(db, monkeypatch):
    database_metrics.refresh(NOW)
    with monkeypatch.context() as patch:
        patch.setattr(database_metrics.DBTaskResult, "objects", Broken())
        database_metrics.refresh(NOW)
        assert value("platform_database_up") == 0
    database_metrics.refresh(NOW)
    assert value("platform_database_up") == 1


def test_the_database_is_asked_again_and_again(db, monkeypatch):
    class Enough(Exception):
        """Ends what goes on for as long as the process lives."""

    moments = []

    def pause(_seconds):
        if len(moments) == 2:
            raise Enough

    monkeypatch.setattr(database_metrics, "refresh", moments.append)
    monkeypatch.setattr(database_metrics.time, "sleep", pause)
    monkeypatch.setattr(database_metrics.connections, "close_all", lambda: None)
    with pytest.raises(Enough):
        database_metrics._run()
