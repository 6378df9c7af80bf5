"""Rows: their names, and what the database refuses."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from calendar_events.models import Event
from calendar_events.models.guard import store_writes
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    IdempotentAnswerFactory,
    OrganizerFactory,
    VenueFactory,
)

pytestmark = pytest.mark.both_databases


@pytest.mark.django_db
def test_rows_have_names_that_people_can_tell_apart():
    category = CategoryFactory(name="Music")
    event = EventFactory(title="Yoga", terms=[category], venues=[VenueFactory()])
    organizer = OrganizerFactory()
    with store_writes():
        event.organizers.through.objects.create(
            event=event, organizer=organizer, start_utc=event.start_utc, listed=True
        )

    assert str(event) == f"Yoga ({event.pk})"
    assert str(category) == f"Music (Category {category.pk})"
    for name in ("eventterm_set", "eventvenue_set", "eventorganizer_set"):
        link = getattr(event, name).get()
        assert str(event.pk) in str(link)
        assert str(link.pk) in str(link)
    answer = IdempotentAnswerFactory(key="abc")
    assert "abc" in str(answer)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    [
        {"status": "future"},
        {"status": "nothing"},
        {"title": ""},
        {"institution": ""},
        {"slug": ""},
        {"published_at": None},
        {"end_utc": datetime(1999, 1, 1, tzinfo=UTC)},
    ],
)
def test_the_database_refuses_what_makes_no_event(change):
    event = EventFactory()

    with pytest.raises(IntegrityError), transaction.atomic(), store_writes():
        Event.objects.filter(pk=event.pk).update(**change)
