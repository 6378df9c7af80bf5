"""Tasks are done at least once, and tried a bounded number of times."""

import threading
from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from authserver import retention
from config.background import loop, queue, worker
from config.tests.background import tasks

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "lines"
    path.touch()
    return path


ELSEWHERE = pytest.mark.postgresql_only  # SQLite's clock is the server's own


@pytest.fixture
def later(time_machine, monkeypatch):
    """Go on by so many seconds, the database too, and come back as a new worker."""
    moment = timezone.now()
    time_machine.move_to(moment, tick=False)
    for module in (queue, worker):
        monkeypatch.setattr(module, "database_now", timezone.now)

    def go_on(seconds):
        time_machine.shift(timedelta(seconds=seconds))
        worker.Worker().run_once()

    return go_on


def lose(row, *, attempts=1, seconds=0):
    """Leave a task as a worker does that was killed so many seconds ago."""
    row.status = "RUNNING"
    row.started_at = timezone.now() - timedelta(seconds=seconds)
    row.worker_ids = ["killed"] * attempts
    row.save()


def only():
    return DBTaskResult.objects.get()


def test_what_is_enqueued_is_done_once(lines):
    tasks.note.enqueue(str(lines), "done")

    call_command("db_worker", "--batch", stdout=StringIO())
    call_command("db_worker", "--batch", stdout=StringIO())

    assert lines.read_text() == "done\n"
    assert (only().status, len(only().worker_ids)) == ("SUCCESSFUL", 1)


def test_a_task_of_a_lost_worker_is_done_when_its_lease_is_over(lines, settings, later):
    tasks.note.enqueue(str(lines), "done")
    lose(only())

    later(settings.TASK_LEASE_SECONDS - 1)
    too_early = lines.read_text()
    later(2)

    assert (too_early, lines.read_text()) == ("", "done\n")
    assert only().worker_ids[0] == "killed"


@ELSEWHERE
def test_a_worker_whose_clock_is_fast_takes_no_task_that_another_does(lines, time_machine):
    tasks.note.enqueue(str(lines), "done")
    lose(only())
    time_machine.move_to(timezone.now() + timedelta(hours=1))

    worker.Worker().run_once()

    assert (only().status, lines.read_text()) == ("RUNNING", "")


@ELSEWHERE
@pytest.mark.parametrize("hours", [-1, 1], ids=["slow", "fast"])
def test_a_task_is_kept_by_the_database_s_clock(settings, time_machine, hours):
    tasks.moment_of_claim.enqueue()
    time_machine.move_to(timezone.now() + timedelta(hours=hours))

    worker.Worker().run_once()

    time_machine.move_to(timezone.now() - timedelta(hours=hours))
    claimed = datetime.fromisoformat(only().return_value)
    assert abs(timezone.now() - claimed) < timedelta(minutes=1)


def test_a_lease_of_what_has_ended_does_not_begin(lines):
    tasks.note.enqueue(str(lines), "done")
    worker.Worker().run_once()
    before = only().started_at

    queue.start_lease(only())

    assert only().started_at == before


def test_a_task_that_loses_every_worker_is_given_up(lines, settings, later):
    tasks.note.enqueue(str(lines), "done")
    lose(only(), attempts=settings.TASK_ATTEMPTS)

    later(settings.TASK_LEASE_SECONDS + 1)

    assert (only().status, lines.read_text()) == ("FAILED", "")
    assert "worker was lost 6 times" in only().traceback


def test_what_fails_is_tried_again_after_pauses_that_double_and_then_shown(settings, later):
    settings.TASK_ATTEMPTS, settings.TASK_RETRY_SECONDS = 3, 60
    tasks.break_down.enqueue("no answer")

    states = []
    for seconds in (0, 59, 2, 118, 3, 10_000):
        later(seconds)
        states.append((only().status, len(only().worker_ids)))

    # The end of an attempt is put back by the next look, so it waits from then on.
    assert states == [
        ("FAILED", 1),
        ("READY", 1),
        ("FAILED", 2),
        ("READY", 2),
        ("FAILED", 3),
        ("FAILED", 3),
    ]
    assert only().traceback.splitlines()[-1] == "RuntimeError: no answer"


def test_one_that_was_given_up_can_be_tried_again(settings, later):
    settings.TASK_ATTEMPTS = 1
    tasks.break_down.enqueue("no answer")
    later(0)

    count = queue.try_again(DBTaskResult.objects.all())

    row = only()
    assert (count, row.status, row.worker_ids) == (1, "READY", [])
    assert row.run_after <= timezone.now()
    assert queue.try_again(DBTaskResult.objects.all()) == 0


def test_finished_tasks_are_forgotten_after_their_days_and_no_others(
    lines, settings, later
):
    settings.TASK_ATTEMPTS = 1
    tasks.note.enqueue(str(lines), "done")
    tasks.break_down.enqueue("no answer")
    later(0)
    tasks.note.enqueue(str(lines), "waits")

    def left(days):
        retention.clear(timezone.now() + timedelta(days=days))
        return DBTaskResult.objects.count()

    assert (left(settings.TASK_DAYS - 1), left(settings.TASK_DAYS + 1)) == (3, 1)


@pytest.mark.django_db(transaction=True)
def test_a_worker_waits_for_a_database_that_is_away(lines, settings, monkeypatch, caplog):
    settings.TASK_POLL_SECONDS = 0.01
    monkeypatch.setattr(loop, "PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(loop, "outage", loop.CircuitBreaker(loop.outage._message))
    tasks.note.enqueue(str(lines), "done")
    answers = [OperationalError("gone"), OperationalError("gone")]
    put_back = queue.put_back

    def away_at_first(now):
        if answers:
            raise answers.pop()
        put_back(now)

    monkeypatch.setattr(queue, "put_back", away_at_first)
    running = worker.Worker()
    thread = threading.Thread(target=running.run)
    thread.start()

    while not lines.read_text():
        pass
    running.stop()
    thread.join()

    assert "The database failed, background work waits for it" in caplog.text
    assert caplog.text.count("The database failed") == 1
