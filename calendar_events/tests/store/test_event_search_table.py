"""The table that searches of events read on PostgreSQL."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from calendar_events.models import Event, Status
from calendar_events.models.guard import store_writes
from calendar_events.store import saving
from calendar_events.store.search_conditions import LONGEST
from calendar_events.tests.factories import EventFactory

# SQLite reads every text, it has no table of them.
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql_only]

LONG_WORD = "w" * (LONGEST + 1)
COLUMNS = (
    "id, start_utc, end_utc, published_at, author_id, hide_from_listings, institution, "
    "status, search_text"
)


def kept() -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute("TABLE calendar_events_eventsearch ORDER BY id")
        return [(*row[:6], *row[7:9], row[10]) for row in cursor.fetchall()]


def known() -> set[int]:
    """Return the events whose texts are in the index of suffixes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM calendar_events_eventsearch WHERE has_suffixes")
        return {row[0] for row in cursor.fetchall()}


def stored() -> list[tuple]:
    return list(Event.objects.order_by("pk").values_list(*COLUMNS.split(", ")))


def test_the_table_of_texts_follows_every_write():
    draft, event = EventFactory(draft=True), EventFactory(title="One")
    assert kept() == stored()

    event.title, event.hide_from_listings = "Two", True
    event.start_utc += timedelta(hours=-1)
    event.start_local += timedelta(hours=-1)
    saving.save(event, now=timezone.now())
    assert kept() == stored()
    assert "two" in kept()[-1][-1]

    draft.status, draft.published_at, draft.slug = "publish", timezone.now(), "published"
    saving.save(draft, now=timezone.now())
    assert kept() == stored()

    with store_writes():
        Event.objects.filter(pk=event.pk).update(status=Status.TRASH)
    assert kept() == stored()

    saving.delete(Event.objects.get(pk=draft.pk))
    assert kept() == stored()
    assert [row[0] for row in kept()] == [event.pk]


@pytest.mark.django_db(transaction=True)
def test_the_table_of_texts_is_emptied_with_the_events():
    EventFactory()

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE calendar_events_event CASCADE")

    assert kept() == []


def test_the_table_of_texts_is_made_again():
    events = EventFactory.create_batch(3)
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM calendar_events_eventsearch WHERE id = %s", [events[0].pk]
        )
        cursor.execute(
            "UPDATE calendar_events_eventsearch SET search_text = 'old' WHERE id = %s",
            [events[1].pk],
        )
        cursor.execute("UPDATE calendar_events_eventsearch SET has_suffixes = false")
        cursor.execute(
            "INSERT INTO calendar_events_eventsearch "
            "(id, start_utc, end_utc, published_at, author_id, hide_from_listings, "
            "has_suffixes, institution, status, search_text) "
            "SELECT id + 1000000, start_utc, end_utc, published_at, author_id, "
            "hide_from_listings, has_suffixes, institution, status, search_text "
            "FROM calendar_events_eventsearch"
        )

    call_command("rebuild_calendar", verbosity=0)

    assert kept() == stored()
    assert known() == {event.pk for event in events}


@pytest.mark.parametrize(
    ("description", "is_known"),
    [
        ("a few words", True),
        ("w" * LONGEST, True),
        (LONG_WORD, False),
        ("音楽" * 17, False),
        ("word " * 6000, True),
        ("word " * 7000, False),
        ("", True),
    ],
)
def test_only_texts_of_usual_words_are_in_the_index_of_suffixes(description, is_known):
    EventFactory(title="x", description=description)

    with connection.cursor() as cursor:
        cursor.execute("SELECT has_suffixes FROM calendar_events_eventsearch")
        assert cursor.fetchall() == [(is_known,)]
