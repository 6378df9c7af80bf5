"""``manage.py rebuild_calendar``."""

from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from calendar_events.models import DayCount, Event, EventTerm, Organizer, Venue
from calendar_events.models.guard import store_writes
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)
from calendar_events.tests.store.test_counters import counted, kept

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NO_TEXTS = {"feed_text": "", "json_ld": ""}


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


@pytest.mark.parametrize("place", ["event", "event:", "event:x", "user:1", "event:²"])
def test_a_place_to_go_on_from_is_a_record_of_the_calendar(place):
    with pytest.raises(CommandError, match="is not like event:1500"):
        call_command("rebuild_calendar", "--after", place)
