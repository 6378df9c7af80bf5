"""Work for every night, which the workers queue themselves: no timer has to be set up."""

from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone
from django_tasks import task
from django_tasks_db.models import DBTaskResult

from calendar_events.services import series

EVERY: Final = timedelta(hours=24)
LOOK_SECONDS: Final = 3600.0
"""So often, at the most, a worker looks whether the work of the night is queued."""


@task()
def extend_series() -> None:
    """Give events that repeat their occurrences as far as the horizon.

    It may run twice: the second time there is nothing to add.
    """
    series.extend_all(now=timezone.now())


def queue_due(now: datetime) -> None:
    """Queue what has not been for a day; workers that do so at once queue it twice."""
    since = DBTaskResult.objects.filter(
        task_path=extend_series.module_path, enqueued_at__gt=now - EVERY
    )
    if not since.exists():
        extend_series.enqueue()
