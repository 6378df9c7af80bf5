"""Saving a record: versions, modification dates and history."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from calendar_events.models import Event
from calendar_events.store import saving
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = pytest.mark.both_databases


@pytest.mark.django_db
def test_of_two_writers_the_second_is_stale():
    event = EventFactory()
    first, second = Event.objects.get(pk=event.pk), Event.objects.get(pk=event.pk)
    first.save(now=timezone.now())

    read = second.version, second.modified_at
    with pytest.raises(saving.VersionConflict), transaction.atomic():
        second.save(now=timezone.now())
    assert (second.version, second.modified_at) == read
    with pytest.raises(saving.VersionConflict), transaction.atomic():
        second.delete()
    assert Event.objects.get().version == 2


@pytest.mark.django_db
def test_every_write_moves_the_modification_date_by_a_second_at_least():
    event = EventFactory(written_at=datetime(2030, 1, 1, tzinfo=UTC))

    event.save(now=datetime(2029, 1, 1, tzinfo=UTC))

    assert event.modified_at == datetime(2030, 1, 1, 0, 0, 1, tzinfo=UTC)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "factory", [EventFactory, VenueFactory, OrganizerFactory, CategoryFactory]
)
def test_the_history_has_each_state_of_the_row_and_who_made_it(factory):
    record = factory()
    record.description = "<p>Other</p>"
    record._history_user, record._change_reason = UserFactory(), "second thoughts"
    record.save(now=timezone.now())

    changed, created = type(record).history.order_by("-history_id")

    assert (created.history_type, created.history_user) == ("+", None)
    assert (changed.history_type, changed.history_user) == ("~", record._history_user)
    assert changed.history_change_reason == "second thoughts"
    assert (created.version, changed.version) == (1, 2)
    stored = type(record).objects.values().get()
    columns = {field.attname for field in changed.tracked_fields}
    assert {name: getattr(changed, name) for name in columns} == {
        name: stored[name] for name in columns
    }


@pytest.mark.django_db
def test_a_row_that_breaks_a_constraint_is_not_saved():
    EventFactory(slug="evening")

    with pytest.raises(IntegrityError), transaction.atomic():
        EventFactory(slug="evening")

    assert Event.objects.count() == Event.history.count() == 1
