"""Lists of events by their links, and in other orders than by their start."""

from datetime import UTC, datetime

import pytest

from calendar_events.tests.factories import EventFactory, TagFactory, VenueFactory, at_day
from calendar_events.tests.reading import ids, path, pks

pytestmark = pytest.mark.both_databases


@pytest.mark.django_db
def test_many_links_are_looked_up_instead_of_walked(anonymous):
    venues = [VenueFactory() for _ in range(25)]
    events = [EventFactory(venues=[venue]) for venue in venues[::8]]

    response = anonymous.get(path("events", venue=pks(*venues)))

    assert ids(response) == pks(*events)
    assert response.json()["total"] == 4


@pytest.mark.django_db
def test_links_are_walked_in_any_order(anonymous):
    tag = TagFactory()
    late = EventFactory(terms=[tag], title="a", start=at_day(9))
    soon = EventFactory(terms=[tag], title="b", start=at_day(2))

    assert ids(anonymous.get(path("events", tags=tag.pk, orderby="title"))) == pks(
        late, soon
    )
    assert ids(anonymous.get(path("events", tags=tag.pk, starts_before="2099"))) == pks(
        soon, late
    )
    assert ids(anonymous.get(path("events", tags=tag.pk, start_date="2001"))) == pks(
        soon, late
    )


@pytest.mark.django_db
def test_drafts_stand_among_the_others_by_their_creation(editor):
    old = EventFactory(published_at=datetime(2019, 1, 1, tzinfo=UTC))
    draft = EventFactory(draft=True, written_at=datetime(2021, 1, 1, tzinfo=UTC))
    new = EventFactory(published_at=datetime(2023, 1, 1, tzinfo=UTC))

    assert ids(editor.get(path("events", orderby="date"))) == pks(old, draft, new)
