"""What is asked of the database at a scrape, and what a scrape does without one."""

import threading
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
from config.monitoring import figures
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


def test_tasks_are_counted_by_state_and_the_oldest_is_known(tasks):
    found = figures.ask(NOW)

    assert found.tasks == {"ready": 2, "running": 1, "failed": 1}
    assert found.oldest_task_seconds == 3600


def test_a_task_that_is_tried_again_waits_since_that_was_due(tasks):
    again = DBTaskResult.objects.filter(status=TaskResultStatus.READY)
    again.update(run_after=NOW - timedelta(seconds=5))
    assert figures.ask(NOW).oldest_task_seconds == 5

    queue.try_again(DBTaskResult.objects.failed())
    again.filter(run_after=NOW - timedelta(seconds=5)).delete()

    assert figures.ask(NOW).oldest_task_seconds < 1


def test_the_version_is_that_of_the_package():
    described = tomllib.loads((prepared.ROOT / "pyproject.toml").read_text())

    assert __version__ == described["project"]["version"]


def test_the_oldest_expired_token_says_how_long_nothing_was_cleared(db):
    AccessTokenFactory(expires=NOW + timedelta(hours=1))
    AccessTokenFactory(expires=NOW - timedelta(days=3))

    assert figures.ask(NOW).oldest_expired_seconds == 3 * 86400
    AccessToken.objects.filter(expires__lte=NOW).delete()
    assert figures.ask(NOW).oldest_expired_seconds == 0


def samples(collector):
    return {
        sample.name: sample.value
        for metric in collector.collect()
        for sample in metric.samples
    }


def test_a_database_that_says_nothing_is_not_waited_for(monkeypatch):
    released = threading.Event()
    asked = []

    def hang(_now):
        asked.append(1)
        released.wait(240)
        raise OperationalError

    monkeypatch.setattr(figures, "ask", hang)
    monkeypatch.setattr(figures, "WAIT_SECONDS", 0.05)
    collector = figures.FiguresCollector()
    try:
        found = [samples(collector) for _ in range(3)]
    finally:
        released.set()

    assert [one["platform_database_up"] for one in found] == [0, 0, 0]
    assert "platform_oldest_task_seconds" not in found[0]
    assert asked == [1]


def test_an_answer_is_given_again_for_a_while(monkeypatch):
    asked = []

    def answer(_now):
        asked.append(1)
        return figures.Figures(tasks={}, oldest_task_seconds=5, oldest_expired_seconds=0)

    monkeypatch.setattr(figures, "ask", answer)
    monkeypatch.setattr(figures, "KEEP_SECONDS", 3600.0)
    collector = figures.FiguresCollector()

    found = [samples(collector) for _ in range(3)]

    assert [one["platform_oldest_task_seconds"] for one in found] == [5, 5, 5]
    assert asked == [1]


def test_a_database_that_fails_is_asked_again_with_the_next_scrape(monkeypatch):
    answers = iter([OperationalError(), None])

    def answer(_now):
        if (error := next(answers)) is not None:
            raise error
        return figures.Figures(tasks={}, oldest_task_seconds=0, oldest_expired_seconds=0)

    monkeypatch.setattr(figures, "ask", answer)
    collector = figures.FiguresCollector()

    assert [samples(collector)["platform_database_up"] for _ in range(2)] == [0, 1]
