"""The log of changes: a row for each write, read without missing any."""

import contextlib
import random
import threading
import time
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.utils import timezone

from calendar_events.models import Change, Event, Venue
from calendar_events.models.change import BEGINNING, Position
from calendar_events.models.guard import VersionConflict
from calendar_events.store import changed, changes
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)
from calendar_events.tests.settling import settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

WRITERS, WRITES = 50, 4


def rows(**conditions):
    found = Change.objects.filter(**conditions).order_by("id")
    return list(
        found.values_list("kind", "record", "version", "created", "deleted", "embedded")
    )


def test_each_write_of_a_record_is_a_row():
    event = EventFactory()
    event.save()
    event.delete()
    pk = Change.objects.first().record

    assert rows() == [
        ("event", pk, 1, True, False, False),
        ("event", pk, 2, False, False, False),
        ("event", pk, 3, False, True, False),
    ]
    assert set(Change.objects.values_list("institution", flat=True)) == {"1001"}


def test_a_row_says_of_which_kind_a_record_is():
    for factory in (VenueFactory, OrganizerFactory, CategoryFactory, TagFactory):
        factory()

    kinds = [kind for kind, *_ in rows()]
    assert kinds == ["venue", "organizer", "category", "tag"]


def test_what_an_event_embeds_changes_its_document():
    venue, organizer, tag = VenueFactory(), OrganizerFactory(), TagFactory()
    event = EventFactory(venues=[venue], organizers=[organizer], terms=[tag])
    EventFactory()
    for record in (venue, organizer, tag):
        record.refresh_from_db()
        Change.objects.all().delete()

        record.save()

        assert rows(embedded=True) == [("event", event.pk, 1, False, False, True)]
        assert len(rows(embedded=False)) == 1


def test_what_an_event_embeds_no_longer_changes_its_document():
    venue, tag = VenueFactory(), TagFactory()
    event = EventFactory(venues=[venue], terms=[tag])
    for record in (Venue.objects.get(), tag):
        Change.objects.all().delete()

        record.delete()

        assert rows(embedded=True) == [("event", event.pk, 1, False, False, True)]


def test_a_write_that_is_rolled_back_leaves_no_row():
    event = EventFactory()
    other = Event.objects.get()
    other.save()
    before = rows()

    with pytest.raises(VersionConflict), transaction.atomic():
        event.save()
    with pytest.raises(VersionConflict), transaction.atomic():
        event.delete()

    assert rows() == before


def test_a_write_costs_one_statement_for_the_log(django_assert_num_queries):
    venue = VenueFactory()
    events = EventFactory.create_batch(3, venues=[venue])

    with django_assert_num_queries(1):
        changes.log(events[0])
    with django_assert_num_queries(2):  # one for all that embed it
        changes.log(venue)

    assert len(rows(embedded=True)) == 3


def test_documents_that_are_made_again_begin_the_log_anew():
    EventFactory()

    call_command("rebuild_calendar", verbosity=0)

    assert rows()[-1][:2] == ("", 0)


@pytest.mark.django_db(transaction=True)  # what a transaction wrote itself looks foreign
def test_old_rows_are_forgotten_and_young_ones_stay(settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "CHANGES_DAYS": 30}
    EventFactory.create_batch(2)
    old, young = Change.objects.order_by("id")
    Change.objects.filter(pk=old.pk).update(at=timezone.now() - timedelta(days=31, hours=1))
    Change.objects.filter(pk=young.pk).update(at=timezone.now() - timedelta(days=30))

    call_command("clear_expired", verbosity=0)

    assert list(Change.objects.all()) == [young]


@pytest.mark.postgresql_only
@pytest.mark.django_db(transaction=True)
def test_rows_of_another_cluster_are_forgotten():
    EventFactory()
    foreign = Change.objects.create(
        at=timezone.now(), kind="event", record=1, version=1, transaction=2**60
    )

    call_command("clear_expired", verbosity=0)

    assert foreign not in Change.objects.all()
    assert Change.objects.count() == 1


def test_a_position_comes_after_what_is_there_and_before_what_follows():
    EventFactory()
    if connection.vendor == "sqlite":
        assert not Change.objects.after(changed.beginning(timezone.now()).position).exists()
    position = Change.objects.get().position

    later = EventFactory()

    assert [row.record for row in Change.objects.after(position).in_order()] == [later.pk]
    assert Change.objects.after(BEGINNING).count() == 2


@pytest.mark.postgresql_only
@pytest.mark.django_db(transaction=True)
def test_a_row_is_not_settled_while_an_older_transaction_runs():
    began, may_end = threading.Event(), threading.Event()
    author = UserFactory()

    def write_slowly():
        try:
            with transaction.atomic():
                EventFactory(title="Slow", author=author)
                began.set()
                may_end.wait(60)
        finally:
            connections.close_all()

    start = changed.beginning(timezone.now()).position
    thread = threading.Thread(target=write_slowly)
    thread.start()
    try:
        assert began.wait(60)
        quick = EventFactory(title="Quick", author=author)
        assert Change.objects.after(start).count() == 1  # committed, and behind
        assert not Change.objects.after(start).settled().exists()
        assert (
            changed.beginning(timezone.now()).position.transaction
            <= Change.objects.get().transaction
        )
    finally:
        may_end.set()
        thread.join(60)

    settle()
    settled = Change.objects.after(start).settled().in_order()
    titles = [Event.objects.get(pk=row.record).title for row in settled]
    assert titles == ["Slow", "Quick"]
    assert quick.title == "Quick"


@pytest.mark.django_db(transaction=True)
def test_a_reader_sees_every_row_of_fifty_writers_once():
    author = UserFactory()
    records = [EventFactory(author=author) for _ in range(20)]
    first = position = settled_position()
    seen, failed = [], []

    def write(number):
        chance = random.Random(number)
        try:
            for _ in range(WRITES):
                # A conflict takes back what the transaction has written.
                with contextlib.suppress(VersionConflict), transaction.atomic():
                    EventFactory(author=author)
                    time.sleep(chance.random() / 20)
                    if chance.random() < 0.3:
                        Event.objects.get(pk=chance.choice(records).pk).save()
                    time.sleep(chance.random() / 20)
        except Exception as error:  # noqa: BLE001 -- for the thread that asserts
            failed.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=write, args=[n]) for n in range(writers())]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        position = read_on(position, seen)
    settled_position()
    read_on(position, seen)

    assert not failed
    stored = list(Change.objects.after(first).values_list("id", flat=True))
    assert sorted(seen) == sorted(stored)
    assert len(seen) == len(set(seen)) > writers()


def writers():
    """SQLite lets one write at a time, and the others wait."""
    return WRITERS if connection.vendor == "postgresql" else 8


def settled_position():
    deadline = time.monotonic() + 60
    rows = Change.objects.settled().in_order()
    while rows.count() < Change.objects.count():
        assert time.monotonic() < deadline
    return rows.last().position


def read_on(position: Position, seen):
    while batch := list(Change.objects.after(position).settled().in_order()[:7]):
        seen += [row.id for row in batch]
        position = batch[-1].position
    return position
