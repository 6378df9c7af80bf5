"""``manage.py serve`` before it serves: a database that is not up, what to leave out."""

import subprocess
import sys
import threading

import pytest
from django.core.management import CommandError, call_command

from config.management.commands import serve
from config.tests import faults, prepared
from config.tests.waiting import eventually

ABSENT = "postgres://nobody@127.0.0.1:1/nothing"


@pytest.mark.processes
def test_a_database_that_stays_away_is_said_in_a_sentence(tmp_path):
    finished = subprocess.run(
        [sys.executable, "manage.py", "serve", "--prepare-only"],
        cwd=prepared.ROOT,
        env=prepared.server_environment(
            tmp_path, ABSENT, DATABASE_WAIT_SECONDS="1", LOG_FORMAT="plain"
        ),
        capture_output=True,
        text=True,
        check=False,
    )

    assert finished.returncode == 1
    assert "Traceback" not in finished.stderr
    waiting, given_up = finished.stderr.splitlines()
    assert "Waiting up to 1 s for the database: connection failed" in waiting
    assert "The database did not answer within 1 seconds: connection" in given_up
    assert not (tmp_path / "static").exists()


@pytest.mark.processes
@pytest.mark.postgresql_only  # stops a PostgreSQL
@pytest.mark.django_db
def test_a_database_that_comes_up_later_is_waited_for(running, caplog):
    is_up = threading.Event()

    def wait():
        with faults.connected("late", faults.settings_for(running)) as database:
            serve.wait_for_database(database, 240)
            is_up.set()

    with faults.away(running):
        waiting = threading.Thread(target=wait)
        waiting.start()
        eventually(lambda: caplog.records)
        assert not is_up.is_set()
    waiting.join()

    assert is_up.is_set()
    assert [record.getMessage()[:17] for record in caplog.records] == ["Waiting up to 240"]


def test_what_was_prepared_elsewhere_is_left_alone(monkeypatch, settings, tmp_path):
    settings.STATIC_ROOT = tmp_path / "static"

    def refuse():
        raise CommandError("the database is not ours to prepare")

    monkeypatch.setattr(serve, "prepare_database", refuse)

    call_command("serve", "--prepare-only", "--no-migrate", "--no-static")

    assert not settings.STATIC_ROOT.exists()
    with pytest.raises(CommandError, match="not ours"):
        call_command("serve", "--prepare-only", "--no-static")


@pytest.mark.django_db
def test_the_log_says_what_the_start_is_doing(caplog):
    caplog.set_level("INFO", logger=serve.logger.name)

    serve.prepare_database()

    assert caplog.messages == [
        "Preparing the database, after any other server that does.",
        "Migrating: 0 migrations to apply.",
        "The database is ready.",
    ]
