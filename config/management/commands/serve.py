"""Prepare the database and serve, as ``make run`` does."""

import contextlib
import fcntl
import logging
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from config.databases import pool
from config.monitoring import exporter

logger = logging.getLogger(__name__)
SERVER = [sys.executable, "-m", "config.serving"]
MIGRATING = (0x7E25, 1)
"""The keys of the advisory lock; the calendar's have another first one."""
BANNER = """
{url}
  Sign in as a user      {url}/demo/   (a browser application, step by step)
  Administer             {url}/admin/  admin / admin-demo-pass
  Events interface       {url}{events}/events
  Its reference          {url}{events}/doc/swagger
  The documentation      {url}/docs/
  Who am I (signed)      {url}{identity}

Accounts at 1001 Riverside University
  alice / alice-demo-pass   editor            bob / bob-demo-pass     no permission
  erin / erin-demo-pass     contributor       frank / frank-demo-pass author
  dora / dora-demo-pass     disabled          carol / carol-demo-pass editor, at 1002
  In the administration with the institution, such as alice@1001; ines@1001 looks after it.
People of 1004 Harborview University sign in at a provider of its own
  {url}{auth}login?institution=1004

Try
  curl '{url}{events}/events?per_page=2'
  DEMO=1 .venv/bin/python manage.py sign_request GET '{url}{identity}' --key demo-hmac

Ctrl-C stops the server.
"""


class Command(BaseCommand):
    """Migrate, collect static files, seed a demonstration, then become the server."""

    help = "Migrate, collect static files, add demo data when DEMO=1, and serve."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--prepare-only", action="store_true", help="do not start serving"
        )
        parser.add_argument(
            "--no-migrate", action="store_true", help="leave the database as it is"
        )
        parser.add_argument(
            "--no-static", action="store_true", help="static files were collected before"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Become the server.

        Raises ``CommandError`` when the port is taken or the database does not answer.
        """
        if not options["prepare_only"]:
            require_free_ports()
        if not options["no_migrate"]:
            prepare_database()
        if not options["no_static"]:
            with exclusive_lock(Path(settings.STATIC_ROOT)):
                call_command("collectstatic", verbosity=0, interactive=False)
        if options["prepare_only"]:
            return
        # Again, for preparing may have taken minutes.
        require_free_ports()
        if settings.DEMO:
            self.stdout.write(self.banner())
        logger.info("Starting the server on %s:%d.", settings.HOST, settings.PORT)
        sys.stdout.flush()
        os.execve(sys.executable, SERVER, server_environment())  # noqa: S606 -- our own server

    def banner(self) -> str:
        """Return the addresses and accounts that a newcomer needs."""
        root = f"/{settings.BASE_MOUNT}{settings.VENDOR_NS}"
        return BANNER.format(
            url=settings.PUBLIC_URL,
            auth=f"/{settings.AUTH_MOUNT}",
            events=f"{root}/events/v1",
            identity=f"{root}/identity/v1",
        )


def prepare_database() -> None:
    """Bring the database up to date, one server at a time. Raises ``CommandError``."""
    wait_for_database(connection, settings.DATABASE_WAIT_SECONDS)
    logger.info("Preparing the database, after any other server that does.")
    with alone_with(connection):
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
        logger.info("Migrating: %d migrations to apply.", len(pending))
        # With the system checks, which know what Django's plan does not tell.
        call_command("migrate", verbosity=0, interactive=False, skip_checks=False)
        if settings.DEMO:
            call_command("seed_demo", verbosity=0)
        if settings.DATABASE_POOL:
            pool.limit(connection, settings.DATABASE_POOL["USER"])
            pool.require_same_database(connection, settings.DATABASE_POOL)
    logger.info("The database is ready.")


def wait_for_database(database: BaseDatabaseWrapper, seconds: float) -> None:
    """Return when PostgreSQL answers. Raises ``CommandError`` when it does not in time."""
    if database.vendor != "postgresql":
        return
    latest = time.monotonic() + seconds
    is_said = False
    while True:
        try:
            database.ensure_connection()
        except OperationalError as error:
            reason = str(error).partition("\n")[0]
            if time.monotonic() >= latest:
                raise CommandError(
                    f"The database did not answer within {seconds:g} seconds: {reason}"
                ) from error
            if not is_said:
                logger.warning("Waiting up to %g s for the database: %s", seconds, reason)
                is_said = True
            time.sleep(0.5)
        else:
            return


@contextlib.contextmanager
def alone_with(database: BaseDatabaseWrapper) -> Iterator[None]:
    """Keep other servers that start from migrating the database meanwhile.

    Two that create the same tables would fail. The second waits for as
    long as it takes, and finds nothing left to do.
    """
    if database.vendor == "sqlite":
        with exclusive_lock(Path(database.settings_dict["NAME"]).resolve().parent):
            yield
        return
    # On a connection of its own: whatever the commands do with theirs, it keeps the lock.
    holder = database.copy()
    try:
        with holder.cursor() as cursor:
            cursor.execute("SET lock_timeout = 0")
            cursor.execute("SELECT pg_advisory_lock(%s, %s)", MIGRATING)
        yield
    finally:
        holder.close()


@contextlib.contextmanager
def exclusive_lock(directory: Path) -> Iterator[None]:
    """Make the directory and keep other servers that start from writing there meanwhile.

    Collecting deletes a file before it writes it again; two at once trip over that.
    """
    directory.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def require_free_ports() -> None:
    """Raise ``CommandError`` when the server's address or the metrics' is taken."""
    require_free_port(settings.HOST, settings.PORT)
    if settings.METRICS_PORT:
        require_free_port(settings.METRICS_HOST, settings.METRICS_PORT)


def require_free_port(host: str, port: int) -> None:
    """Raise ``CommandError`` when the address cannot be listened on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except OSError as error:
            raise CommandError(
                f"Cannot listen on {host}:{port} ({error.strerror}). Stop what runs there, "
                "or choose another port, for example: make run PORT=8001"
            ) from error


def server_environment() -> dict[str, str]:
    """Return the server's environment, with a place where its workers count.

    The server removes that place at the end, so that another one is not passed on.
    """
    own = {name: text for name, text in os.environ.items() if name != exporter.VARIABLE}
    places = exporter.make_directory() if settings.METRICS_PORT else {}
    # Threads that share two of glibc's arenas leave fewer holes: beside feeds of 12 MB a
    # worker kept 128 MiB instead of 168.
    own.setdefault("MALLOC_ARENA_MAX", "2")
    return {**own, "DEMO": str(int(settings.DEMO)), **places}
