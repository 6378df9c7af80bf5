"""Databases that are made once and copied: migrated, and with the demo data.

Migrating an empty database takes longer than most tests of a server.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from config.tools import with_postgres

ROOT = Path(__file__).resolve().parents[2]
MADE = ROOT / ".make"


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
def alone(lock: Path):
    """Let other processes wait that come here with the same path."""
    lock.parent.mkdir(exist_ok=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _version_of_the_tables() -> str:
    """Return a digest of what a migrated database depends on."""
    files = [
        path
        for app in ("authserver", "calendar_events", "config", "platform_errors")
        for path in sorted(ROOT.glob(f"{app}/migrations/**/*"))
        if path.suffix in {".py", ".sql", ".json"}
    ]
    digest = hashlib.sha256()
    for path in [ROOT / "requirements.txt", ROOT / "config/settings.py", *files]:
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def migrated() -> str:
    """Return a database with our tables and no rows but those of the migrations.

    A file stays for the next run, until a migration is another one.
    """
    name = f"migrated_{_version_of_the_tables()}"
    if not server_url():
        name = str(MADE / f"{name}.sqlite3")
    with alone(MADE / "migrated.lock"):
        if not _exists(name):
            _migrate(name)
    return name


def _exists(name: str) -> bool:
    if not server_url():
        return Path(name).exists()
    return _is_on(server_url(), name)


def _is_on(url: str, name: str) -> bool:
    with psycopg.connect(url) as connection:
        statement = "SELECT FROM pg_database WHERE datname = %s"
        return connection.execute(statement, [name]).rowcount == 1


def copy_from_server(source: str, target: str) -> None:
    """Copy a PostgreSQL database, tables and rows, into an empty one of another cluster."""
    binaries = with_postgres.find_binaries()
    dump = subprocess.run(
        [binaries / "pg_dump", "--no-owner", source], stdout=subprocess.PIPE, check=True
    )
    subprocess.run(
        [binaries / "psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", target],
        input=dump.stdout,
        stdout=subprocess.DEVNULL,
        check=True,
    )


def _migrate(name: str) -> None:
    """Make a migrated database, which has its name once it is complete."""
    unfinished = f"{name}_unfinished"
    if server_url():
        create_database(unfinished, "template1")
    else:
        for old in MADE.glob("migrated_*"):
            old.unlink()
    migrated_elsewhere = [
        url
        for url in os.environ.get("TEST_CLUSTERS", "").split()
        if server_url() and _is_on(url, name)
    ]
    if migrated_elsewhere:
        source = urlsplit(migrated_elsewhere[0])._replace(path=f"/{name}").geturl()
        copy_from_server(source, address(unfinished))
    else:
        _manage(
            ["migrate", "--run-syncdb", "--verbosity=0", "--skip-checks"],
            os.environ
            | {
                "DJANGO_SETTINGS_MODULE": "config.tests.settings",
                "DATABASE_URL": address(unfinished),
            },
        )
    if not server_url():
        Path(unfinished).rename(name)
        return
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(
            sql.SQL("ALTER DATABASE {} RENAME TO {}").format(
                sql.Identifier(unfinished), sql.Identifier(name)
            )
        )


def demonstration(scratch: Path) -> tuple[str, Path]:
    """Return a database with the demo data and a directory, made once in a test run.

    There, in ``media``, are the pictures that belong to it and, in ``static``, the files
    that ``collectstatic`` makes.
    """
    cluster = urlsplit(server_url()).port or "sqlite"
    directory = run_directory(scratch) / f"demonstration-{cluster}"
    with alone(directory / "lock"):
        name = str(directory / "made.sqlite3")
        if server_url():
            name = f"demonstration_{directory.parent.name}_{directory.stat().st_ino}"
        is_ready = directory / "ready"
        if not is_ready.exists():
            copy(migrated(), name)
            _manage(
                ["serve", "--prepare-only"], server_environment(directory, address(name))
            )
            is_ready.touch()
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
    """Return the environment of a demo server that keeps its files in ``scratch``.

    One process: each other one imports everything again before it listens.
    """
    return clean_environment(
        **{
            "DATABASE_URL": database_url,
            "MEDIA_ROOT": str(scratch / "media"),
            "STATIC_ROOT": str(scratch / "static"),
            "WORKERS": "1",
            "EMBEDDED_WORKER": "0",
            "SECRET_KEY": "served-by-the-test-suite-" * 3,
            "ENCRYPTION_KEYS": "dGVzdC1vbmx5LWtleS1vZi0zMi1ieXRlcy1sb25nISE=",
            **extra,
        }
    )
