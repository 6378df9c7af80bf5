"""The desk: whether events take place, and where they are online."""

from datetime import timedelta

import pytest
from django.utils import timezone

from calendar_events.models import Event
from calendar_events.tests.admin.test_admin import shown
from calendar_events.tests.admin.test_desk import desk_of, url
from calendar_events.tests.factories import EventFactory

pytestmark = pytest.mark.django_db

SECRET = "https://meet.example/secret"


def test_the_desk_marks_what_does_not_take_place_and_filters_by_it():
    client = desk_of(roles=["editor"])
    EventFactory(title="Lecture", event_status="cancelled", author=client.user)
    EventFactory(title="Concert", author=client.user)

    page = client.get(f"{url(Event, 'changelist')}?event_status__exact=cancelled")

    assert b"Lecture (cancelled)" in page.content
    assert b"Concert" not in page.content


@pytest.mark.parametrize("role", ["editor", "author"])
def test_the_desk_and_its_history_show_an_address_to_whom_it_is_for(role):
    client = desk_of(roles=[role])
    later = timezone.now() + timedelta(hours=1)
    event = EventFactory(online_address="https://meet.example/old", online_from=later)
    event.online_address = SECRET
    event.save()

    form = client.get(url(Event, "change", event.pk)).content
    history = client.get(url(Event, "history", event.pk)).content

    assert (SECRET.encode() in form) == (role == "editor")
    assert (SECRET.encode() in history) == (role == "editor")


def test_the_desk_writes_all_of_it():
    client = desk_of(roles=["editor"])
    event = EventFactory(author=client.user)
    sent = shown(client, event) | {
        "event_status": "cancelled",
        "status_reason": "Snow",
        "online_address": SECRET,
        "online_audience": "institution",
        "online_from_utc": "2031-01-01 10:00:00",
    }

    answer = client.post(url(Event, "change", event.pk), sent)

    assert answer.status_code == 302, answer.context["errors"]
    event.refresh_from_db()
    assert (event.event_status, event.status_reason) == ("cancelled", "Snow")
    assert (event.online_address, event.online_audience) == (SECRET, "institution")
    assert f"{event.online_from:%Y-%m-%d %H:%M}" == "2031-01-01 10:00"
