"""Lists are QuerySets: what is asked for holds however they are used."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from calendar_events.models import Event, Status, Taxonomy, Term, Venue
from calendar_events.models.visibility import ANONYMOUS, Viewer
from calendar_events.parsing import text
from calendar_events.parsing.values import Token
from calendar_events.store.events.queryset import ListedEvents
from calendar_events.store.events.windows import Window
from calendar_events.store.places import ListedPlaces
from calendar_events.store.terms import ListedTerms
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    TagFactory,
    VenueFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

WORDS = {
    "everything": lambda events: events,
    "a search": lambda events: events.matching(text.search_query("lantern")),
    "a category": lambda events: events.in_categories([Token("music")]),
    "featured": lambda events: events.featured(wanted=True),
    "changed": lambda events: events.changed_after(timezone.now() - timedelta(days=3650)),
    "a window": lambda events: events.in_window(Window(start=timezone.now())),
    "two words": lambda events: events.featured(wanted=True).in_categories(
        [Token("music")]
    ),
}


def ids(page):
    """Return the identifiers of the documents of a page."""
    return [json.loads(item, strict=False)["id"] for item in page.items]


@pytest.fixture
def editor():
    """Return somebody who sees the drafts of an institution with events of many kinds."""
    music = CategoryFactory(slug="music")
    first = EventFactory(title="A lantern", terms=[music])
    EventFactory(title="Another lantern", featured=True, institution=first.institution)
    EventFactory(title="Music", featured=True, terms=[music], institution=first.institution)
    EventFactory(status=Status.DRAFT, terms=[music], institution=first.institution)
    EventFactory(scheduled=True, institution=first.institution)
    EventFactory(hide_from_listings=True)
    return Viewer(
        institution=first.institution,
        user_id=first.author_id,
        permissions=frozenset({"change_event", "read_unpublished_event"}),
    )


@pytest.mark.parametrize("who", ["anonymous", "editor"])
@pytest.mark.parametrize("word", WORDS)
def test_a_list_of_events_is_the_same_as_page_as_rows_and_as_count(editor, who, word):
    viewer = editor if who == "editor" else ANONYMOUS
    events = WORDS[word](ListedEvents(Event).listed_for(viewer, timezone.now()))

    page = events.page(limit=50, offset=0)

    assert page.total == len(page.items) > 0
    assert {event.pk for event in events.all()} == set(ids(page))
    assert events.all().count() == page.total
    assert events.filter(pk=ids(page)[0]).exists()
    assert not events.exclude(pk__in=ids(page)).exists()


def test_a_list_of_places_can_be_counted_and_filtered_further():
    published, other = VenueFactory(name="Hall"), VenueFactory(name="Barn")
    VenueFactory(name="Hall to be", status=Status.DRAFT)
    halls = ListedPlaces(Venue).listed_for(ANONYMOUS, timezone.now()).containing("hall")

    page = halls.page(limit=10, offset=0)

    assert ids(page) == [published.pk]
    assert halls.count() == 1
    assert not halls.filter(pk=other.pk).exists()


def test_a_list_of_terms_can_be_counted_and_filtered_further():
    jazz, _ = TagFactory(name="Jazz"), TagFactory(name="Opera")
    CategoryFactory(name="Jazz too")
    tags = ListedTerms(Term).listed_for(ANONYMOUS, timezone.now(), taxonomy=Taxonomy.TAG)
    found = tags.hiding_empty(wanted=False).containing("jazz")

    page = found.page(limit=10, offset=0)

    assert ids(page) == [jazz.pk]
    assert found.count() == 1


def test_a_list_that_was_filtered_in_other_ways_takes_no_more_words():
    venues = ListedPlaces(Venue).listed_for(ANONYMOUS, timezone.now()).filter(name="Hall")

    assert list(venues) == []
    with pytest.raises(TypeError, match="before the list is filtered"):
        venues.containing("hall")


def test_asking_for_more_leaves_the_list_before_as_it_was():
    EventFactory(featured=True)
    EventFactory()
    events = ListedEvents(Event).listed_for(ANONYMOUS, timezone.now())

    featured = events.featured(wanted=True)

    assert (featured.page(limit=9, offset=0).total, events.count()) == (1, 2)
