"""``backup.sh``, with a ``pg_dump`` that only writes down how it was called."""

import os
import re
import stat
import subprocess
import time

import pytest

from config.tests.deploy.installation import DEPLOY


def run(**environment):
    return subprocess.run(
        [DEPLOY / "backup.sh"],
        env={**os.environ, **environment},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """Return the file in which a program named ``pg_dump`` notes its calls."""
    directory, notes = tmp_path / "programs", tmp_path / "calls"
    directory.mkdir()
    program = directory / "pg_dump"
    program.write_text(f'#!/bin/sh\necho "$PGPASSWORD|$*" >>{notes}\nexit ${{STATUS:-0}}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")
    return notes


@pytest.fixture
def backups(calls, tmp_path, monkeypatch):
    """Return the directory of backups, two of which are old; the address is in a file."""
    directory, secret = tmp_path / "backups", tmp_path / "database_url"
    secret.write_text(
        "postgres://calendar:a%2Fb%40c@db.internal/calendar?sslmode=require\n"
    )
    for name, days in (
        ("20260101T023000Z", 40),
        ("20260102T023000Z.part", 40),
        ("20260131T023000Z", 20),
        ("base-20260101T023000Z", 40),
    ):
        (directory / name / "database").mkdir(parents=True)
        moment = time.time() - days * 86400
        os.utime(directory / name, (moment, moment))
    monkeypatch.setenv("DATABASE_URL_FILE", str(secret))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("BACKUPS", str(directory))
    monkeypatch.setenv("MEDIA_ROOT", str(tmp_path / "no-picture-yet"))
    return directory


def test_a_backup_shows_nobody_the_password_and_ends_those_that_are_old(calls, backups):
    run()

    password, _, arguments = calls.read_text().strip().partition("|")
    made = sorted(path.name for path in backups.iterdir())
    assert password == "a/b@c"
    assert arguments.endswith(" postgres://calendar@db.internal/calendar?sslmode=require")
    assert [made[0], made[-1]] == ["20260131T023000Z", "base-20260101T023000Z"]
    assert len(made) == 3
    assert stat.S_IMODE((backups / made[1]).stat().st_mode) == 0o700
    assert (backups / made[1] / "media.tar").stat().st_size


def test_a_backup_that_fails_leaves_nothing_of_itself_and_all_others(backups):
    before = sorted(backups.iterdir())

    with pytest.raises(subprocess.CalledProcessError):
        run(STATUS="1")

    assert sorted(backups.iterdir()) == before


def test_a_backup_says_in_one_line_where_it_is_and_how_large(backups, tmp_path, calls):
    said = run()

    (made,) = [path for path in backups.iterdir() if (path / "media.tar").exists()]
    assert re.fullmatch(rf"Backup of [\d.]+[KMG]?: {made}\n", said)
    assert "--verbose" not in calls.read_text()
    # The proxy reads pictures as one of the group.
    assert stat.S_IMODE((tmp_path / "no-picture-yet").stat().st_mode) == 0o750


def test_backups_are_kept_for_good_where_nobody_wants_them_deleted(backups):
    run(KEEP_DAYS="0")

    assert len(list(backups.iterdir())) == 5
