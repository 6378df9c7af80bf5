"""Saving as Django documents it: ``save``, ``create``, signals, and one after commit."""

import pytest
from django.db import transaction
from django.db.models.signals import m2m_changed, post_delete, post_save, pre_save
from django.utils import timezone
from simple_history.signals import (
    post_create_historical_record,
    pre_create_historical_record,
)

from calendar_events.models import Event, EventVenue, Status, Term, Venue
from calendar_events.models.guard import VersionConflict
from calendar_events.signals import record_written
from calendar_events.store.links import Links
from calendar_events.tests import bodies
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def listen():
    """Connect receivers for the time of a test."""
    connected = []

    def connect(signal, receiver, **options):
        signal.connect(receiver, weak=False, **options)
        connected.append((signal, receiver, options.get("sender")))

    yield connect
    for signal, receiver, sender in connected:
        signal.disconnect(receiver, sender=sender)


@pytest.fixture
def written(listen):
    """Return what ``record_written`` sent, in order."""
    sent = []

    def receive(sender, signal, **facts):
        sent.append((sender, *facts.values()))

    listen(record_written, receive)
    return sent


def test_a_saved_event_is_answered_as_it_is_saved(anonymous):
    event = EventFactory(title="As it was")
    event.title = "Changed in the shell"

    event.save()

    answer = anonymous.get(f"/events/{event.pk}").json()
    assert answer["title"] == "Changed in the shell"
    stored = Event.objects.get()
    assert (stored.version, stored.search_text) == (2, "changed in the shell")
    assert stored.modified_at > stored.created_at
    assert Event.history.count() == 2


def test_a_created_venue_gets_what_it_lacks(anonymous):
    Venue.objects.create(name="The Hall", institution="1001", author=UserFactory())
    venue = Venue.objects.create(
        name="The Hall", institution="1001", author=UserFactory(), status=Status.PUBLISH
    )

    assert venue.slug == "the-hall-2"
    assert venue.published_at <= timezone.now()
    assert anonymous.get(f"/venues/{venue.pk}").json()["venue"] == "The Hall"


def test_saving_some_fields_saves_the_whole_and_saving_none_nothing():
    event = EventFactory()
    event.title = "New"

    event.save(update_fields=[])
    assert Event.objects.get().version == 1
    event.save(update_fields=["title"])

    assert (Event.objects.get().title, Event.objects.get().version) == ("New", 2)


def test_an_instance_with_deferred_columns_saves_them_as_they_are():
    stored = EventFactory(description="<p>Stays</p>")

    event = Event.objects.only("title").get()
    event.title = "New"
    event.save()

    event = Event.objects.get()
    assert (event.title, event.description) == ("New", stored.description)
    assert "Stays" in event.fragment


def test_a_deleted_event_does_not_come_back_by_saving():
    event = EventFactory()
    Event.objects.get().delete()

    with pytest.raises(VersionConflict), transaction.atomic():
        event.save()

    assert not Event.objects.exists()


def test_what_a_receiver_of_pre_save_sets_is_in_the_document(listen):
    def rename(instance, **_):
        instance.title = "Renamed"

    listen(pre_save, rename, sender=Event)

    event = EventFactory(title="Given")

    assert '"Renamed"' in Event.objects.get(pk=event.pk).fragment


def test_an_interface_write_sends_django_signals(listen, editor):
    sent = []
    for signal in (pre_save, post_save):
        listen(signal, lambda **facts: sent.append(facts.get("created")), sender=Event)
    links = []
    listen(
        m2m_changed,
        lambda action, pk_set, **_: links.append((action, len(pk_set))),
        sender=EventVenue,
    )
    states = []
    for signal in (pre_create_historical_record, post_create_historical_record):
        listen(signal, lambda **facts: states.append(1), sender=Event.history.model)

    answer = editor.post("/events", bodies.event(venue={"venue": "New hall"}))

    assert answer.status_code == 201
    assert sent == [None, True]
    assert links == [("pre_add", 1), ("post_add", 1)]
    assert states == [1, 1]
    editor.patch(f"/events/{answer.json()['id']}", {"venue": []})
    assert sent == [None, True, None, False]
    assert links[2:] == [("pre_remove", 1), ("post_remove", 1)]
    assert len(states) == 4


def test_switched_off_there_is_no_history(settings):
    settings.SIMPLE_HISTORY_ENABLED = False

    EventFactory()

    assert not Event.history.exists()


@pytest.mark.django_db(transaction=True)
def test_a_transaction_tells_once_of_each_record_after_its_commit(written):
    with transaction.atomic():
        venue = VenueFactory()
        event = EventFactory(venues=[venue])
        event.save(links=Links(venues=[]))
        assert written == []

    assert written == [
        (Venue, "venue", venue.pk, 1, True, False),
        (Event, "event", event.pk, 2, True, False),
    ]
    del written[:]
    pk = event.pk
    event.delete()
    assert written == [(Event, "event", pk, 3, False, True)]


@pytest.mark.django_db(transaction=True)
def test_a_write_that_is_rolled_back_is_not_told(written):
    event = EventFactory()
    del written[:]
    with transaction.atomic():
        event.save()
        with transaction.atomic():
            event.save()
            transaction.set_rollback(True)

    assert [facts[3] for facts in written] == [2]
    with transaction.atomic():
        VenueFactory()
        transaction.set_rollback(True)
    assert len(written) == 1


@pytest.mark.django_db(transaction=True)
def test_a_receiver_that_raises_breaks_nothing(listen, written):
    def fail(**_):
        raise RuntimeError

    listen(record_written, fail)

    VenueFactory()

    assert [facts[1] for facts in written] == ["venue"]


@pytest.mark.django_db(transaction=True)
def test_deleting_many_tells_of_each(written):
    pks = [EventFactory().pk, EventFactory().pk]
    del written[:]

    Event.objects.all().delete()

    assert sorted(facts[2] for facts in written) == sorted(pks)
    assert all(facts[5] for facts in written)


def test_a_child_of_a_deleted_category_is_written_without_it(listen):
    parent = CategoryFactory()
    child = CategoryFactory(parent=parent)
    deleted = []
    listen(post_delete, lambda instance, **_: deleted.append(instance.pk), sender=Term)

    parent.delete()

    child.refresh_from_db()
    assert (child.parent, child.version) == (None, 2)
    assert '"parent":0' in child.fragment
    assert len(deleted) == 1


def test_a_receiver_of_post_save_may_save_again(listen):
    def once_more(instance, created, **_):
        if created:
            instance.title += "!"
            instance.save()

    listen(post_save, once_more, sender=Event)
    venue = VenueFactory()

    event = EventFactory(title="Yoga", venues=[venue])

    stored = Event.objects.get()
    assert (stored.title, stored.version, event.version) == ("Yoga!", 2, 2)
    assert list(stored.venues.all()) == [venue]
