"""The worker: looks for tasks and runs them one by one.

A thread of each process that serves, or ``manage.py db_worker``. Several may run at once:
each task is claimed by one.
"""

import threading
from time import monotonic

from django.conf import settings
from django.db import DatabaseError, InterfaceError, close_old_connections, connections
from django.utils.crypto import get_random_string
from django_tasks import DEFAULT_TASK_BACKEND_ALIAS
from django_tasks_db.management.commands.db_worker import Worker as OneByOne
from django_tasks_db.models import DBTaskResult

from authserver.retention import database_now
from config.background import queue
from platform_errors.logging.circuit_breaker import PAUSE_SECONDS, CircuitBreaker

PUT_BACK_SECONDS = 5.0
"""So often, at the most, failed and lost tasks are looked for."""
outage = CircuitBreaker("The database failed, background work waits for it")


class _LeasingWorker(OneByOne):
    """The package's, with leases by the database's clock."""

    def run_task(self, db_task_result: DBTaskResult) -> None:
        """Run a task that was claimed; the package wrote this machine's time."""
        queue.start_lease(db_task_result)
        super().run_task(db_task_result)


class Worker:
    """Runs the tasks of the queue until ``stop`` is called."""

    def __init__(self) -> None:
        """Begin with a look at what is to be put back."""
        self._stopping = threading.Event()
        self._put_back_at = 0.0
        self._current: OneByOne | None = None

    def run(self) -> None:
        """Work until ``stop`` is called; a database that is away is waited for."""
        while not self._stopping.is_set():
            pause = settings.TASK_POLL_SECONDS
            try:
                self.run_once()
            except (DatabaseError, InterfaceError) as error:
                outage.trip(error)
                connections.close_all()
                pause = PAUSE_SECONDS
            self._stopping.wait(pause)
        connections.close_all()

    def run_once(self) -> None:
        """Put back what is due and run all that is ready. Raises ``DatabaseError``."""
        close_old_connections()
        if monotonic() >= self._put_back_at:
            queue.put_back(database_now())
            self._put_back_at = monotonic() + PUT_BACK_SECONDS
        if self._stopping.is_set() or not queue.is_waiting():
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
        self._stopping.set()
        if self._current is not None:
            self._current.running = False


def start_thread() -> Worker:
    """Start a worker beside the requests of this process; it ends with the process.

    A task that it was running then is put back once its lease is over.
    """
    worker = Worker()
    threading.Thread(target=worker.run, name="background-work", daemon=True).start()
    return worker
