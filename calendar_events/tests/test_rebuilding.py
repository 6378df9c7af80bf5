"""``manage.py rebuild_calendar``."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection

from calendar_events.models import DayCount, Event, EventTerm, Organizer, Venue
from calendar_events.models.guard import store_writes
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)
from calendar_events.tests.test_counters import counted, kept

pytestmark = pytest.mark.django_db

NO_TEXTS = {"feed_text": "", "json_ld": ""}
fill_feed_texts = import_module("calendar_events.migrations.0012_fill_feed_texts")


@pytest.fixture
def event(db):
    EventFactory(protected=True, terms=[TagFactory()])
    EventFactory(draft=True)
    return EventFactory(
        title="Yoga",
        cost="10",
        terms=[CategoryFactory(), TagFactory()],
        venues=[VenueFactory()],
        organizers=[OrganizerFactory()],
        published_at=datetime(2020, 1, 1, tzinfo=UTC),
    )


def test_everything_that_is_made_of_rows_is_made_again(event):
    before = list(Event.objects.order_by("pk").values())
    links = list(EventTerm.objects.order_by("pk").values())
    counters = kept()
    records = {model: list(model.objects.values()) for model in (Venue, Organizer)}
    with store_writes():
        Event.objects.update(
            fragment="", protected_fragment="", search_text="", sort_text=""
        )
        Event.objects.update(**NO_TEXTS, protected_feed_text="")
        Venue.objects.update(fragment="", **NO_TEXTS)
        Organizer.objects.update(fragment="", **NO_TEXTS)
        EventTerm.objects.update(listed=True, start_utc=datetime(1999, 1, 1, tzinfo=UTC))
    DayCount.objects.exclude(scope="writes").delete()

    call_command("rebuild_calendar", verbosity=0)

    assert list(Event.objects.order_by("pk").values()) == before
    assert list(EventTerm.objects.order_by("pk").values()) == links
    assert {model: list(model.objects.values()) for model in records} == records
    assert kept() == counters == counted()


def test_an_update_makes_the_texts_that_records_do_not_have_yet(event, monkeypatch):
    models = (Event, Venue, Organizer)
    before = {model: list(model.objects.order_by("pk").values()) for model in models}
    states = [model.history.count() for model in models]
    monkeypatch.setattr(fill_feed_texts, "BATCH", 2)

    with store_writes():
        for model in models:
            model.objects.update(**NO_TEXTS)
        Event.objects.update(protected_feed_text="")
        fill_feed_texts.fill(apps, SimpleNamespace(connection=connection))

    assert {
        model: list(model.objects.order_by("pk").values()) for model in models
    } == before
    assert [model.history.count() for model in models] == states


def test_settings_that_fragments_have_taken_in_are_taken_in_again(
    anonymous, event, settings, capsys
):
    settings.TIME_ZONE = "America/New_York"
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "CURRENCY": "EUR"}

    call_command("rebuild_calendar")

    document = anonymous.get(f"/events/{event.pk}").json()
    assert document["date"] == "2019-12-31 19:00:00"
    assert document["cost_details"]["currency_code"] == "EUR"
    assert capsys.readouterr().out == "8 records rendered and counted.\n"
