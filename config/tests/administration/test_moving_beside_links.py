"""A record that is moved to another institution while somebody links it to an event."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone

from authserver.tests import factories as accounts
from calendar_events.models import Event
from calendar_events.permissions import Actor
from calendar_events.services import desk, events
from calendar_events.store import saving
from calendar_events.tests import factories as calendar
from config.tests.waiting import eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture
def actor():
    user = accounts.UserFactory(institution=None, is_superuser=True)
    return Actor(user=user, institution="1001")


def move(record, actor):
    return desk.move_record(
        type(record),
        actor=actor,
        pk=record.pk,
        institution="1002",
        now=timezone.now(),
    )


@pytest.fixture
def beside():
    """Return a function that does something on a connection of its own."""
    with ThreadPoolExecutor(1) as pool:

        def start(function, *args):
            def alone():
                try:
                    return function(*args)
                finally:
                    connections.close_all()

            return pool.submit(alone)

        yield start


@pytest.mark.parametrize("kind", ["venue", "organizer"])
def test_an_event_is_not_linked_to_what_was_moved_since_it_was_looked_up(actor, kind):
    build = {"venue": calendar.VenueFactory, "organizer": calendar.OrganizerFactory}[kind]
    place, event = build(), calendar.EventFactory()
    move(place, actor)

    with pytest.raises(saving.VersionConflict):
        events.update_event(
            actor=actor, pk=event.pk, changes={kind: [place.pk]}, now=timezone.now()
        )

    assert not getattr(event, f"{kind}s").exists()


def test_an_event_does_not_get_a_parent_that_was_moved_since_it_was_looked_up(actor):
    parent, event = calendar.EventFactory(), calendar.EventFactory()
    move(parent, actor)

    with pytest.raises(saving.VersionConflict):
        events.update_event(
            actor=actor, pk=event.pk, changes={"post_parent": parent.pk}, now=timezone.now()
        )

    assert Event.objects.get(pk=event.pk).post_parent is None


@pytest.mark.parametrize("link", ["venue", "organizer", "post_parent"])
@pytest.mark.postgresql_only  # SQLite has one writer at a time
def test_a_link_waits_for_a_move_and_is_refused(actor, beside, link):
    build = {"venue": calendar.VenueFactory, "organizer": calendar.OrganizerFactory}
    record = build.get(link, calendar.EventFactory)()
    event = calendar.EventFactory()
    wanted = record.pk if link == "post_parent" else [record.pk]

    def write():
        events.update_event(
            actor=actor, pk=event.pk, changes={link: wanted}, now=timezone.now()
        )

    with transaction.atomic():
        move(record, actor)
        linking = beside(write)
        assert eventually(somebody_waits)

    with pytest.raises(saving.VersionConflict):
        linking.result(10)
    assert not event.venues.exists()
    assert not event.organizers.exists()
    assert Event.objects.get(pk=event.pk).post_parent is None


@pytest.mark.postgresql_only  # SQLite has one writer at a time
def test_a_move_waits_for_a_link_and_is_refused(actor, beside):
    venue, event = calendar.VenueFactory(), calendar.EventFactory()

    with transaction.atomic():
        events.update_event(
            actor=actor, pk=event.pk, changes={"venue": [venue.pk]}, now=timezone.now()
        )
        moved = beside(move, venue, actor)
        assert eventually(somebody_waits)

    with pytest.raises(desk.StaysBehind):
        moved.result(10)
    venue.refresh_from_db()
    assert venue.institution == "1001"


def somebody_waits():
    """Return whether a connection to this database waits for a lock."""
    with connection.cursor() as cursor:
        # The list of connections would be that of the transaction's first look at it.
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks AS awaited"
            " JOIN pg_locks AS held USING (pid)"
            " JOIN pg_database ON pg_database.oid = held.database"
            " WHERE NOT awaited.granted AND datname = current_database())"
        )
        return cursor.fetchone()[0]
