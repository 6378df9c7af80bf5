"""Workers as processes: killed while they work, or left by their database."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import environ
import pytest
from django.db import connection
from django_tasks_db.models import DBTaskResult

from config.tests import faults, prepared, servers
from config.tests.background import tasks
from config.tests.serving.test_workers import workers
from config.tests.waiting import PATIENCE_SECONDS, eventually

pytestmark = pytest.mark.processes

QUICK = {"TASK_LEASE_SECONDS": "2", "TASK_POLL_SECONDS": "0.1"}


def database_of(environment):
    """Let this process be in the database of others, which is quicker than a command."""
    theirs = environ.Env.db_url_config(environment["DATABASE_URL"])
    where = {name: theirs[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT")}
    return faults.connected("default", connection.settings_dict | where)


def enqueue(environment, task, *arguments):
    with database_of(environment):
        task.enqueue(*map(str, arguments))


def states(environment):
    """Return the state of each task of a test and how many workers have begun it."""
    with database_of(environment):
        rows = DBTaskResult.objects.filter(task_path__startswith=tasks.__name__)
        return [(row.status, len(row.worker_ids)) for row in rows]


@contextlib.contextmanager
def db_worker(environment):
    process = subprocess.Popen(
        [sys.executable, "manage.py", "db_worker"], cwd=servers.ROOT, env=environment
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_for(path, text):
    eventually(lambda: path.exists() and text in path.read_text(), lambda: text)


def wait_for_states(environment, wanted):
    eventually(lambda: states(environment) == wanted, lambda: states(environment))


@pytest.fixture
def environment(tmp_path):
    with servers.database(tmp_path, prepared.migrated()) as url:
        yield prepared.server_environment(tmp_path, url, **QUICK)


def test_a_task_whose_worker_is_killed_is_done_by_the_next(environment, tmp_path):
    (tmp_path / "hold").touch()
    enqueue(environment, tasks.note_and_wait, tmp_path)

    with db_worker(environment):
        wait_for(tmp_path / "lines", "begun")
    (tmp_path / "hold").unlink()
    with db_worker(environment):
        wait_for(tmp_path / "lines", "done")
        wait_for_states(environment, [("SUCCESSFUL", 2)])

    assert (tmp_path / "lines").read_text() == "begun\nbegun\ndone\n"


def test_a_worker_that_is_told_to_stop_finishes_what_it_has_begun(environment, tmp_path):
    (tmp_path / "hold").touch()
    enqueue(environment, tasks.note_and_wait, tmp_path)
    enqueue(environment, tasks.note, tmp_path / "lines", "another")

    with db_worker(environment) as process:
        wait_for(tmp_path / "lines", "begun")
        process.send_signal(signal.SIGTERM)
        (tmp_path / "hold").unlink()
        status = process.wait(PATIENCE_SECONDS)

    assert (status, (tmp_path / "lines").read_text()) == (0, "begun\ndone\n")
    assert states(environment) == [("SUCCESSFUL", 1), ("READY", 0)]


def test_a_server_works_in_the_background_also_after_its_processes_were_killed(tmp_path):
    (tmp_path / "hold").touch()
    with servers.demo_server(tmp_path, EMBEDDED_WORKER="1", **QUICK) as server:
        enqueue(server.environment, tasks.note_and_wait, tmp_path)
        wait_for(tmp_path / "lines", "begun")
        for pid in workers(server):
            os.kill(pid, signal.SIGKILL)
        (tmp_path / "hold").unlink()

        wait_for(tmp_path / "lines", "done")
        wait_for_states(server.environment, [("SUCCESSFUL", 2)])


def test_a_server_can_leave_the_work_to_others(tmp_path):
    with servers.demo_server(tmp_path, **QUICK) as server:
        enqueue(server.environment, tasks.note, tmp_path / "lines", "done")
        time.sleep(1)  # ten times as long as between two looks at the queue
        assert states(server.environment) == [("READY", 0)]

        server.manage("db_worker", "--batch")

    assert (tmp_path / "lines").read_text() == "done\n"


@pytest.mark.postgresql_only  # SQLite is never away
@pytest.mark.django_db
def test_a_worker_outlives_its_database(tmp_path, running):
    environment = prepared.server_environment(tmp_path, running.url, **QUICK)
    with db_worker(environment) as process:
        enqueue(environment, tasks.note, tmp_path / "lines", "before")
        wait_for(tmp_path / "lines", "before")
        with faults.away(running):
            time.sleep(1)
        enqueue(environment, tasks.note, tmp_path / "lines", "after")

        wait_for(tmp_path / "lines", "after")
        assert process.poll() is None
