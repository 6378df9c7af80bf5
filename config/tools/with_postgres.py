"""Run a command with ``DATABASE_URL`` naming a throwaway PostgreSQL cluster.

    with_postgres.py [--durable] COMMAND [ARGUMENT ...]

The cluster lives in a temporary directory, listens on a free loopback port, belongs to an
unprivileged user (PostgreSQL refuses root), and is stopped and removed when the command
ends, however it ends. With ``--durable`` it commits to the disk and caches as a server in
use does, which is what benchmarks must pay for. Standard library only. The exit status is
the command's.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

UNPRIVILEGED = ("postgres", "nobody")
# The data of a test run lives for that run only.
FORGETFUL = (
    "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=256MB"
)
DURABLE = "-c shared_buffers=4GB -c max_wal_size=8GB -c random_page_cost=1.1"


def find_binaries() -> Path:
    """Return where ``initdb`` and ``pg_ctl`` are: the newest installed, else on PATH."""
    installed = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"),
        key=lambda found: float(found.parent.parent.name),
    )
    if installed:
        return installed[-1].parent
    if on_path := shutil.which("pg_ctl"):
        return Path(on_path).resolve().parent
    sys.exit("PostgreSQL is missing. On Debian: sudo apt-get install postgresql")


def server_account() -> str | None:
    """Return the account to run the server as, ``None`` when we are unprivileged."""
    if os.geteuid() != 0:
        return None
    for name in UNPRIVILEGED:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    sys.exit(f"Running as root needs one of the accounts {UNPRIVILEGED} for PostgreSQL.")


def free_port() -> int:
    """Return a loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def cluster(options: str) -> Iterator[str]:
    """Start a cluster with these server options and yield its database URL."""
    binaries, account = find_binaries(), server_account()
    with tempfile.TemporaryDirectory(prefix="platform-postgres-") as scratch:
        if account is not None:
            shutil.chown(scratch, account)

        def run(program: str, *arguments: str) -> None:
            finished = subprocess.run(  # noqa: S603 -- our own arguments
                [str(binaries / program), *arguments],
                user=account,
                extra_groups=[] if account else None,
                cwd=scratch,
                env={
                    "PATH": os.environ["PATH"],
                    "LANG": "C.UTF-8",
                    "PGDATA": f"{scratch}/data",
                },
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            if finished.returncode:
                log = Path(scratch, "log")
                tail = log.read_text(encoding="utf-8")[-2000:] if log.exists() else ""
                sys.exit(f"{program} failed:\n{finished.stdout}{tail}")

        port = free_port()
        run("initdb", "--username=platform", "--auth=trust", "--encoding=UTF8", "--no-sync")
        where = (
            f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={scratch}"
        )
        run(
            *("pg_ctl", "start", "--wait", f"--log={scratch}/log"),
            f"--options={where} -c max_connections=400 {options}",
        )
        try:
            yield f"postgres://platform@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "stop", "--wait", "--mode=immediate")


def main() -> int:
    """Run the command of the command line inside a cluster."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)

    def stop(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, stop)
    arguments = sys.argv[1:]
    is_durable = arguments[0] == "--durable"
    with cluster(DURABLE if is_durable else FORGETFUL) as url:
        try:
            return subprocess.run(  # noqa: S603 -- the caller's own command
                arguments[is_durable:], env={**os.environ, "DATABASE_URL": url}, check=False
            ).returncode
        except KeyboardInterrupt:
            return 130


if __name__ == "__main__":
    sys.exit(main())
