"""Metrics that are collected at scrape time: versions, and what the database holds.

The database is asked on a thread of its own and waited for a moment only: while it is away
or frozen a scrape says so, without the figures that nobody knows then.
"""

from __future__ import annotations

import platform
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Final

import django
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.db.models import Case, Count, Min, When
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult, get_date_max
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from authserver.models import AccessToken
from config import __version__

WAIT_SECONDS: Final = 1.0
"""How long a scrape waits for the database."""
KEEP_SECONDS: Final = 10.0
"""How long an answer is given again before the database is asked anew."""
STATES: Final = (
    TaskResultStatus.READY,
    TaskResultStatus.RUNNING,
    TaskResultStatus.FAILED,
)

# A task that is tried again waits since that was due, not since it was first enqueued.
_SINCE: Final = Case(
    When(run_after=get_date_max(), then="enqueued_at"), default="run_after"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What the database said."""

    tasks: dict[str, int]
    oldest_task_seconds: float
    """For how long the oldest task that could be started has waited."""
    oldest_expired_seconds: float
    """For how long the oldest access token that is still stored has been expired."""


def ask(now: datetime) -> Figures:
    """Ask the database. Raises ``Error``."""
    counted = DBTaskResult.objects.filter(status__in=STATES).values("status")
    tasks = {state.lower(): 0 for state in STATES}
    for row in counted.annotate(number=Count("pk")).order_by():
        tasks[row["status"].lower()] = row["number"]
    waiting = DBTaskResult.objects.ready().aggregate(first=Min(_SINCE))["first"]
    expired = AccessToken.objects.filter(expires__lte=now).aggregate(first=Min("expires"))
    return Figures(
        tasks=tasks,
        oldest_task_seconds=_seconds(now, waiting),
        oldest_expired_seconds=_seconds(now, expired["first"]),
    )


class Database:
    """Asks for the figures, one question at a time."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._lock = threading.Lock()
        self._asking: threading.Thread | None = None
        self._figures: Figures | None = None
        self._known_at = -KEEP_SECONDS

    def figures(self) -> Figures | None:
        """Return what the database holds; ``None`` when it did not say so in time."""
        with self._lock:
            if monotonic() - self._known_at >= KEEP_SECONDS:
                self._figures = None
                if self._asking is None or not self._asking.is_alive():
                    self._asking = threading.Thread(
                        target=self._ask, name="figures", daemon=True
                    )
                    self._asking.start()
                self._asking.join(WAIT_SECONDS)
            return self._figures

    def _ask(self) -> None:
        try:
            self._figures = ask(timezone.now())
            self._known_at = monotonic()
        except Error:
            self._figures = None
        finally:
            connections.close_all()  # of this thread, which ends


class FiguresCollector(Collector):
    """The metrics that no process counts."""

    def __init__(self) -> None:
        """Ask nothing before the first scrape."""
        self._database = Database()

    def collect(self) -> Iterator[Metric]:
        """Return the metrics; those of a silent database are left out."""
        yield _build_info()
        figures = self._database.figures()
        yield _gauge(
            "platform_database_up",
            "Whether the database answered within a second.",
            float(figures is not None),
        )
        if figures is None:
            return
        tasks = GaugeMetricFamily(
            "platform_tasks", "Background tasks, by state.", labels=["state"]
        )
        for state, number in figures.tasks.items():
            tasks.add_metric([state], number)
        yield tasks
        yield _gauge(
            "platform_oldest_task_seconds",
            "How long the oldest task that could be started has waited.",
            figures.oldest_task_seconds,
        )
        yield _gauge(
            "platform_oldest_expired_seconds",
            "For how long the oldest stored access token has been expired.",
            figures.oldest_expired_seconds,
        )


def _build_info() -> Metric:
    versions = {
        "version": __version__,
        "django": django.get_version(),
        "python": platform.python_version(),
        "database": connections[DEFAULT_DB_ALIAS].vendor,
    }
    family = GaugeMetricFamily(
        "platform_build_info", "The versions that run; the value is 1.", labels=[*versions]
    )
    family.add_metric([*versions.values()], 1)
    return family


def _gauge(name: str, words: str, value: float) -> Metric:
    return GaugeMetricFamily(name, words, value=value)


def _seconds(now: datetime, since: datetime | None) -> float:
    return max(0.0, (now - since).total_seconds()) if since is not None else 0.0
