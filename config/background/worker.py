"""The worker: looks for tasks and runs them one by one.

A thread of each process that serves, or ``manage.py db_worker``. Several may run at once:
each task is claimed by one.
"""

from time import monotonic

from django.db import close_old_connections
from django.utils.crypto import get_random_string
from django_tasks import DEFAULT_TASK_BACKEND_ALIAS
from django_tasks_db.management.commands.db_worker import Worker as OneByOne
from django_tasks_db.models import DBTaskResult

from authserver.retention import database_now
from config.background import nightly, queue
from config.background.loop import Loop
from config.background.webhooks import WebhookLoop

PUT_BACK_SECONDS = 5.0
"""So often, at the most, failed and lost tasks are looked for."""


class _LeasingWorker(OneByOne):
    """The package's, with leases by the database's clock."""

    def run_task(self, db_task_result: DBTaskResult) -> None:
        """Run a task that was claimed; the package wrote this machine's time."""
        queue.start_lease(db_task_result)
        super().run_task(db_task_result)


class Worker(Loop):
    """Runs the tasks of the queue until ``stop`` is called."""

    def __init__(self) -> None:
        """Begin with a look at what is to be put back."""
        super().__init__()
        self._put_back_at = self._nightly_at = 0.0
        self._current: OneByOne | None = None

    def turn(self) -> None:
        """Queue the work of the night, once it is due, and run what is ready."""
        if monotonic() >= self._nightly_at:
            close_old_connections()
            nightly.queue_due(database_now())
            self._nightly_at = monotonic() + nightly.LOOK_SECONDS
        self.run_once()

    def run_once(self) -> None:
        """Put back what is due and run all that is ready. Raises ``DatabaseError``."""
        close_old_connections()
        if monotonic() >= self._put_back_at:
            queue.put_back(database_now())
            self._put_back_at = monotonic() + PUT_BACK_SECONDS
        if self.stopping.is_set() or not queue.is_waiting():
            return
        self._current = _LeasingWorker(
            queue_names=["*"],
            interval=PUT_BACK_SECONDS,  # between attempts while SQLite is locked
            batch=True,
            backend_name=DEFAULT_TASK_BACKEND_ALIAS,
            startup_delay=False,
            max_tasks=None,
            worker_id=get_random_string(32),
            excluded_queue_names=[],
        )
        self._current.run()
        self._put_back_at = 0.0

    def stop(self) -> None:
        """Finish the task that runs, and take no other."""
        super().stop()
        if self._current is not None:
            self._current.running = False


def start_threads() -> None:
    """Start what works beside the requests of this process, and ends with it.

    A task that it was running then is put back once its lease is over, and a webhook that
    it was sending is sent again.
    """
    Worker().start("background-work")
    WebhookLoop().start("webhooks")
