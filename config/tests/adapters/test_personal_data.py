"""What the calendar keeps about a person is in the download of My account."""

import json

import pytest
from django.utils import timezone

from authserver.tests import factories
from authserver.tests.visitor import Visitor
from calendar_events.models import IdempotentAnswer
from calendar_events.tests import factories as calendar
from config.adapters import personal_data

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def alice():
    return factories.UserFactory(
        username="alice", institution=factories.InstitutionFactory(registry_id="1001")
    )


def download(username="alice"):
    visitor = Visitor().open("/oauth2/login?institution=1001")
    visitor.press("Sign in", username=username, password=factories.PASSWORD)
    return visitor.client.get("/oauth2/access/data").json()["calendar"]


def writes(user, title):
    event = calendar.EventFactory(author=user, title=title, password="opensesame")
    event._history_user = user
    event.title = f"{title}, again"
    event.save()
    return event


def test_what_a_person_owns_and_wrote_is_in_the_download(alice):
    event = writes(alice, "Yoga")
    venue = calendar.VenueFactory(author=alice, name="Hall")
    image = calendar.ImageFactory(author=alice, title="Poster")
    IdempotentAnswer.objects.create(
        client_id="spa",
        user=alice,
        path="/events",
        key="once",
        body_hash="0" * 64,
        answer="the answer",
        created_at=timezone.now(),
    )

    kept = download()

    assert [(each["id"], each["title"]) for each in kept["events"]] == [
        (event.pk, "Yoga, again")
    ]
    assert [each["id"] for each in kept["venues"]] == [venue.pk]
    assert [each["title"] for each in kept["images"]] == [image.title]
    assert [each["title"] for each in kept["history"]["events"]] == ["Yoga, again"]
    assert [each["key"] for each in kept["repeatable_requests"]] == ["once"]
    text = json.dumps(kept)
    assert "opensesame" not in text
    assert "the answer" not in text


def test_nothing_of_anybody_else_is_in_it(alice):
    bob = factories.UserFactory(username="bob", institution=alice.institution)
    writes(bob, "Chess of Bob")
    calendar.VenueFactory(author=bob, name="Place of Bob")

    assert "Bob" not in json.dumps(download())


def test_it_asks_as_often_with_many_records(alice, django_assert_max_num_queries):
    writes(alice, "Yoga")
    with django_assert_max_num_queries(20) as few:
        personal_data.in_calendar(alice)
        asked = len(few)
    for number in range(5):
        writes(alice, f"Yoga {number}")

    with django_assert_max_num_queries(asked):
        personal_data.in_calendar(alice)


def test_of_each_kind_it_is_the_newest(alice, monkeypatch):
    monkeypatch.setattr(personal_data, "MOST", 1)
    writes(alice, "Older")
    writes(alice, "Newer")

    kept = personal_data.in_calendar(alice)[1]

    assert [each["title"] for each in kept["events"]] == ["Newer, again"]
    assert [each["title"] for each in kept["history"]["events"]] == ["Newer, again"]
