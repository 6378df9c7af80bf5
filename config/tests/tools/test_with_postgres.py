"""The throwaway cluster from outside: help, exit status, and how it ends."""

import os
import signal
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from config.tests.servers import ROOT
from config.tools import with_postgres

TOOL = [sys.executable, "config/tools/with_postgres.py"]
# Says who it is and with what, then waits; on SIGTERM it says goodbye and takes its time.
CHILD = """
import os, signal, sys, time
def end(*_):
    time.sleep(0.5)
    print("goodbye", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
print(os.getpid(), os.environ["DATABASE_URL"], flush=True)
time.sleep(600)
"""


def test_help_is_shown_without_a_traceback():
    for arguments in (["--help"], ["-h"], [], ["--durable"]):
        finished = subprocess.run(
            [*TOOL, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )

        shown = finished.stdout + finished.stderr
        assert "with_postgres.py [--durable] [--clusters NUMBER] COMMAND" in shown
        assert "Traceback" not in shown


@pytest.mark.skipif(with_postgres.pg_ctl() is None, reason="PostgreSQL is missing")
def test_sigterm_ends_the_command_before_its_database():
    running = subprocess.Popen(
        [*TOOL, sys.executable, "-c", CHILD], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    child = int(running.stdout.readline().split()[0])

    running.send_signal(signal.SIGTERM)
    said, _ = running.communicate(timeout=240)

    assert said == "goodbye\n"
    assert running.returncode == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@pytest.mark.skipif(with_postgres.pg_ctl() is None, reason="PostgreSQL is missing")
def test_each_process_of_a_test_run_has_a_cluster_to_itself():
    ask = (
        "import os; from config.tests import settings;"
        "print(os.environ['TEST_CLUSTERS'], settings.DATABASES['default']['PORT'])"
    )
    workers = "; ".join(
        f'PYTEST_XDIST_WORKER={worker} "$0" -c "$1"' for worker in ("gw0", "gw1", "gw2")
    )

    said = subprocess.run(
        [*TOOL, "--clusters", "2", "sh", "-c", workers, sys.executable, ask],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": ""},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    first, second, port = said[:3]
    assert first != second
    assert [port, said[5], said[8]] == [
        str(urlsplit(url).port) for url in (first, second, first)
    ]


def test_a_port_is_given_once(monkeypatch):
    port = with_postgres.free_port()
    monkeypatch.setattr(with_postgres, "PORTS", range(port, port + 1))

    with pytest.raises(RuntimeError):
        with_postgres.free_port()
