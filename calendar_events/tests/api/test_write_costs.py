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

pytestmark = pytest.mark.django_db


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
    # event, history, links (of each kind on SQLite), answer.
    expected = 11 if connection.vendor == "postgresql" else 12
    with django_assert_num_queries(expected):
        assert editor.post("/events", body).status_code == 201


@pytest.mark.parametrize("count", [1, 5])
def test_changing_costs_the_same_however_much_is_linked(
    editor, count, django_assert_num_queries
):
    record = EventFactory()
    body = {"title": "Other", **links(count)}

    # Permissions, record, references, transaction 4, lock, event, history, links 3 and as
    # created, answer.
    expected = 15 if connection.vendor == "postgresql" else 17
    with django_assert_num_queries(expected):
        assert editor.put(f"/events/{record.pk}", body).status_code == 200


@pytest.mark.parametrize("namesakes", [1, 40])
def test_a_slug_that_many_have_costs_little_more(
    editor, namesakes, django_assert_max_num_queries
):
    EventFactory(slug="evening")
    for number in range(2, namesakes + 1):
        EventFactory(slug=f"evening-{number}")

    with django_assert_max_num_queries(15):
        record = editor.post("/events", event()).json()

    assert record["slug"] == f"evening-{namesakes + 1}"
