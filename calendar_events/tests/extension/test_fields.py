"""A field more: it is stored or refused, hidden with a password, and ends old 304s."""

from __future__ import annotations

import pytest
from django.core.exceptions import FieldDoesNotExist

from calendar_events.documents.events import EventDocument
from calendar_events.documents.generation import generation_of
from calendar_events.models import Event, Organizer
from calendar_events.tests.bodies import event
from calendar_events.tests.extension.documents import SubtitledEvent
from calendar_events.tests.factories import EventFactory

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.urls("calendar_events.tests.extension.urls"),
]


def test_a_field_that_is_a_column_is_stored_without_a_second_list(editor, anonymous):
    response = editor.post("/secret/events", event(password="opensesame"))

    assert response.status_code == 201
    stored = Event.objects.get(pk=response.json()["id"])
    assert stored.password == "opensesame"
    assert anonymous.get(f"/events/{stored.pk}").status_code == 403


def test_a_field_that_no_column_takes_is_never_dropped_with_201(editor):
    with pytest.raises(FieldDoesNotExist):  # answered with 500
        editor.post("/mottoes/organizers", {"organizer": "Club", "motto": "On!"})

    assert not Organizer.objects.exists()


def test_a_text_more_is_hidden_by_the_password(db):
    record, serializer = EventFactory(protected=True), SubtitledEvent()
    document = serializer.to_representation(record)

    assert document["subtitle"] == record.title
    assert serializer.protected(document)["subtitle"] == ""
    assert serializer.protected(document)["title"] == record.title


def test_a_field_more_ends_what_caches_keep():
    assert generation_of([SubtitledEvent]) != generation_of([EventDocument])
    assert generation_of([EventDocument]) == generation_of([EventDocument])
