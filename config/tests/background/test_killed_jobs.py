"""Jobs whose worker, a process, is killed in the middle: the next one goes on behind."""

import json
from collections import Counter
from contextlib import contextmanager

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group

from authserver.jobs import running
from authserver.models import AuditEvent, Job, JobFilePart
from authserver.tests import factories
from calendar_events.models import Event
from calendar_events.tests import factories as calendar
from config.tests import prepared, servers
from config.tests.background import tasks
from config.tests.background.test_processes import (
    QUICK,
    database_of,
    db_worker,
    wait_for,
    wait_for_states,
)

ROWS = running.ROWS_OF_ACTION + 20
IN_THE_SECOND = running.ROWS_OF_ACTION + 10
"""A row in the middle of the second portion of an action."""


@pytest.fixture
def environment(tmp_path):
    with servers.database(tmp_path, prepared.migrated(tmp_path)) as url:
        yield prepared.server_environment(tmp_path, url, **QUICK)


def kill_in_the_middle(environment, tmp_path, make_job, model, count):
    """Let a worker be killed before it writes a row, and another do what is left.

    Return what there was between the two, as ``(position, events that are untouched)``.
    """
    (tmp_path / "hold").touch()
    with database_of(environment):
        job = make_job()
        tasks.work_on_job_and_wait.enqueue(job.pk, str(tmp_path), model, count)
    with db_worker(environment):  # ends with SIGKILL
        wait_for(tmp_path / "lines", "begun")
    with database_of(environment):
        between = Job.objects.get().position, Event.objects.filter(version=1).count()
    (tmp_path / "hold").unlink()
    with db_worker(environment):
        wait_for_states(environment, [("SUCCESSFUL", 2)])
    return between


def editor():
    """Return an editor whose institution has drafts."""
    person = factories.UserFactory()
    person.groups.set(Group.objects.filter(name="editor"))
    home = person.institution.registry_id
    calendar.EventFactory.create_batch(ROWS, draft=True, institution=home, author=person)
    return person


def action(name, **arguments):
    """Return a job about all events."""
    rows = list(Event.objects.order_by("pk").values_list("pk", flat=True))
    return factories.JobFactory(
        user=Event.objects.first().author,
        kind=Job.Kind.ACTION,
        model="calendar_events.event",
        name=name,
        arguments=arguments,
        rows=rows,
        total=len(rows),
    )


@contextmanager
def killed_in_the_second_portion(environment, tmp_path, name):
    """Yield the job of an action that another worker finished, with its database."""

    def make_job():
        editor()
        return action(name)

    between = kill_in_the_middle(
        environment, tmp_path, make_job, "calendar_events.event", IN_THE_SECOND
    )
    assert between == (running.ROWS_OF_ACTION, ROWS - running.ROWS_OF_ACTION)
    with database_of(environment):
        job = Job.objects.get()
        assert (job.done, job.left, job.error) == (ROWS, {}, "")
        yield job


def test_records_are_published_once_each(environment, tmp_path):
    with killed_in_the_second_portion(environment, tmp_path, "publish"):
        assert Counter(Event.objects.values_list("status", "version")) == {
            ("publish", 2): ROWS
        }
        assert Counter(Event.history.values_list("history_type", flat=True)) == {
            "+": ROWS,
            "~": ROWS,
        }


def test_records_are_deleted_and_recorded_once_each(environment, tmp_path):
    with killed_in_the_second_portion(environment, tmp_path, "delete_selected") as job:
        assert not Event.objects.exists()
        logged = Counter(LogEntry.objects.values_list("object_id", flat=True))
        assert logged == dict.fromkeys(map(str, job.rows), 1)
        assert Event.history.filter(history_type="-").count() == ROWS


def test_a_file_has_every_row_once(environment, tmp_path):
    rows = 2 * running.ROWS_OF_EXPORT + 500

    def make_job():
        uma = factories.UserFactory(institution=None)
        uma.groups.set(Group.objects.filter(name="auditor"))
        AuditEvent.objects.bulk_create(
            factories.AuditEventFactory.build(request_id="r", reason=f"row {number}")
            for number in range(rows)
        )
        asked = {"query": "q=r"}
        return factories.JobFactory(user=uma, name="jsonl", arguments=asked)

    position, _ = kill_in_the_middle(environment, tmp_path, make_job, "authserver.job", 2)

    assert position == running.ROWS_OF_EXPORT
    with database_of(environment):
        parts = JobFilePart.objects.order_by("number").values_list("content", flat=True)
        text = b"".join(map(bytes, parts)).decode()
        job = Job.objects.get()
        written = [json.loads(line)["reason"] for line in text.splitlines()]
        assert written == [f"row {number}" for number in reversed(range(rows))]
        assert (len(parts), job.size) == (3, len(text.encode()))
        assert job.has_file(job.finished_at)
