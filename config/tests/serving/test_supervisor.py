"""``manage.py serve`` goes on when its processes are killed, and ends as a whole."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from config.serving import supervisor
from config.tests import servers
from config.tests.waiting import eventually

pytestmark = pytest.mark.processes

EVENTS = "/platform/events/v1/events?per_page=1"


def children(pid: int) -> list[int]:
    """Return the processes that ``pid`` started and that live."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                if int(parent) == pid:
                    found.append(int(entry.name))
    return found


def workers(server: servers.Server) -> list[int]:
    """Return the processes that answer: below the supervisor and granian."""
    return [pid for parent in children(server.process.pid) for pid in children(parent)]


def answers(server: servers.Server) -> bool:
    """Return whether the first request that is answered in time is answered well."""

    def first():
        with contextlib.suppress(httpx.TransportError):
            return httpx.get(f"{server.url}{EVENTS}", timeout=10)

    return eventually(first).status_code == 200


def is_gone(pid: int) -> bool:
    with contextlib.suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state == "Z"
    return True


@pytest.fixture
def supervised(tmp_path):
    with servers.demo_server(tmp_path) as running:
        yield running


def test_workers_that_are_killed_come_back_also_twice_in_quick_succession(supervised):
    for _ in range(2):
        os.kill(workers(supervised)[0], signal.SIGKILL)
        time.sleep(0.5)
        assert answers(supervised)

    for pid in workers(supervised):
        os.kill(pid, signal.SIGKILL)
    assert answers(supervised)


def test_when_granian_is_killed_it_is_started_again(supervised):
    os.kill(children(supervised.process.pid)[0], signal.SIGKILL)
    time.sleep(0.5)

    assert answers(supervised)


def test_nothing_outlives_the_supervisor(supervised):
    below = [*children(supervised.process.pid), *workers(supervised)]

    supervised.process.kill()
    supervised.process.wait()

    # A worker that is just starting asks for its end when it has loaded.
    eventually(lambda: all(map(is_gone, below)), lambda: below)


def test_a_command_that_never_starts_well_is_given_up():
    finished = subprocess.run(
        [
            *(sys.executable, "-m", "config.serving.supervisor"),
            *(sys.executable, "-c", "print('once'); raise SystemExit(3)"),
        ],
        cwd=servers.ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )

    assert (finished.returncode, finished.stdout) == (3, "once\n" * supervisor.FALSE_STARTS)
