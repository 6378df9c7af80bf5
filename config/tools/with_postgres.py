"""Run a command with ``DATABASE_URL`` naming a throwaway PostgreSQL cluster.

    with_postgres.py [--durable] [--clusters NUMBER] COMMAND [ARGUMENT ...]

The cluster lives in a temporary directory, listens on a free loopback port, belongs to an
unprivileged user (PostgreSQL refuses root), and is stopped and removed when the command
ends, however it ends. With ``--durable`` it commits to the disk and caches as a server in
use does, which is what benchmarks must pay for. With ``--clusters`` there are several: one
for each process of a test run, as ``TEST_CLUSTERS`` names them. Standard library only. The
exit status is the command's.
"""

import argparse
import contextlib
import fcntl
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

UNPRIVILEGED = ("postgres", "nobody")
STOP_SECONDS = 60
# The data of a test run lives for that run only; jit is off as docs/operations.md says.
EPHEMERAL_OPTIONS = (
    "-c fsync=off -c synchronous_commit=off -c full_page_writes=off "
    "-c shared_buffers=256MB -c jit=off"
)
DURABLE_OPTIONS = "-c shared_buffers=4GB -c max_wal_size=8GB -c random_page_cost=1.1"


def find_binaries() -> Path:
    """Return where ``initdb`` and ``pg_ctl`` are: the newest installed, else on PATH."""
    if found := pg_ctl():
        return found.parent
    sys.exit("PostgreSQL is missing. On Debian: sudo apt-get install postgresql")


def pg_ctl() -> Path | None:
    """Return PostgreSQL's program that starts and stops a server, if it is installed."""
    installed = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"),
        key=lambda found: float(found.parent.parent.name),
    )
    on_path = shutil.which("pg_ctl")
    return installed[-1] if installed else Path(on_path).resolve() if on_path else None


def server_account() -> str | None:
    """Return the account to run the server as, ``None`` when we are unprivileged."""
    if os.geteuid() != 0:
        return None
    for name in UNPRIVILEGED:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    sys.exit(f"Running as root needs one of the accounts {UNPRIVILEGED} for PostgreSQL.")


PORTS = range(12_000, 31_000)
"""Below those that the kernel hands out by itself."""


def free_port() -> int:
    """Return a loopback port that nobody listens on, and no other process gets by this.

    It is this process's until it ends. Raises ``RuntimeError`` when there is none.
    """
    directory = Path(tempfile.gettempdir()) / f"platform-ports-{os.getuid()}"
    directory.mkdir(exist_ok=True)
    for port in random.sample(PORTS, len(PORTS)):  # no two begin with the same
        # A descriptor, which stays open until the process ends, and the lock with it.
        lock = os.open(directory / str(port), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
        except OSError:
            os.close(lock)
            continue
        return port
    raise RuntimeError("every port is taken")


@dataclass
class Cluster:
    """A throwaway cluster in a temporary directory."""

    directory: Path
    port: int
    options: str
    account: str | None = field(default_factory=server_account)
    binaries: Path = field(default_factory=find_binaries)

    @property
    def url(self) -> str:
        """The address of its database, as ``DATABASE_URL`` has it."""
        return f"postgres://platform@127.0.0.1:{self.port}/postgres"

    @property
    def postmaster(self) -> Path:
        """The file that is there while the server runs; its first line is the process."""
        return self.directory / "data" / "postmaster.pid"

    def create(self) -> None:
        """Make the files."""
        if self.account is not None:
            shutil.chown(self.directory, self.account)
        self.run(
            "initdb", "--username=platform", "--auth=trust", "--encoding=UTF8", "--no-sync"
        )

    def start(self) -> None:
        """Start the server and wait until it answers."""
        where = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 "
            f"-c unix_socket_directories={self.directory}"
        )
        self.run(
            *("pg_ctl", "start", "--wait", f"--log={self.directory}/log"),
            f"--options={where} -c max_connections=400 {self.options}",
        )

    def stop(self) -> None:
        """Stop the server at once, as a crash would."""
        self.run("pg_ctl", "stop", "--wait", "--mode=immediate")

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs as the server's account; exit when it fails."""
        finished = subprocess.run(  # noqa: S603 -- our own arguments
            [str(self.binaries / program), *arguments],
            user=self.account,
            extra_groups=[] if self.account else None,
            cwd=self.directory,
            env={
                "PATH": os.environ["PATH"],
                "LANG": "C.UTF-8",
                "PGDATA": f"{self.directory}/data",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if finished.returncode:
            log = self.directory / "log"
            tail = log.read_text(encoding="utf-8")[-2000:] if log.exists() else ""
            sys.exit(f"{program} failed:\n{finished.stdout}{tail}")


@contextlib.contextmanager
def cluster(options: str) -> Iterator[Cluster]:
    """Start a cluster with these server options, and remove it in the end."""
    with tempfile.TemporaryDirectory(prefix="platform-postgres-") as scratch:
        made = Cluster(Path(scratch), free_port(), options)
        made.create()
        try:
            made.start()
            yield made
        finally:
            if made.postmaster.exists():
                made.stop()


def run_until_it_ends(command: list[str], urls: list[str]) -> int:
    """Run a command with ``DATABASE_URL``, the first of these; return its exit status.

    SIGTERM is passed on to it, and its end is waited for: a server that lost its database
    under its feet would go on listening.
    """
    child = subprocess.Popen(  # noqa: S603 -- the caller's own command
        command,
        env={**os.environ, "DATABASE_URL": urls[0], "TEST_CLUSTERS": " ".join(urls)},
    )
    try:
        return child.wait()
    except KeyboardInterrupt:  # the terminal sent it to both
        child.wait()
        return 128 + signal.SIGINT
    except SystemExit:
        child.terminate()
        try:
            child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        raise


def stop(number: int, _frame: FrameType | None) -> None:
    """End the process once, cleaning up, as the handler of a signal."""
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def options() -> argparse.Namespace:
    """Return what the command line asks for; show how it is used, and exit, if nothing."""
    parser = argparse.ArgumentParser(usage=__doc__, add_help=True)
    parser.add_argument("--durable", action="store_true")
    parser.add_argument("--clusters", type=int, default=1)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    read = parser.parse_args()
    if not read.command or read.clusters < 1:
        parser.error("a command is missing, or clusters to run it with")
    return read


def main() -> int:
    """Run the command of the command line inside its clusters."""
    asked = options()
    signal.signal(signal.SIGTERM, stop)
    server = DURABLE_OPTIONS if asked.durable else EPHEMERAL_OPTIONS
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(cluster(server)) for _ in range(asked.clusters)]
        return run_until_it_ends(asked.command, [one.url for one in running])


if __name__ == "__main__":
    sys.exit(main())
