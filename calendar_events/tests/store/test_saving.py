"""Saving a record: versions and modification dates."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import transaction
from django.utils import timezone

from calendar_events.models import Event
from calendar_events.store import saving
from calendar_events.tests.factories import EventFactory


@pytest.mark.django_db
def test_of_two_writers_the_second_is_stale():
    event = EventFactory()
    first, second = Event.objects.get(pk=event.pk), Event.objects.get(pk=event.pk)
    saving.save(first, now=timezone.now())

    with pytest.raises(saving.VersionConflict), transaction.atomic():
        saving.save(second, now=timezone.now())
    with pytest.raises(saving.VersionConflict), transaction.atomic():
        saving.delete(second)
    assert Event.objects.get().version == 2


@pytest.mark.django_db
def test_every_write_moves_the_modification_date_by_a_second_at_least():
    event = EventFactory(written_at=datetime(2030, 1, 1, tzinfo=UTC))

    saving.save(event, now=datetime(2029, 1, 1, tzinfo=UTC))

    assert event.modified_at == datetime(2030, 1, 1, 0, 0, 1, tzinfo=UTC)
