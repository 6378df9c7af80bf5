"""The other units' commands: the worker and the housekeeping."""

import signal
import subprocess
import venv

import pytest

from config.tests import servers
from config.tests.deploy import units
from config.tests.waiting import PATIENCE_SECONDS, eventually

pytestmark = pytest.mark.processes
SERVICES = sorted(path.name for path in units.SYSTEMD.glob("*.service"))
WHERE = "import sys; print(sys.executable, sys.prefix)"
ENQUEUE = "from config.tests.background import tasks; tasks.note.enqueue({!r}, 'done')"


def start(site, name):
    unit = units.read(name)
    return subprocess.Popen(
        unit.command,
        cwd=servers.ROOT,
        env=unit.environment | site.server.environment,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.postgresql_only  # the pool's
def test_the_worker_does_what_waits_and_stops_on_a_signal(site, tmp_path):
    note = tmp_path / "note"
    site.server.manage("shell", "-v0", "-c", ENQUEUE.format(str(note)))

    with start(site, "calendar-worker.service") as worker:
        eventually(note.exists)
        worker.send_signal(signal.SIGTERM)
        status = worker.wait(PATIENCE_SECONDS)

    assert note.read_text() == "done\n"
    assert status == 0


@pytest.mark.postgresql_only  # the pool's
def test_the_housekeeping_ends_well(site):
    with start(site, "calendar-clear-expired.service") as housekeeping:
        _, errors = housekeeping.communicate(timeout=PATIENCE_SECONDS)

    assert housekeeping.returncode == 0, errors


@pytest.mark.parametrize("name", SERVICES)
def test_every_unit_runs_as_its_own_user_who_can_write_nothing_else(name):
    settings = units.read(name).settings

    assert settings["User"] == ["calendar"]
    assert settings["ProtectSystem"] == ["strict"]
    assert settings["NoNewPrivileges"] == ["yes"]
    assert settings["CapabilityBoundingSet"] == [""]
    assert settings["EnvironmentFile"] == ["/etc/calendar/environment"]


def test_a_process_stays_with_its_release_when_the_link_is_switched(tmp_path):
    release, link = tmp_path / "calendar-1.0.0", tmp_path / "calendar"
    venv.create(release / ".venv", symlinks=True)
    link.symlink_to(release)

    directories = {units.read(name).settings["WorkingDirectory"][0] for name in SERVICES}
    shown = subprocess.run(
        [*units.PYTHON, "-c", WHERE], cwd=link, capture_output=True, text=True, check=True
    ).stdout

    assert directories == {"/opt/calendar"}
    assert shown.split() == [f"{release}/.venv/bin/python", f"{release}/.venv"]
