"""Tasks that tests enqueue; what they did is in a file."""

import time
from math import inf
from pathlib import Path

from django.apps import apps
from django.db import connection
from django.db.models.signals import pre_delete, pre_save
from django_tasks import task
from django_tasks_db.models import DBTaskResult

from authserver.jobs import running


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


@task()
def work_on_job_and_wait(job_id, directory, model, count):
    """Go on with a job; before it writes row ``count`` of a model, be as ``note_and_wait``.

    The row is written or deleted in the middle of a portion, which is a transaction.
    """
    rows = iter(range(1, count + 1))

    def wait_at_the_last(**_signal):
        if next(rows, None) == count:
            note_and_wait.call(directory)

    def see(execute, statement, *others):
        if statement.startswith(update):
            wait_at_the_last()
        return execute(statement, *others)

    running.SECONDS = inf  # or a slow machine leaves the row to another task
    sender = apps.get_model(model)
    # The store's own, for which no signal is sent.
    update = f"UPDATE {sender._meta.db_table} SET "  # noqa: S608 -- it is compared
    for signal in (pre_save, pre_delete):
        signal.connect(wait_at_the_last, sender=sender)
    try:
        with connection.execute_wrapper(see):
            running.work_on_job.call(job_id)
    finally:
        for signal in (pre_save, pre_delete):
            signal.disconnect(wait_at_the_last, sender=sender)
