"""Tasks that failed, or lost their worker, are queued again a bounded number of times.

The rows are those of ``django_tasks_db``, which leaves a task whose worker died as running
for ever and tries nothing twice. Every step here is one conditional UPDATE of one row, so
any number of workers may do it at once, and a crash between two of them loses nothing.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from authserver.retention import database_now

LOST = "Its worker was lost {attempts} times, so it is not tried again by itself."


def is_waiting() -> bool:
    """Return whether a task can be started now. Takes no lock, unlike a worker's claim."""
    ready: QuerySet[Any] = DBTaskResult.objects.ready()
    return ready.exists()


def put_back(now: datetime) -> None:
    """Queue again what is due to be: tasks of lost workers at once, failed ones later.

    ``now`` is the database's time: a worker whose clock is fast must not take what others
    still do.
    """
    _put_back_lost(now)
    _put_back_failed(now)


def start_lease(row: DBTaskResult) -> None:
    """Let the lease of a claimed task begin now, by the database's clock."""
    DBTaskResult.objects.running().filter(pk=row.pk).update(started_at=database_now())


def try_again(rows: QuerySet[Any]) -> int:
    """Queue failed tasks again with all their attempts; return how many."""
    return rows.filter(status=TaskResultStatus.FAILED).update(
        status=TaskResultStatus.READY,
        worker_ids=[],
        run_after=timezone.now(),
        started_at=None,
        finished_at=None,
    )


def purgeable(now: datetime, **_kwargs: Any) -> list[QuerySet[Any]]:
    """Return the finished tasks that are old (``retention.collect_expired``)."""
    old = now - timedelta(days=settings.TASK_DAYS)
    return [DBTaskResult.objects.finished().filter(finished_at__lte=old)]


def _put_back_lost(now: datetime) -> None:
    until = now - timedelta(seconds=settings.TASK_LEASE_SECONDS)
    for row in DBTaskResult.objects.running().filter(started_at__lte=until):
        attempts = len(row.worker_ids)
        is_last = attempts >= settings.TASK_ATTEMPTS
        # The moment has changed if another worker was faster.
        DBTaskResult.objects.running().filter(pk=row.pk, started_at=row.started_at).update(
            status=TaskResultStatus.FAILED if is_last else TaskResultStatus.READY,
            finished_at=now if is_last else None,
            traceback=LOST.format(attempts=attempts) if is_last else row.traceback,
        )


def _put_back_failed(now: datetime) -> None:
    last = settings.TASK_ATTEMPTS - 1
    unfinished = {f"worker_ids__{last}__isnull": True}
    for row in DBTaskResult.objects.failed().filter(**unfinished):
        attempts = len(row.worker_ids)
        pause = settings.TASK_RETRY_SECONDS * 2 ** max(0, attempts - 1)
        DBTaskResult.objects.failed().filter(pk=row.pk, finished_at=row.finished_at).update(
            status=TaskResultStatus.READY,
            run_after=(row.finished_at or now) + timedelta(seconds=pause),
            finished_at=None,
        )
