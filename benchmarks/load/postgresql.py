"""Stop, start, copy and promote PostgreSQL servers of this machine.

Everything here raises ``OSError`` or ``CalledProcessError`` where we may not.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from benchmarks.databases import Cluster, first_process
from config.tools import with_postgres


class Breakable(Cluster):
    """A cluster that can be broken and mended."""

    @cached_property
    def directory(self) -> Path:
        """Where its files are; asked for while it runs."""
        return Path(self.execute("SHOW data_directory"))

    def stop(self, *, mode: str) -> None:
        """Stop the server: ``fast`` in good order, ``immediate`` as a crash does."""
        self._pg_ctl("stop", f"--mode={mode}")

    def start(self, *more: str) -> None:
        """Start a server that was stopped, with the options that it had, and ``more``.

        Of options that contradict each other the last counts.
        """
        command = (self.directory / "postmaster.opts").read_text(encoding="utf-8")
        self._start(shlex.join([*shlex.split(command)[1:], *more]))

    def _start(self, options: str) -> None:
        log = f"{self.directory}/restarted.log"
        self._pg_ctl("start", f"--log={log}", f"--options={options}")
        self.pid = first_process(self.url)

    def let_in(self, address: str) -> None:
        """Listen on another address of this machine too, for its next neighbour."""
        with (self.directory / "pg_hba.conf").open("a", encoding="utf-8") as rules:
            rules.write(f"host all all {address}/30 trust\n")
        self.stop(mode="fast")
        self.start("-c", f"listen_addresses=127.0.0.1,{address}")

    def replicate(self, directory: Path, port: int, addresses: str) -> Breakable:
        """Make a hot standby of this server, and start it."""
        directory.mkdir(parents=True)
        if os.geteuid() == 0:
            shutil.chown(directory, self.directory.owner())
        copied = ("--checkpoint=fast", "--write-recovery-conf", f"--dbname={self.url}")
        self._run("pg_basebackup", f"--pgdata={directory}", *copied)
        directory.chmod(0o700)
        parts = urlsplit(self.url)
        url = urlunsplit(parts._replace(netloc=f"{parts.username}@127.0.0.1:{port}"))
        made = Breakable(url=url, pid=0)
        made.directory = directory
        made._start(
            f"-p {port} -c listen_addresses={addresses} -c max_connections=400 "
            f"-c unix_socket_directories={directory} -c shared_buffers=256MB"
        )
        return made

    def take_over(self, lost: Cluster) -> None:
        """Become a primary at the address of another server, which is no more."""
        self._pg_ctl("promote")
        self.stop(mode="fast")
        self.url = lost.url
        self.start("-p", str(urlsplit(lost.url).port))

    def _pg_ctl(self, action: str, *options: str) -> None:
        self._run("pg_ctl", action, "--wait", f"--pgdata={self.directory}", *options)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(  # noqa: S603 -- our own arguments
            [str(with_postgres.find_binaries() / program), *arguments],
            user=self.directory.owner() if os.geteuid() == 0 else None,
            extra_groups=[] if os.geteuid() == 0 else None,
            cwd=self.directory,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
