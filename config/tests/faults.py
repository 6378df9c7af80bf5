"""Databases and caches that fail for real: stopped, frozen, locked, read-only, full."""

import contextlib
import os
import signal
import socket
import threading
import time
from copy import deepcopy
from pathlib import Path

import psycopg
from django.db import connections
from django.test import Client

from config.tests import prepared
from config.tools import with_postgres


class ServedClient(Client):
    """A client whose requests begin and end as a server's do, for the connections.

    Django's keeps a broken one, lest it close a test's own.
    """

    def request(self, **request):
        """Send a request."""
        for connection in connections.all(initialized_only=True):
            connection.close_if_unusable_or_obsolete()
        return super().request(**request)


@contextlib.contextmanager
def cluster_like(name: str):
    """Start a cluster of its own with a copy of a database of the suite's.

    Its commits are synchronous, or a crash right after the copy would lose the copy.
    """
    options = f"{with_postgres.EPHEMERAL_OPTIONS} -c synchronous_commit=on"
    with with_postgres.cluster(options) as running:
        copy_database(name, running.url)
        yield running


def copy_database(name: str, target: str) -> None:
    """Copy a database of the suite's, tables and rows."""
    prepared.copy_from_server(prepared.address(name), target)


def settings_for(running: with_postgres.Cluster, *, options: str = "") -> dict:
    """Return the settings of the suite's database, with the address of a cluster."""
    database = deepcopy(connections["default"].settings_dict)
    database["OPTIONS"]["options"] += f" {options}"
    return database | {
        "NAME": "postgres",
        "USER": "platform",
        "PASSWORD": "",
        "HOST": "127.0.0.1",
        "PORT": str(running.port),
    }


@contextlib.contextmanager
def connected(alias: str, database: dict):
    """Let a connection of this thread lead to another database."""
    known = connections.settings.get(alias)
    kept = getattr(connections._connections, alias, None)
    connections.settings[alias] = database
    connections[alias] = wrapper = connections.create_connection(alias)

    def ensure_connection():  # as Django's, which refuses in tests what it did not set up
        if wrapper.connection is None:
            with wrapper.wrap_database_errors:
                wrapper.connect()

    wrapper.ensure_connection = ensure_connection
    try:
        yield wrapper
    finally:
        wrapper.close()
        if known is None:
            del connections.settings[alias], connections[alias]
        else:
            connections.settings[alias] = known
            if kept is None:
                del connections[alias]
            else:
                connections[alias] = kept


def processes(running: with_postgres.Cluster) -> list[int]:
    """Return the processes of a cluster, the postmaster first."""
    parent = int(running.postmaster.read_text(encoding="ascii").splitlines()[0])
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
    return [parent, *map(int, children.split())]


@contextlib.contextmanager
def frozen(running: with_postgres.Cluster):
    """Stop every process of a cluster as a debugger would: nothing answers or ends."""
    stopped = []
    try:
        for _ in range(2):  # the first is the one that starts others
            for process in processes(running):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGSTOP)
                    stopped.append(process)
        yield
    finally:
        for process in stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)


@contextlib.contextmanager
def away(running: with_postgres.Cluster):
    """Stop a cluster as a crash does, and start it again."""
    running.stop()
    try:
        yield
    finally:
        running.start()


@contextlib.contextmanager
def holding(running: with_postgres.Cluster, *statements: str):
    """Keep a transaction open, with what these statements lock."""
    with psycopg.connect(running.url) as other:
        for statement in statements:
            other.execute(statement)
        yield other
        other.rollback()


@contextlib.contextmanager
def deaf_server():
    """Listen, accept, and never say a word; yield the port and the connections."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        accepted = []

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    accepted.append(listening.accept()[0])

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1], accepted
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
            for connection in accepted:
                connection.close()


@contextlib.contextmanager
def stopwatch():
    """Yield a list that holds the seconds of the block after it."""
    seconds = []
    start = time.monotonic()
    try:
        yield seconds
    finally:
        seconds.append(time.monotonic() - start)
