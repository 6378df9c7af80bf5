"""The work of every night: queued once a day, and done by whichever worker takes it."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from calendar_events.models import Event
from calendar_events.tests.factories import EventFactory
from config.background import nightly
from config.background.worker import Worker

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_the_work_of_the_night_is_queued_once_a_day():
    now = timezone.now()
    nightly.queue_due(now)
    nightly.queue_due(now)
    assert DBTaskResult.objects.count() == 1

    nightly.queue_due(now + timedelta(hours=25))
    assert DBTaskResult.objects.count() == 2


def test_a_worker_extends_series():
    EventFactory()
    nightly.queue_due(timezone.now())

    Worker().run_once()

    (row,) = DBTaskResult.objects.all()
    assert (row.status, row.traceback) == ("SUCCESSFUL", "")
    assert Event.objects.count() == 1
