"""``/changes?wait=``: long polling."""

import threading
import time

import pytest
from django.db import connections

from calendar_events.api.changes import waiting
from calendar_events.models import Event
from calendar_events.tests.changes import begin, refused_as_gone, rows_of
from calendar_events.tests.factories import (
    EventFactory,
    UserFactory,
)

# What a transaction has written itself is settled only after it.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


def test_who_waits_is_answered_when_something_changes(anonymous):
    token = begin(anonymous)
    author = UserFactory()

    def write():
        try:
            while not waiting.seats.taken:
                time.sleep(0.05)
            EventFactory(author=author)
        finally:
            connections.close_all()

    thread = threading.Thread(target=write)
    thread.start()
    answer = anonymous.get(f"/changes?since={token}&wait=25").json()
    thread.join()

    assert rows_of(answer) == [("events", Event.objects.get().pk, "updated")]
    assert waiting.seats.taken == 0


def test_who_finds_no_place_to_wait_is_answered_at_once(anonymous, settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "CHANGES_WAITING": 0}
    token = begin(anonymous)

    answer = anonymous.get(f"/changes?since={token}&wait=25").json()

    assert (answer["changes"], answer["retry_after"]) == ([], 5)


def test_nobody_waits_for_a_server_that_stops(anonymous):
    token = begin(anonymous)
    waiting.closing.set()
    try:
        answer = anonymous.get(f"/changes?since={token}&wait=25").json()
    finally:
        waiting.closing.clear()

    assert answer["changes"] == []


def test_who_waits_and_loses_permissions_is_told_nothing(editor):
    token = begin(editor)
    user = editor.user

    def demote():
        try:
            while not waiting.seats.taken:
                time.sleep(0.05)
            user.groups.clear()
            EventFactory(author=user, draft=True)
        finally:
            connections.close_all()

    thread = threading.Thread(target=demote)
    thread.start()
    answer = editor.get(f"/changes?since={token}&wait=25")
    thread.join()

    assert refused_as_gone(answer)
