"""docs/upgrading.md: to a next version and back, by the commands that stand there."""

import contextlib
import subprocess
import sys
import threading

import psycopg
import pytest

from config.tests import prepared, servers
from config.tests.change.present import LAST
from config.tests.change.processes import run
from config.tests.change.test_data_migration import ask
from platform_errors.tests.documents_of import code_block, docs

pytestmark = [pytest.mark.processes, pytest.mark.nightly]

PAGE = docs("upgrading.md")
DONE = "SELECT name FROM django_migrations WHERE name LIKE '9%' ORDER BY name"


@pytest.fixture
def environment(tmp_path):
    name, _ = prepared.demonstration(tmp_path)
    with servers.database(tmp_path, name) as url:
        yield prepared.server_environment(tmp_path, url)


@contextlib.contextmanager
def pasting(name, environment, **variables):
    """Run a block of the page in the next version's directory; yield the shell."""
    with subprocess.Popen(
        ["bash", "-eu", "-c", code_block(PAGE, f"sh {name}")],
        cwd=servers.ROOT,
        env={
            **environment,
            "MANAGE": f"{sys.executable} manage.py",
            "DJANGO_SETTINGS_MODULE": "config.tests.change.next_settings",
            **variables,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as shell:
        try:
            yield shell
        finally:
            if shell.poll() is None:
                shell.kill()


def test_to_the_next_version_and_back(environment):
    with pasting("upgrade", environment) as shell:
        said, _ = shell.communicate()
    assert shell.returncode == 0, said
    assert "calendar_events.9002_fill_subtitles" in said  # the plan
    assert len(ask(environment, DONE)) == 3

    # The version before, with the database of the next one.
    run(environment, "check", "--database", "default")
    run(environment, "seed_demo")

    with pasting("undo", environment, APP="calendar_events", MIGRATION=LAST) as shell:
        said, _ = shell.communicate()
    assert shell.returncode == 0, said
    assert ask(environment, DONE) == []


@pytest.mark.postgresql_only  # SQLite waits
def test_a_migration_that_gets_no_lock_gives_up_and_is_tried_again(environment):
    refused = threading.Event()
    with psycopg.connect(environment["DATABASE_URL"]) as other:
        other.execute("SELECT COUNT(*) FROM calendar_events_event")
        with pasting("upgrade", environment) as shell:
            for line in shell.stdout:
                if "lock timeout" in line and not refused.is_set():
                    refused.set()
                    other.rollback()
            assert shell.wait() == 0

    assert refused.is_set()
    assert len(ask(environment, DONE)) == 3


@pytest.mark.postgresql_only  # about PostgreSQL
def test_a_migration_that_fails_ends_the_loop(environment):
    with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as other:
        other.execute("ALTER TABLE calendar_events_event ADD COLUMN subtitle integer")
    with pasting("upgrade", environment) as shell:
        said, _ = shell.communicate(timeout=240)

    assert shell.returncode != 0
    assert 'column "subtitle" of relation "calendar_events_event" already exists' in said
    assert ask(environment, DONE) == []
