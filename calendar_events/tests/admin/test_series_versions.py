"""Versions of what repeats, or did: going back is about one date, and never repeats."""

import pytest

from calendar_events.models import Event, Series
from calendar_events.tests.admin.test_copying import typed
from calendar_events.tests.admin.test_desk import desk_of, url
from calendar_events.tests.callers import caller
from calendar_events.tests.factories import EventFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


def go_back(client, state):
    """Press "Revert" on a version; return the answer."""
    page = url(Event, "simple_history", state.id, state.history_id)
    return client.post(page, typed(client.get(page).context["adminform"].form))


def test_a_date_that_was_deleted_comes_back_by_itself(editor, made):
    state = made[1].history.latest()
    caller("editor").delete(f"/events/{made[1].pk}?force=true")
    answer = go_back(editor, state)

    assert answer.status_code == 302
    assert Event.objects.count() == 5
    assert Series.objects.count() == 1
    assert Event.objects.latest("pk").series is None


def test_a_date_goes_back_and_stays_in_its_series(editor, made):
    state = made[1].history.latest()
    caller("editor").patch(f"/events/{made[1].pk}", {"title": "Outside"})
    answer = go_back(editor, state)

    assert answer.status_code == 302
    event = Event.objects.get(pk=made[1].pk)
    assert (event.title, event.series_id) == ("Yoga", made[1].series_id)


def test_what_left_its_series_goes_back_by_itself(editor, made):
    state = made[4].history.latest()
    caller("editor").patch(
        f"/events/{made[0].pk}?scope=all", {"rrule": "FREQ=WEEKLY;COUNT=4"}
    )
    go_back(editor, state)

    assert Event.objects.count() == 5
    assert Event.objects.get(pk=made[4].pk).series is None


def test_what_began_to_repeat_goes_back_in_its_series(editor):
    event = EventFactory(title="Choir")
    state = event.history.latest()
    caller("editor").patch(
        f"/events/{event.pk}", {"rrule": "FREQ=DAILY;COUNT=3", "title": "Band"}
    )
    answer = go_back(editor, state)

    assert answer.status_code == 302
    stored = Event.objects.get(pk=event.pk)
    assert (stored.title, stored.series.total) == ("Choir", 3)


def test_a_version_does_not_ask_whom_it_is_for(editor, made):
    state = made[1].history.latest()
    page = editor.get(url(Event, "simple_history", state.id, state.history_id))

    for name in ("scope", "rrule", "rdate", "exdate"):
        assert f'name="{name}"' not in page.content.decode()
