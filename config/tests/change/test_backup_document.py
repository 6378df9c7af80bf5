"""docs/backup.md: its commands, run as they stand there."""

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import yaml
from django.db import connection
from psycopg import sql

from config.tests import faults, prepared, servers
from config.tests.waiting import eventually
from config.tools import with_postgres
from platform_errors.tests.documents_of import code_block, docs

PAGE = docs("backup.md")
pytestmark = [
    pytest.mark.xdist_group("backup"),  # of one cluster
    pytest.mark.processes,
    pytest.mark.nightly,
]
OWNED = """
CREATE ROLE calendar LOGIN;
CREATE ROLE postgres LOGIN SUPERUSER;
CREATE DATABASE calendar OWNER calendar;
CREATE DATABASE restored OWNER calendar;
CREATE DATABASE refilled OWNER calendar;
"""
TASK = """
INSERT INTO django_tasks_database_dbtaskresult
    (id, status, enqueued_at, args_kwargs, priority, task_path, worker_ids, queue_name,
     backend_name, run_after, return_value, exception_class_path, traceback)
VALUES (gen_random_uuid(), %(status)s, now(), '{}', 0, '', '[]', '', '', now(), 'null',
        '', '')
"""
DOCKER = f"""#!{sys.executable}
import os, sys
words = sys.argv[1:]
assert words[:3] == ["compose", "-f", "deploy/compose.yaml"], words
kind, words = words[3], words[4:]
with open(os.environ["NOTES"], "a") as notes:
    print(kind, *words, file=notes)
if kind == "exec":
    assert words[0] == "-T" and words[1] in ("postgresql", "application"), words
    command = words[2:]
elif kind == "run":
    assert words[:5] == ["--rm", "-T", "--no-deps", "--entrypoint", "tar"], words
    command = ["tar", *words[6:]]
else:
    command = ["true"]
media = "/var/lib/calendar/media"
command = [word.replace(media, os.environ["MEDIA_ROOT"]) for word in command]
os.execvp(command[0], command)
"""
"""In Docker's place: each container is this machine."""
RUNUSER = f"""#!{sys.executable}
import os, sys
_, account, separator, *command = sys.argv[1:]
assert separator == "--" and account in ("postgres", "calendar"), sys.argv
media = "/var/lib/calendar/media"
command = [word.replace(media, os.environ["MEDIA_ROOT"]) for word in command]
os.environ["PGUSER"] = account
os.execvp(command[0], command)
"""
"""In runuser's place: PostgreSQL knows the account by its name."""
EVERY_ROW = sql.SQL("SELECT t::text FROM {} t")
needs_postgresql = pytest.mark.postgresql_only  # about PostgreSQL
needs_sqlite = pytest.mark.sqlite_only  # about SQLite


def attempt(name, variables, *, account=None):
    """Run a block of the page in a shell that itself goes on after an error."""
    script = code_block(PAGE, f"sh {name}").replace(".venv/bin/python", sys.executable)
    return subprocess.run(
        ["bash", "-c", script],
        cwd=servers.ROOT,
        env=variables,
        user=account,
        extra_groups=[] if account else None,
        capture_output=True,
        text=True,
        check=False,
    )


def paste(name, variables, *, account=None):
    """Run a block of the page in a shell; return what it printed."""
    finished = attempt(name, variables, account=account)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def rows(url):
    """Return every row of every table, as text, sorted."""
    with psycopg.connect(url) as database:
        tables = database.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
        ).fetchall()
        return {
            name: sorted(
                row for (row,) in database.execute(EVERY_ROW.format(sql.Identifier(name)))
            )
            for (name,) in tables
        }


@pytest.fixture(scope="module")
def variables(tmp_path_factory, django_db_setup):
    """Return the variables of the page, about a cluster with the demonstration.

    The directories belong to the account that PostgreSQL runs as.
    """
    scratch = tmp_path_factory.mktemp("backups")
    demonstration, files = prepared.demonstration(scratch)
    with with_postgres.cluster("-c shared_buffers=32MB -c fsync=off") as running:
        directory = running.directory / "work"
        directory.mkdir()
        if running.account:
            shutil.chown(directory, running.account)
        psycopg_run(running.url, *OWNED.strip().splitlines())
        # A real cluster has these in its files; here they were options of the command line.
        for name, value in (
            ("unix_socket_directories", directory),
            ("listen_addresses", "127.0.0.1"),
            ("max_connections", 400),
        ):
            psycopg_run(running.url, f"ALTER SYSTEM SET {name} = '{value}'")
        address = running.url.replace("platform@", "calendar@").rpartition("/")[0]
        faults.copy_database(demonstration, f"{address}/calendar")
        yield prepared.server_environment(
            scratch,
            f"{address}/calendar",
            PATH=f"{running.binaries}:{os.environ['PATH']}",
            MEDIA_ROOT=str(files / "media"),
            RESTORED_URL=f"{address}/restored",
            BACKUPS=str(directory / "backups"),
            ADMIN_URL=running.url,
            ARCHIVE=str(directory / "archive"),
            PGDATA=str(running.directory / "data"),
            RECOVERED=str(directory / "recovered"),
        )


def psycopg_run(url, *statements):
    with psycopg.connect(url, autocommit=True) as database:
        return [database.execute(statement) for statement in statements][-1]


def files_of(directory):
    return {
        path.relative_to(directory): path.read_bytes()
        for path in Path(directory).rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def backup(variables):
    """Return the variables after the backup, which say where it is."""
    paste("backup", variables)
    (made,) = Path(variables["BACKUPS"]).glob("*Z")
    return {**variables, "BACKUP": str(made)}


@needs_postgresql
def test_a_backup_is_restored_by_the_owner_into_an_empty_database(backup, tmp_path):
    restored = {**backup, "MEDIA_ROOT": str(tmp_path / "media")}

    said = paste("restore", restored)

    assert "System check identified no issues" in said
    assert rows(backup["RESTORED_URL"]) == rows(backup["DATABASE_URL"])
    assert objects(backup["RESTORED_URL"]) == objects(backup["DATABASE_URL"])
    assert files_of(restored["MEDIA_ROOT"]) == files_of(backup["MEDIA_ROOT"])
    assert files_of(backup["MEDIA_ROOT"])

    waiting = "SELECT status FROM django_tasks_database_dbtaskresult ORDER BY status"
    with psycopg.connect(backup["RESTORED_URL"], autocommit=True) as database:
        for status in ("READY", "RUNNING", "SUCCESSFUL"):
            database.execute(TASK, {"status": status})
    paste("forget-tasks", backup)
    assert psycopg_run(backup["RESTORED_URL"], waiting).fetchall() == [("SUCCESSFUL",)]


@needs_postgresql
def test_the_address_that_the_installation_writes_can_be_backed_up(variables, tmp_path):
    subprocess.run(
        [servers.ROOT / "deploy/install.sh", "calendar.example.edu"],
        env={**os.environ, "DESTDIR": str(tmp_path)},
        check=True,
    )
    settings = (tmp_path / "etc/calendar/environment").read_text()
    (written,) = re.findall("^DATABASE_URL=(.+)$", settings, re.MULTILINE)
    sockets = psycopg_run(variables["ADMIN_URL"], "SHOW unix_socket_directories")
    backups = tmp_path / "backups"

    paste(
        "backup",
        {
            **variables,
            "DATABASE_URL": written.replace("/var/run/postgresql", sockets.fetchone()[0]),
            "BACKUPS": str(backups),
            # What the account and the port of Debian's PostgreSQL say otherwise.
            "PGUSER": "calendar",
            "PGPORT": str(urlsplit(variables["ADMIN_URL"]).port),
        },
    )

    (made,) = backups.iterdir()
    listed = subprocess.run(
        ["pg_restore", "--list", made / "database"],
        env=variables,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert " TABLE DATA public calendar_events_event " in listed


@pytest.fixture
def containers(variables, tmp_path):
    """Return the variables for commands of compose and of systemd, all on this machine."""
    programs, address = tmp_path / "programs", urlsplit(variables["ADMIN_URL"])
    programs.mkdir()
    for name, text in (
        ("docker", DOCKER),
        ("runuser", RUNUSER),
        ("systemctl", '#!/bin/sh\necho "$*" >>"$NOTES"\n'),
    ):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    psycopg_run(variables["ADMIN_URL"], "DROP DATABASE IF EXISTS before")
    return {
        **variables,
        "PATH": f"{programs}:{variables['PATH']}",
        "PGHOST": address.hostname,
        "PGPORT": str(address.port),
        "BACKUPS": str(tmp_path / "backups"),
        "NOTES": str(tmp_path / "notes"),
    }


@needs_postgresql
def test_a_backup_of_the_containers_is_restored_beside_what_is_there(
    containers, variables, tmp_path
):
    paste("compose", containers)
    (made,) = Path(containers["BACKUPS"]).iterdir()
    before = rows(variables["DATABASE_URL"]), objects(variables["DATABASE_URL"])
    media = tmp_path / "media"
    media.mkdir()

    paste("compose-restore", {**containers, "BACKUP": str(made), "MEDIA_ROOT": str(media)})

    assert (rows(variables["DATABASE_URL"]), objects(variables["DATABASE_URL"])) == before
    assert rows(variables["DATABASE_URL"].rpartition("/")[0] + "/before") == before[0]
    assert files_of(media) == files_of(variables["MEDIA_ROOT"])
    notes = Path(containers["NOTES"]).read_text().splitlines()
    services = yaml.safe_load((servers.ROOT / "deploy/compose.yaml").read_text())[
        "services"
    ]
    stopped = next(line for line in notes if line.startswith("stop ")).split()[1:]
    # Whoever could hold a connection.
    assert set(services) - set(stopped) == {"postgresql", "redis"}
    assert notes[-1] == "up --detach --wait nginx"


@needs_postgresql
def test_a_backup_is_restored_with_systemd_while_a_pool_holds_a_connection(
    containers, variables, backup, tmp_path
):
    before = rows(variables["DATABASE_URL"]), objects(variables["DATABASE_URL"])
    media = tmp_path / "media"

    with psycopg.connect(variables["DATABASE_URL"]):
        paste(
            "systemd-restore",
            {**containers, "BACKUP": backup["BACKUP"], "MEDIA_ROOT": str(media)},
        )

    assert (rows(variables["DATABASE_URL"]), objects(variables["DATABASE_URL"])) == before
    assert rows(variables["DATABASE_URL"].rpartition("/")[0] + "/before") == before[0]
    assert files_of(media) == files_of(variables["MEDIA_ROOT"])
    assert Path(containers["NOTES"]).read_text() == "stop calendar*\n"


@needs_postgresql
def test_a_backup_is_restored_with_systemd_where_the_database_is_gone(
    containers, variables, backup, tmp_path
):
    before = rows(variables["DATABASE_URL"])
    psycopg_run(variables["ADMIN_URL"], "DROP DATABASE calendar WITH (FORCE)")

    paste(
        "systemd-restore",
        {**containers, "BACKUP": backup["BACKUP"], "MEDIA_ROOT": str(tmp_path / "media")},
    )

    assert rows(variables["DATABASE_URL"]) == before


@needs_postgresql
@pytest.mark.parametrize(
    ("name", "program"),
    [("compose", "pg_dump"), ("compose", "tar"), ("base", "pg_verifybackup")],
)
def test_a_copy_that_failed_does_not_look_complete(containers, name, program):
    account = with_postgres.server_account() if name == "base" else None
    # Where the account that PostgreSQL runs as has access.
    scratch = Path(containers["ARCHIVE"]).with_name(f"failed-{program}")
    programs, backups = scratch / "programs", scratch / "backups"
    for directory in (scratch, programs, backups):
        directory.mkdir()
        if account:
            shutil.chown(directory, account)
    (programs / program).write_text("#!/bin/sh\nexit 3\n")
    (programs / program).chmod(0o755)
    path = f"{programs}:{containers['PATH']}"
    changed = {**containers, "BACKUPS": str(backups), "PATH": path}

    failed = attempt(name, changed, account=account)

    assert failed.returncode == 3, failed.stdout + failed.stderr
    assert {path.suffix for path in backups.iterdir()} == {".part"}


@needs_postgresql
def test_rows_alone_are_restored_by_the_owner_into_a_migrated_database(backup, tmp_path):
    refilled = backup["DATABASE_URL"].rpartition("/")[0] + "/refilled"
    faults.copy_database(Path(prepared.migrated()).name, refilled)
    before = objects(refilled)

    paste("data-only", {**backup, "RESTORED_URL": refilled})

    assert rows(refilled) == rows(backup["DATABASE_URL"])
    assert objects(refilled) == before


def objects(url):
    """Return the names of triggers, with whether they are on, and of indexes."""
    with psycopg.connect(url) as database:
        return database.execute(
            "SELECT tgname::text, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal "
            "UNION SELECT indexname, '' FROM pg_indexes WHERE schemaname = 'public' "
            "ORDER BY 1"
        ).fetchall()


@needs_postgresql
def test_a_cluster_is_brought_back_to_the_moment_before_a_mistake(variables):
    account = with_postgres.server_account()
    variables = {**variables, "BACKUPS": f"{variables['BACKUPS']}-of-the-cluster"}
    paste("archive", variables, account=account)
    paste("base", variables, account=account)
    (base,) = Path(variables["BACKUPS"]).glob("base-*Z")
    database = variables["ADMIN_URL"].rpartition("/")[0] + "/calendar"
    psycopg_run(
        database, "CREATE TABLE kept_note AS SELECT 'written after the base' AS note"
    )
    moment = psycopg_run(database, "SELECT clock_timestamp()::text").fetchone()[0]
    before = rows(database)
    psycopg_run(database, "DROP TABLE kept_note")
    segment = psycopg_run(database, "SELECT pg_walfile_name(pg_switch_wal())").fetchone()[0]
    eventually((Path(variables["ARCHIVE"]) / segment).exists)
    port = with_postgres.free_port()
    recovered = {
        **variables,
        "BASE": str(base),
        "MOMENT": moment,
        "RECOVERED_PORT": str(port),
        "RECOVERED_URL": f"postgres://platform@127.0.0.1:{port}/calendar",
    }

    try:
        paste("point-in-time", recovered, account=account)
        assert rows(recovered["RECOVERED_URL"]) == before
        assert "kept_note" in before
    finally:
        subprocess.run(
            ["pg_ctl", "stop", "--mode=immediate", f"--pgdata={variables['RECOVERED']}"],
            env=variables,
            user=account,
            check=False,
        )


@needs_sqlite
def test_a_copy_of_sqlite_has_what_is_still_in_its_log(tmp_path):
    name, files = prepared.demonstration(tmp_path)
    live = tmp_path / "live.sqlite3"
    prepared.copy(name, str(live))
    variables = prepared.server_environment(
        tmp_path,
        f"sqlite:///{live}",
        BACKUPS=str(tmp_path / "backups"),
        DATABASE_FILE=str(live),
        MEDIA_ROOT=str(files / "media"),
    )
    with contextlib.closing(sqlite3.connect(live, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE note (text)")
        writer.execute("INSERT INTO note VALUES ('in the log')")
        assert Path(f"{live}-wal").stat().st_size

        paste("sqlite", variables)

    (backup,) = (tmp_path / "backups").iterdir()
    with contextlib.closing(sqlite3.connect(backup / "db.sqlite3")) as copied:
        assert copied.execute("SELECT text FROM note").fetchall() == [("in the log",)]
        assert copied.execute("SELECT COUNT(*) FROM calendar_events_event").fetchone()[0]
    with tarfile.open(backup / "media.tar") as packed:
        assert len([each for each in packed if each.isfile()]) == len(
            files_of(variables["MEDIA_ROOT"])
        )
    copy = {**variables, "DATABASE_URL": f"sqlite:///{backup / 'db.sqlite3'}"}
    assert paste("sqlite-check", copy) == "[('ok',)]\n"


@needs_sqlite
def test_a_copy_of_sqlite_that_failed_does_not_look_complete(tmp_path):
    backups, live = tmp_path / "backups", tmp_path / "live.sqlite3"
    sqlite3.connect(live).close()
    missing = {"DATABASE_FILE": str(live), "MEDIA_ROOT": str(tmp_path / "nowhere")}

    failed = attempt("sqlite", {**os.environ, "BACKUPS": str(backups), **missing})

    assert failed.returncode != 0
    assert {path.suffix for path in backups.iterdir()} == {".part"}


@needs_sqlite
def test_the_page_about_operations_says_how_durable_sqlite_is():
    options = connection.settings_dict["OPTIONS"]

    assert "synchronous=NORMAL" in options["init_command"]
    assert "`synchronous=NORMAL`" in docs("operations.md")
