"""What the database holds, as metrics; a thread of the first worker process asks for it.

A scrape waits for no database: while it is away or frozen, the figures stay as they were,
and ``platform_database_up`` says so.
"""

import platform
import threading
import time
from datetime import datetime
from typing import Final

import django
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.db.models import Case, Count, Min, Q, When
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult, get_date_max

from authserver.models import AccessToken
from calendar_events.models import WebhookDelivery, WebhookSubscription
from config import __version__
from config.monitoring import metrics

PAUSE_SECONDS: Final = 5.0
STATES: Final = (
    TaskResultStatus.READY,
    TaskResultStatus.RUNNING,
    TaskResultStatus.FAILED,
)

# A task that is tried again waits since that was due, not since it was first enqueued.
_SINCE: Final = Case(
    When(run_after=get_date_max(), then="enqueued_at"), default="run_after"
)


def start() -> None:
    """Tell the versions, and ask the database in a thread for as long as we live."""
    vendor = connections[DEFAULT_DB_ALIAS].vendor
    versions = (__version__, django.get_version(), platform.python_version(), vendor)
    metrics.build_info.labels(*versions).set(1)
    threading.Thread(target=_run, name="database-metrics", daemon=True).start()


def _run() -> None:
    while True:
        refresh(timezone.now())
        connections.close_all()  # of this thread
        time.sleep(PAUSE_SECONDS)


def refresh(now: datetime) -> None:
    """Set the gauges to what the database says; whether it does is one of them."""
    try:
        waiting = DBTaskResult.objects.ready().aggregate(first=Min(_SINCE))["first"]
        expired = AccessToken.objects.filter(expires__lte=now)
        first_expired = expired.aggregate(first=Min("expires"))["first"]
        rows = DBTaskResult.objects.filter(status__in=STATES).values("status")
        numbers = {
            row["status"]: row["number"] for row in rows.annotate(number=Count("pk"))
        }
        messages, subscriptions = _webhook_messages(), _webhooks()
    except Error:
        metrics.database_up.set(0)
        return
    metrics.database_up.set(1)
    metrics.oldest_task_seconds.set(_seconds(now, waiting))
    metrics.oldest_expired_seconds.set(_seconds(now, first_expired))
    for state in STATES:
        metrics.tasks.labels(state.lower()).set(numbers.get(state, 0))
    for name, number in messages.items():
        metrics.webhook_messages.labels(name).set(number)
    for name, number in subscriptions.items():
        metrics.webhooks.labels(name).set(number)


def _webhook_messages() -> dict[str, int]:
    rows = WebhookDelivery.objects
    return {
        "pending": rows.pending().count(),
        "failed": rows.filter(state=WebhookDelivery.State.FAILED).count(),
    }


def _webhooks() -> dict[str, int]:
    rows, status = WebhookSubscription.objects, WebhookSubscription.Status
    asked = WebhookSubscription.Reason.ASKED
    is_failing = Q(failing_since__isnull=False)
    return rows.aggregate(
        active=Count("pk", filter=Q(status=status.ACTIVE) & ~is_failing),
        failing=Count("pk", filter=Q(status=status.ACTIVE) & is_failing),
        disabled=Count("pk", filter=Q(status=status.DISABLED) & ~Q(disabled_reason=asked)),
    )


def _seconds(now: datetime, since: datetime | None) -> float:
    return max(0.0, (now - since).total_seconds()) if since is not None else 0.0
