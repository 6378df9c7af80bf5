"""Management commands as processes: run to their end, halted, interrupted."""

import contextlib
import os
import signal
import subprocess
import sys

from config.tests import servers

END_SECONDS = 600
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}


@contextlib.contextmanager
def halted(environment, place, calls, *command):
    """Run a command and yield it at the first of these calls, where it waits."""
    process = subprocess.Popen(
        [sys.executable, "-m", "config.tests.change.halting", place, calls, *command],
        cwd=servers.ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until_it_halts(process)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            process.communicate()


def wait_until_it_halts(process):
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), process.communicate()


def interrupt(environment, place, calls, *command, by):
    """Run a command that gets a signal at each of these calls; return its log."""
    with halted(environment, place, calls, *command) as process:
        for number, _ in enumerate(calls.split(",")):
            if number:
                wait_until_it_halts(process)
            process.send_signal(by)
            process.send_signal(signal.SIGCONT)
        said, logged = process.communicate(timeout=END_SECONDS)
    assert process.returncode == STATUS[by], logged
    assert "Traceback" not in logged
    assert "done" not in said
    return logged.splitlines()


def end(environment, place, call, *command):
    """Run a command that SIGTERM ends at this call, as it ends any program."""
    with halted(environment, place, call, *command) as process:
        process.terminate()
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=END_SECONDS)
    assert process.returncode == -signal.SIGTERM


def run(environment, *command):
    """Run a command to its end; return the lines that it printed."""
    finished = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=servers.ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.splitlines()
