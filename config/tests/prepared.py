"""Databases that a test run makes once and copies: migrated, and with the demo data.

Migrating an empty database takes longer than most tests of a server.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

ROOT = Path(__file__).resolve().parents[2]


def run_directory(scratch: Path) -> Path:
    """Return the directory that all processes of a test run share."""
    return next(
        path
        for path in (scratch, *scratch.parents)
        if re.fullmatch(r"pytest-\d+", path.name)
    )


def server_url() -> str:
    """Return the address of the PostgreSQL server that the suite runs on, or nothing."""
    url = os.environ.get("DATABASE_URL", "")
    return url if url.startswith("postgres") else ""


def create_database(name: str, template: str) -> None:
    """Make a PostgreSQL database, a copy of ``template``; one of that name is replaced."""
    drop_database(name)
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )


def drop_database(name: str) -> None:
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )


def address(name: str) -> str:
    """Return the ``DATABASE_URL`` of a file or, on PostgreSQL, of a name."""
    if url := server_url():
        return urlsplit(url)._replace(path=f"/{name}").geturl()
    return f"sqlite:///{name}"


def copy(template: str, name: str) -> None:
    """Make the database ``name``, a copy of ``template``; one of that name is replaced."""
    if server_url():
        create_database(name, template)
        return
    for left_over in (name, f"{name}-wal", f"{name}-shm"):
        Path(left_over).unlink(missing_ok=True)
    shutil.copyfile(template, name)


@contextlib.contextmanager
def _made_once(scratch: Path, kind: str):
    """Yield the directory, the name of the database and whether it is still to be made.

    Other processes of the run wait meanwhile.
    """
    directory = run_directory(scratch) / kind
    directory.mkdir(exist_ok=True)
    name = str(directory / "made.sqlite3")
    if server_url():
        name = f"{kind}_{directory.parent.name}_{directory.stat().st_ino}"
    is_ready = directory / "ready"
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield directory, name, not is_ready.exists()
        is_ready.touch()


def migrated(scratch: Path) -> str:
    """Return a database with our tables and no rows but those of the migrations."""
    with _made_once(scratch, "migrated") as (_, name, is_missing):
        if is_missing:
            if server_url():
                create_database(name, "template1")
            _manage(
                ["migrate", "--run-syncdb", "--verbosity=0", "--skip-checks"],
                os.environ
                | {
                    "DJANGO_SETTINGS_MODULE": "config.tests.settings",
                    "DATABASE_URL": address(name),
                },
            )
    return name


def demonstration(scratch: Path) -> tuple[str, Path]:
    """Return a database with the demo data and a directory.

    There, in ``media``, are the pictures that belong to it and, in ``static``, the files
    that ``collectstatic`` makes.
    """
    with _made_once(scratch, "demonstration") as (directory, name, is_missing):
        if is_missing:
            copy(migrated(scratch), name)
            _manage(
                ["serve", "--prepare-only"], server_environment(directory, address(name))
            )
    return name, directory


def _manage(arguments: list[str], environment: dict[str, str]) -> None:
    subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, check=True
    )


def clean_environment(**extra: str) -> dict[str, str]:
    """Return what a newcomer's shell has, and nothing of the test run's."""
    kept = {
        name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ
    }
    return {**kept, "READ_DOT_ENV": "0", "DEMO": "1", **extra}


def server_environment(scratch: Path, database_url: str, **extra: str) -> dict[str, str]:
    """Return the environment of a demo server that keeps its files in ``scratch``."""
    return clean_environment(
        **{
            "DATABASE_URL": database_url,
            "MEDIA_ROOT": str(scratch / "media"),
            "STATIC_ROOT": str(scratch / "static"),
            "WORKERS": "2",
            "SECRET_KEY": "served-by-the-test-suite-" * 3,
            "ENCRYPTION_KEYS": "dGVzdC1vbmx5LWtleS1vZi0zMi1ieXRlcy1sb25nISE=",
            **extra,
        }
    )
