"""Lists of events, where their statements part ways."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from django.utils import timezone

from calendar_events.models import Event
from calendar_events.models.visibility import ANONYMOUS
from calendar_events.store.events.queryset import ListedEvents
from calendar_events.store.events.windows import Window
from calendar_events.store.list_version import CountHints
from calendar_events.tests.factories import EventFactory, TagFactory, VenueFactory, at_day
from calendar_events.tests.reading import ids, path, pks

pytestmark = pytest.mark.both_databases

LATEST = datetime.max.replace(tzinfo=UTC)
EARLIEST = datetime.min.replace(tzinfo=UTC)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "hints",
    [
        CountHints(has_scheduled=False, last_end=EARLIEST),
        CountHints(has_scheduled=False, last_end=LATEST),
        CountHints(has_scheduled=True, last_end=EARLIEST),
    ],
)
def test_a_list_looks_again_when_something_was_written_beyond_its_horizon(hints):
    tag = TagFactory()
    listed = EventFactory(terms=[tag])
    EventFactory(start=at_day(3), end=at_day(4000))
    EventFactory(scheduled=True)
    now = timezone.now()
    window = Window(start=now, end=now.replace(year=now.year + 2, microsecond=0))

    events = ListedEvents(Event).listed_for(ANONYMOUS, now).counted_with(hints)

    page = events.in_window(window).page(limit=10, offset=0)

    assert [json.loads(item, strict=False)["id"] for item in page.items] == pks(listed)
    assert page.total == 1


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
