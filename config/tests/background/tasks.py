"""Tasks that tests enqueue; what they did is in a file."""

import time
from pathlib import Path

from django_tasks import task
from django_tasks_db.models import DBTaskResult


@task()
def note(path, words):
    """Write a line, and end."""
    with Path(path).open("a") as lines:
        lines.write(f"{words}\n")


@task()
def note_and_wait(directory):
    """Write ``begun``, wait for as long as there is a file ``hold``, write ``done``."""
    place = Path(directory)
    with (place / "lines").open("a") as lines:
        lines.write("begun\n")
    while (place / "hold").exists():
        time.sleep(0.05)
    with (place / "lines").open("a") as lines:
        lines.write("done\n")


@task()
def break_down(words):
    raise RuntimeError(words)


@task()
def moment_of_claim():
    """Return when the only task that runs was claimed, as its row has it."""
    return DBTaskResult.objects.running().get().started_at.isoformat()
