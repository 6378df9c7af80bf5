"""How many statements a write takes: the same, however much it links."""

import pytest
from django.db import connection

from calendar_events.tests.bodies import event
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def links(count):
    """Return a body's references to ``count`` records of each kind."""
    kinds = {
        "venue": VenueFactory,
        "organizer": OrganizerFactory,
        "categories": CategoryFactory,
        "tags": TagFactory,
    }
    return {
        name: [record.pk for record in factory.create_batch(count)]
        for name, factory in kinds.items()
    }


@pytest.mark.parametrize("count", [1, 5])
def test_creating_costs_the_same_however_much_is_linked(
    editor, count, django_assert_num_queries
):
    body = event(**links(count))

    # Permissions, references, transaction 2, slug (and its lock on PostgreSQL), identifier,
    # event, history, links (of each kind on SQLite), log, answer.
    expected = 12 if connection.vendor == "postgresql" else 13
    with django_assert_num_queries(expected):
        assert editor.post("/events", body).status_code == 201


@pytest.mark.parametrize("count", [1, 5])
def test_changing_costs_the_same_however_much_is_linked(
    editor, count, django_assert_num_queries
):
    record = EventFactory()
    body = {"title": "Other", **links(count)}

    # Permissions, record, references, transaction 4, lock, event, links as stored and as
    # created, history, log, answer.
    expected = 14 if connection.vendor == "postgresql" else 16
    with django_assert_num_queries(expected):
        assert editor.put(f"/events/{record.pk}", body).status_code == 200


def test_changing_leaves_links_alone_that_stay_as_they_are(
    editor, django_assert_num_queries
):
    record = EventFactory()
    links_of_five = links(5)
    before = editor.put(f"/events/{record.pk}", links_of_five).json()

    # As above, without a look at what is linked and without links as created.
    with django_assert_num_queries(12):
        after = editor.put(f"/events/{record.pk}", {"title": "Other"}).json()
    with django_assert_num_queries(13):
        again = editor.put(f"/events/{record.pk}", {"title": "Other", **links_of_five})

    names = ("venue", "organizer", "categories", "tags")
    assert all(before[name] == after[name] == again.json()[name] for name in names)


@pytest.mark.parametrize("namesakes", [1, 40])
def test_a_slug_that_many_have_costs_little_more(
    editor, namesakes, django_assert_max_num_queries
):
    EventFactory(slug="evening")
    for number in range(2, namesakes + 1):
        EventFactory(slug=f"evening-{number}")

    with django_assert_max_num_queries(16):
        record = editor.post("/events", event()).json()

    assert record["slug"] == f"evening-{namesakes + 1}"
