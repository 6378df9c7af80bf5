"""End what a run has started, whatever becomes of the run itself.

    python -m benchmarks.cluster.guard DIRECTORY SECONDS < PIPE

Waits until the other end of the pipe closes, which the end of its process does too, or the
time is over. Then every process that works in the directory is killed, and it is removed.
Patroni starts PostgreSQL in a session of its own, so ending process groups would not do.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def directory(seconds: float) -> Iterator[Path]:
    """Make a directory; all that works in it ends with the block, or after ``seconds``."""
    made = Path(tempfile.mkdtemp(prefix="platform-cluster-"))
    made.chmod(0o755)  # the account of PostgreSQL passes through
    with subprocess.Popen(  # noqa: S603 -- ourselves
        [sys.executable, "-m", __name__, str(made), str(seconds)],
        stdin=subprocess.PIPE,
        start_new_session=True,
    ):
        yield made


def within(directory: Path) -> list[int]:
    """Return the processes whose working directory is ``directory``, or below it.

    Daemons that were started there are among them, whoever is their parent by now.
    """
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if (entry / "cwd").readlink().is_relative_to(directory):
                    found.append(int(entry.name))
    return found


def kill_within(directory: Path) -> None:
    """Kill the processes of a directory at once, as the loss of a machine does."""
    while running := within(directory):
        for pid in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def main() -> None:
    """Wait for the end of the run, and clean up."""
    where, seconds = Path(sys.argv[1]), float(sys.argv[2])
    ended, _, _ = select.select([sys.stdin], [], [], seconds)
    kill_within(where)
    shutil.rmtree(where)
    if not ended:
        sys.stderr.write(f"The run took longer than {seconds:.0f} seconds.\n")


if __name__ == "__main__":
    main()
