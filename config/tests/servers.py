"""A real server in a process of its own, with the demo data, as ``make run`` starts it."""

from __future__ import annotations

import contextlib
import os
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
def database(scratch: Path):
    """Yield the URL of a new, empty database of the kind that the suite runs on."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        yield f"sqlite:///{scratch / 'demo.sqlite3'}"
        return
    name = f"demo_{os.getpid()}_{free_port()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield urlsplit(url)._replace(path=f"/{name}").geturl()
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            )


@contextlib.contextmanager
def demo_server(scratch: Path, **extra: str):
    """Serve the demo data on a free loopback port until the block ends."""
    port = free_port()
    log = scratch / "server.log"
    with database(scratch) as database_url, log.open("wb") as output:
        environment = clean_environment(
            PORT=str(port),
            DATABASE_URL=database_url,
            MEDIA_ROOT=str(scratch / "media"),
            STATIC_ROOT=str(scratch / "static"),
            WORKERS="2",
            SECRET_KEY="served-by-the-test-suite-" * 3,
            ENCRYPTION_KEYS="dGVzdC1vbmx5LWtleS1vZi0zMi1ieXRlcy1sb25nISE=",
            **extra,
        )
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
