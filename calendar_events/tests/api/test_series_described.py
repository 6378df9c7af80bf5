"""Series and status in what describes the interface, and in what asks for changes."""

import itertools
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from calendar_events.tests.reading import ids
from calendar_events.tests.series import dates_of, yoga

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PARAMETERS = {
    ("/events", "get"): {"series", "expand", "event_status", "modified_after"},
    ("/events.ics", "get"): {"series", "expand", "event_status", "modified_after"},
    ("/events/{id}", "patch"): {"scope"},
    ("/events/{id}", "put"): {"scope"},
    ("/events/{id}", "post"): {"scope"},
    ("/events/{id}", "delete"): {"scope", "force"},
    ("/events/by-slug/{slug}", "patch"): {"scope"},
    ("/events/by-slug/{slug}", "delete"): {"scope", "force"},
    ("/series/{id}", "get"): {"page", "per_page"},
    ("/changes", "get"): {"since", "types", "per_page", "wait"},
}


@pytest.mark.parametrize("operation", PARAMETERS, ids=" ".join)
def test_a_parameter_of_series_and_changes_is_described(anonymous, operation):
    path, method = operation

    described = anonymous.get("/doc").json()["paths"][path][method]["parameters"]

    names = {one["name"]: one for one in described if "name" in one}
    assert set(names) >= PARAMETERS[operation]
    assert all(names[name]["description"] for name in PARAMETERS[operation])


def test_what_an_event_says_of_its_series_and_status_is_described(anonymous):
    schemas = anonymous.get("/doc").json()["components"]["schemas"]

    assert set(schemas["Event"]["properties"]) >= {
        *("recurrence", "event_status", "status_reason", "attendance_mode"),
        *("online_address", "online_audience", "online_from_utc"),
    }


def test_whoever_asks_what_was_modified_gets_the_dates_that_were_written(editor, anonymous):
    answer = editor.post("/events", yoga()).json()
    made = [one["id"] for one in dates_of(editor, answer["recurrence"]["series"])]

    now = timezone.now().replace(microsecond=0)
    steps = itertools.count(1)

    def modified(write):
        with time_machine.travel(now + timedelta(seconds=20 * next(steps))):
            since = f"{timezone.now() - timedelta(seconds=5):%Y-%m-%dT%H:%M:%SZ}"
            assert write().status_code == 200
            query = f"starts_after=2000-01-01&modified_after={since}"
            return sorted(ids(anonymous.get(f"/events?{query}")))

    def change(number, scope, **body):
        return lambda: editor.patch(f"/events/{made[number]}?scope={scope}", body)

    assert modified(change(1, "all", title="Pilates")) == made
    cancelled = change(2, "this", event_status="cancelled")
    assert modified(cancelled) == [made[2]]
    # The rule of the earlier ones ends sooner.
    assert modified(change(3, "following", cost="5")) == made
    assert modified(lambda: editor.delete(f"/events/{made[3]}?scope=following")) == []
