"""``manage.py serve`` goes on when its processes are killed, and ends as a whole."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

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
    """Return the processes that answer."""
    return children(server.process.pid)


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


@pytest.fixture(scope="module")
def of_two(tmp_path_factory):
    with servers.demo_server(tmp_path_factory.mktemp("supervised"), WORKERS="2") as running:
        yield running


@pytest.fixture
def supervised(of_two):
    """A server both of whose processes run, whatever the test before did to them."""
    eventually(lambda: len(workers(of_two)) == 2)
    return of_two


def test_workers_that_are_killed_come_back_also_twice_in_quick_succession(supervised):
    for _ in range(2):
        os.kill(workers(supervised)[0], signal.SIGKILL)
        time.sleep(0.5)
        assert answers(supervised)

    for pid in workers(supervised):
        os.kill(pid, signal.SIGKILL)
    assert answers(supervised)


def test_a_worker_that_dies_three_times_does_not_take_the_other_along(supervised):
    kept = workers(supervised)[1]
    for _ in range(3):
        (victim,) = set(workers(supervised)) - {kept}
        os.kill(victim, signal.SIGKILL)
        assert answers(supervised)
        eventually(lambda: len(workers(supervised)) == 2)

    assert kept in workers(supervised)


def test_a_worker_that_hangs_is_replaced(supervised):
    hung = workers(supervised)[0]
    os.kill(hung, signal.SIGSTOP)

    eventually(lambda: is_gone(hung))
    eventually(lambda: len(workers(supervised)) == 2)
    assert answers(supervised)


@pytest.mark.parametrize("seconds", [0, 0.5, 1, 1.5, 2])
def test_sigterm_soon_after_the_start_ends_everything(supervised, seconds):
    again = subprocess.Popen(
        [sys.executable, "-m", "config.serving"],
        cwd=servers.ROOT,
        env=supervised.environment | {"PORT": "0"},
    )
    time.sleep(seconds)
    below = children(again.pid)
    again.terminate()
    again.wait(timeout=servers.STOP_SECONDS)

    assert all(is_gone(pid) for pid in below)


def test_nothing_outlives_the_server(tmp_path):
    with servers.demo_server(tmp_path) as running:
        below = workers(running)

        running.process.kill()
        running.process.wait()

    eventually(lambda: all(map(is_gone, below)), lambda: below)
