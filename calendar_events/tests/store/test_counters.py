"""The counters that triggers keep (``models.DayCount``)."""

import random
import threading
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from calendar_events.models import DayCount, Event, EventTerm, Status, Term
from calendar_events.models.guard import store_writes
from calendar_events.store.links import NO_CHANGE, Links
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
    at_day,
)
from calendar_events.tests.reading import at, path

pytestmark = pytest.mark.both_databases
KEPT = pytest.mark.postgresql_only  # SQLite counts each time

WHOLE = "0001-01-01"


def kept():
    """Return what the counters say, without what is nothing."""
    found = Counter()
    for row in DayCount.objects.exclude(scope="writes"):
        found[row.scope, str(row.day)] += row.number
    return {key: number for key, number in found.items() if number}


def counted():
    """Return what is really there, where it is kept."""
    found = Counter()
    if connection.vendor != "postgresql":
        return {}
    listed = Event.objects.filter(status=Status.PUBLISH, hide_from_listings=False)
    for event in listed:
        for scope in ("all", f"institution:{event.institution}"):
            found[scope, f"{event.start_utc:%Y-%m-%d}"] += 1
            found[f"month:{scope}", f"{event.start_utc:%Y-%m}-01"] += 1
            found[scope, WHOLE] += 1
    for link in EventTerm.objects.filter(listed=True):
        found[f"term:{link.term_id}", f"{link.start_utc:%Y-%m-%d}"] += 1
        found[f"term:{link.term_id}", WHOLE] += 1
    return dict(found)


@KEPT
@pytest.mark.django_db
def test_counters_agree_after_any_sequence_of_writes():
    chance = random.Random(7)
    author, venue = UserFactory(), VenueFactory()
    terms = [CategoryFactory(), TagFactory(), TagFactory()]
    for step in range(60):
        event = Event.objects.order_by("?").first()
        action = chance.choice(["create", "move", "hide", "draft", "link", "delete"])
        if action == "create" or event is None:
            EventFactory(author=author, start=at_day(step), terms=terms, venues=[venue])
            continue
        if action == "delete":
            event.delete()
            continue
        if action == "move":
            event.start_utc += timedelta(days=1)
            event.end_utc += timedelta(days=1)
        elif action == "hide":
            event.hide_from_listings = not event.hide_from_listings
        elif action == "draft":
            published = event.status == Status.PUBLISH
            event.status = Status.DRAFT if published else Status.PUBLISH
        wanted = Links(terms=[chance.choice(terms).pk]) if action == "link" else NO_CHANGE
        event.save(now=timezone.now(), links=wanted)

    assert kept() == counted()
    assert counted()


@KEPT
@pytest.mark.django_db
def test_counters_follow_statements_that_touch_many_rows():
    term = TagFactory()
    for day in range(4):
        EventFactory(start=at_day(day), terms=[term])

    with store_writes():
        Event.objects.filter(start_utc__gt=timezone.now()).update(institution="1002")
        EventTerm.objects.update(listed=False)
    assert kept() == counted()
    Term.objects.all().delete()
    Event.objects.filter(institution="1002").delete()
    assert kept() == counted()


@pytest.mark.django_db
def test_every_write_of_a_record_is_counted():
    def writes():
        return sum(DayCount.objects.filter(scope="writes").values_list("number", flat=True))

    for factory in (EventFactory, VenueFactory, TagFactory):
        before = writes()
        record = factory()
        created = writes()
        record.save(now=timezone.now())
        changed = writes()
        record.delete()
        assert before < created < changed < writes()


@KEPT
@pytest.mark.django_db
def test_a_write_that_is_rolled_back_is_not_counted():
    before = kept()

    with transaction.atomic():
        EventFactory()
        transaction.set_rollback(True)

    assert kept() == before


@KEPT
@pytest.mark.django_db(transaction=True)
def test_writers_at_once_do_not_lose_a_count_and_do_not_wait_for_each_other():
    author, term = UserFactory(), TagFactory()
    problems = []

    def write():
        try:
            for day in (1, 2, 1):
                EventFactory(author=author, start=at_day(day), terms=[term])
        except Exception as error:  # noqa: BLE001 -- shown below
            problems.append(error)
        finally:
            connection.close()

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert problems == []
    assert Event.objects.count() == 12
    assert kept() == counted()


@pytest.mark.django_db(transaction=True)
@KEPT
def test_what_writers_at_once_left_in_several_rows_is_taken_up_again():
    first, second = EventFactory(start=at_day(1)), UserFactory()
    DayCount.objects.create(scope="all", day=first.start_utc.date(), number=0)

    EventFactory(start=at_day(1), author=second)

    rows = DayCount.objects.filter(scope="all", day=first.start_utc.date())
    assert list(rows.values_list("number", flat=True)) == [2]


@pytest.mark.django_db
@pytest.mark.parametrize("scope", [{}, {"institution": "1001"}])
@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("2031-01-01", "2031-12-31"),  # whole months
        ("2031-01-02", "2031-12-30"),
        ("2031-01-31", "2031-03-01"),
        ("2031-02-28", "2031-03-01"),  # no whole month, and its days in two
        ("2031-03-01", "2031-03-31"),
        ("2031-03-05", "2031-03-20"),
        ("2030-12-31", "2032-01-01"),
        ("2031-02-01", "9999-12-31"),
        ("0001-01-02", "2031-02-01"),
    ],
)
def test_a_window_has_as_many_events_as_start_and_end_in_it(anonymous, scope, first, last):
    days = [
        f"{year}-{month:02}-{day}"
        for year in (2030, 2031, 2032)
        for month, day in ((1, "01"), (1, "31"), (2, "28"), (3, "01"), (12, "31"))
    ]
    made = {day: EventFactory(start=at(f"{day} 12:00")) for day in days}
    EventFactory(start=at("2031-02-14 12:00"), institution="1002")
    expected = [day for day in made if first <= day <= last]
    if not scope and first <= "2031-02-14" <= last:
        expected.append("2031-02-14")

    found = anonymous.get(path("events", start_date=first, end_date=last, **scope)).json()

    assert found["total"] == len(expected)
