"""A real server in a process of its own, with the demo data, as ``make run`` starts it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
from psycopg import sql

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 240
STOP_SECONDS = 60

COMPATIBLE = {
    "BASE_MOUNT": "wp-json/",
    "VENDOR_NS": "tribe",
    "HMAC_SCHEME_URL": "http://www.worldcat.org/wskey/v2/hmac/v1",
    "HMAC_SIGNATURE_URL": "https://www.oclc.org/wskey",
    "ERROR_RESPONSE_NS": "http://worldcat.org/xmlschemas/response",
    "REQUEST_ID_HEADER": "X-OCLC-RequestId",
    "PRINCIPAL_NS_PREFIX": "urn:oclc:platform:",
}
"""The addresses and names that existing clients use (decisions 1)."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Server:
    """A running server; ``url`` has no trailing slash."""

    process: subprocess.Popen
    url: str
    environment: dict[str, str]
    log: Path
    http: httpx.Client = field(init=False)

    def __post_init__(self):
        self.http = httpx.Client(base_url=self.url, timeout=60)

    @property
    def api_mount(self) -> str:
        mount = self.environment.get("BASE_MOUNT", "").strip("/")
        vendor = self.environment.get("VENDOR_NS", "platform")
        return f"{self.url}/{mount}/{vendor}" if mount else f"{self.url}/{vendor}"

    @property
    def events_root(self) -> str:
        return f"{self.api_mount}/events/v1"

    @property
    def identity(self) -> str:
        return f"{self.api_mount}/identity/v1"

    @property
    def auth_url(self) -> str:
        return f"{self.url}/oauth2"

    def manage(self, *arguments: str) -> str:
        """Run a management command beside the server and return what it prints."""
        finished = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if finished.returncode:
            raise AssertionError(finished.stderr)
        return finished.stdout.strip()

    def interrupt(self) -> int:
        """Press Ctrl-C and return the exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(STOP_SECONDS)


def clean_environment(**extra: str) -> dict[str, str]:
    """Return what a newcomer's shell has, and nothing of the test run's."""
    kept = {
        name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ
    }
    return {**kept, "READ_DOT_ENV": "0", "DEMO": "1", **extra}


@contextlib.contextmanager
def database(scratch: Path, template: str = ""):
    """Yield the URL of a new database of the kind that the suite runs on.

    It is empty, or a copy of ``template``: a file's path or, of PostgreSQL, a name.
    """
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        if template:
            shutil.copyfile(template, scratch / "demo.sqlite3")
        yield f"sqlite:///{scratch / 'demo.sqlite3'}"
        return
    name = f"demo_{os.getpid()}_{free_port()}"
    create_database(url, name, template or "template1")
    try:
        yield urlsplit(url)._replace(path=f"/{name}").geturl()
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            )


def create_database(url: str, name: str, template: str) -> None:
    statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.format(sql.Identifier(name), sql.Identifier(template)))


def run_directory(scratch: Path) -> Path:
    """Return the directory that all processes of a test run share."""
    return next(path for path in scratch.parents if re.fullmatch(r"pytest-\d+", path.name))


def prepared(scratch: Path) -> str:
    """Return a database with the demo data, made once in a test run; see ``database``.

    Migrating an empty one takes longer than most tests of a server. Beside it, in
    ``media``, are the pictures that belong to it.
    """
    directory = run_directory(scratch) / "prepared"
    directory.mkdir(exist_ok=True)
    file = directory / "demo.sqlite3"
    url = os.environ.get("DATABASE_URL", "")
    name, database_url = str(file), f"sqlite:///{file}"
    if url.startswith("postgres"):
        name = f"demo_of_{directory.parent.name}_{directory.stat().st_ctime_ns}"
        database_url = urlsplit(url)._replace(path=f"/{name}").geturl()
    is_ready = directory / "ready"
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_ready.exists():
            if name != str(file):
                create_database(url, name, "template1")
            subprocess.run(
                [sys.executable, "manage.py", "serve", "--prepare-only"],
                cwd=ROOT,
                env=server_environment(directory, database_url),
                check=True,
            )
            is_ready.write_text(name)
    return is_ready.read_text()


def server_environment(scratch: Path, database_url: str, **extra: str) -> dict[str, str]:
    """Return the environment of a demo server that keeps its files in ``scratch``."""
    return clean_environment(
        DATABASE_URL=database_url,
        MEDIA_ROOT=str(scratch / "media"),
        STATIC_ROOT=str(scratch / "static"),
        WORKERS="2",
        SECRET_KEY="served-by-the-test-suite-" * 3,
        ENCRYPTION_KEYS="dGVzdC1vbmx5LWtleS1vZi0zMi1ieXRlcy1sb25nISE=",
        **extra,
    )


@contextlib.contextmanager
def demo_server(scratch: Path, *, is_first_start: bool = False, **extra: str):
    """Serve the demo data on a free loopback port until the block ends."""
    port = free_port()
    log = scratch / "server.log"
    template = "" if is_first_start else prepared(scratch)
    if template:
        shutil.copytree(run_directory(scratch) / "prepared" / "media", scratch / "media")
    with database(scratch, template) as database_url, log.open("wb") as output:
        environment = server_environment(scratch, database_url, PORT=str(port), **extra)
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        server = Server(process, f"http://127.0.0.1:{port}", environment, log)
        try:
            wait_until_it_answers(server)
            yield server
        finally:
            server.http.close()
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(STOP_SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def wait_until_it_answers(server: Server) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            break
        with contextlib.suppress(httpx.TransportError):
            server.http.get("/")
            return
        time.sleep(0.1)
    raise AssertionError(f"The server did not start:\n{server.log.read_text()}")
