"""Keep a server running: ``python -m config.serving.supervisor COMMAND [ARGUMENT ...]``.

granian starts a worker again that dies, but ends altogether when one dies soon after its
start, and its workers outlive it when it is killed. Here the command is started again, and
nothing outlives this process (on Linux). Standard library only, so that it costs little
memory. Ends with 0 on SIGTERM and SIGINT, else with the command's status.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

PR_SET_PDEATHSIG = 1
STOP_SECONDS = 15.0
"""What the command gets to finish the requests that it has begun."""
SETTLED_SECONDS = 10.0
"""A command that lasts as long as that has started well."""
FALSE_STARTS = 5
"""After so many starts without one that went well the command is not tried again."""
MAX_PAUSE_SECONDS = 10.0


class Supervisor:
    """Runs one command, and starts it again when it ends, until ``stop`` is called."""

    def __init__(self, command: list[str]) -> None:
        """Keep the command line."""
        self.command = command
        self.stopping = threading.Event()
        self.process: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """Run the command until ``stop`` is called; return this process's exit status."""
        pause = 0.5
        false_starts: int | None = 0
        while not self.stopping.is_set():
            started = time.monotonic()
            status = self._run_once()
            lasted = time.monotonic() - started
            if self.stopping.is_set():
                break
            has_settled = lasted >= SETTLED_SECONDS
            if false_starts is not None:
                false_starts = None if has_settled else false_starts + 1
                if false_starts == FALSE_STARTS:
                    return status if status > 0 else 1
            pause = 0.5 if has_settled else min(2 * pause, MAX_PAUSE_SECONDS)
            sys.stderr.write(f"The server ended ({status}); starting it again.\n")
            sys.stderr.flush()
            self.stopping.wait(pause)
        return 0

    def stop(self, _number: int, _frame: object) -> None:
        """Tell the command to stop, and kill it when it has not done so in time."""
        if self.stopping.is_set():
            return
        self.stopping.set()
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                self.process.terminate()
            killer = threading.Timer(STOP_SECONDS, self.process.kill)
            killer.daemon = True
            killer.start()

    def _run_once(self) -> int:
        self.process = subprocess.Popen(  # noqa: S603 -- the caller's own command
            self.command,
            env={**os.environ, "SERVED_BY_SUPERVISOR": "1"},
            # Of its own: Ctrl-C reaches this process alone, which then stops the command.
            start_new_session=True,
            preexec_fn=_die_with_parent,  # noqa: PLW1509 -- no threads run here yet
        )
        if self.stopping.is_set():
            self.process.terminate()
        return self.process.wait()


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> int:
    """Supervise the command of the command line."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    supervisor = Supervisor(sys.argv[1:])
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, supervisor.stop)
    try:
        return supervisor.run()
    finally:
        remove_counts()


def remove_counts() -> None:
    """Remove the directory in which the workers counted, if ``serve`` made one."""
    if directory := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
