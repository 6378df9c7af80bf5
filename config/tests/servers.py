"""A real server in a process of its own, with the demo data, as ``make run`` starts it."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from config.tests import prepared
from config.tools.with_postgres import free_port

ROOT = prepared.ROOT
START_SECONDS = 600  # with every migration, on a busy machine
STOP_SECONDS = 240
# The end of ``manage.py serve``: it becomes the server.
SERVE_WHAT_IS_PREPARED = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
from config.management.commands import serve
os.execve(sys.executable, serve.SERVER, serve.server_environment())
"""

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


@dataclass
class Server:
    """A running server; ``url`` has no trailing slash."""

    process: subprocess.Popen
    url: str
    environment: dict[str, str]
    log: Path
    http: httpx.Client = field(init=False)

    def __post_init__(self):
        self.http = httpx.Client(base_url=self.url, timeout=240)

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


@contextlib.contextmanager
def database(scratch: Path, template: str = ""):
    """Yield the URL of a new database of the kind that the suite runs on.

    It is empty, or a copy of ``template``: a file's path or, of PostgreSQL, a name.
    """
    if not prepared.server_url():
        name = str(scratch / "demo.sqlite3")
        if template:
            prepared.copy(template, name)
        yield prepared.address(name)
        return
    name = f"demo_{os.getpid()}_{free_port()}"
    prepared.create_database(name, template or "template1")
    try:
        yield prepared.address(name)
    finally:
        prepared.drop_database(name)


@contextlib.contextmanager
def demo_server(scratch: Path, *, is_first_start: bool = False, **extra: str):
    """Serve the demo data on a free loopback port until the block ends.

    At its first start the server prepares everything itself, as for a newcomer; else it
    finds the database and the static files as an earlier start left them.
    """
    port = free_port()
    log = scratch / "server.log"
    template, command = "", [sys.executable, "manage.py", "serve"]
    if not is_first_start:
        template, files = prepared.demonstration(scratch)
        shutil.copytree(files / "media", scratch / "media")
        extra.setdefault("STATIC_ROOT", str(files / "static"))
        command = [sys.executable, "-c", SERVE_WHAT_IS_PREPARED]
    with database(scratch, template) as database_url, log.open("wb") as output:
        environment = prepared.server_environment(
            scratch, database_url, PORT=str(port), **extra
        )
        process = subprocess.Popen(
            command,
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
