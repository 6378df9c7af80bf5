"""A sixth type is an entry, a model, a document, a FilterSet and a viewset."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from calendar_events.tests.extension import rooms

ROOMS = Path(rooms.__file__).parent
PYTEST = (sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider")


@pytest.mark.processes
def test_a_project_adds_a_type_without_touching_the_calendar():
    """In a process of its own: an app cannot be installed while another suite runs."""
    others = {name for name in os.environ if name.startswith(("PYTEST_", "DJANGO_"))}
    environment = {name: os.environ[name] for name in os.environ.keys() - others}
    finished = subprocess.run(
        [*PYTEST, "--ds", "config.tests.settings_with_rooms", str(ROOMS / "journey.py")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert finished.returncode == 0, finished.stdout[-4000:] + finished.stderr[-1000:]
