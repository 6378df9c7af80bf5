"""What a run of several hosts has started ends with it, whichever way it ends."""

import contextlib
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.cluster import guard
from config.tests.servers import ROOT

pytestmark = pytest.mark.nightly

RUN = """
import os, subprocess, sys, time
from benchmarks.cluster import guard
with guard.directory(float(sys.argv[1])) as where:
    # A daemon, in a session of its own.
    daemon = subprocess.Popen(["sleep", "600"], cwd=where, start_new_session=True)
    print(where, daemon.pid, flush=True)
    if sys.argv[2] == "fail":
        raise SystemExit(3)
    time.sleep(float(sys.argv[2]))
"""
PATIENCE_SECONDS = 60


@contextlib.contextmanager
def running(limit, what):
    """Start a run; yield its process, the directory that it made, and its daemon."""
    with subprocess.Popen(
        [sys.executable, "-c", RUN, limit, what],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        where, daemon = process.stdout.readline().split()
        yield process, Path(where), int(daemon)
        process.kill()


def is_running(pid):
    """Return whether a process runs; one that has ended may not have been waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def is_gone(where, daemon):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while where.exists() or is_running(daemon):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize(("what", "status"), [("0", 0), ("fail", 3)])
def test_all_is_gone_when_the_run_returns(what, status):
    with running("600", what) as (process, where, daemon):
        assert process.wait(PATIENCE_SECONDS) == status

        assert not where.exists()
        assert not is_running(daemon)


def test_all_is_gone_when_the_run_is_killed():
    with running("600", "600") as (process, where, daemon):
        assert guard.within(where) == [daemon]

        process.kill()

        assert is_gone(where, daemon)


def test_all_is_gone_when_the_time_is_over():
    with running("1", "600") as (process, where, daemon):
        assert is_gone(where, daemon)
        assert process.poll() is None
