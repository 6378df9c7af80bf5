"""The demonstration's calendar (decisions 8)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from calendar_events.conf import conf
from calendar_events.demo import seeding
from calendar_events.models import Event, Image, Organizer, Status, Term, Venue
from calendar_events.models.guard import store_writes
from calendar_events.tests.factories import UserFactory
from calendar_events.tests.reading import path

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast():
    """The users that the demonstration's events are by, by name."""
    roles = {"alice": "editor", "carol": "editor", "erin": "contributor", "frank": "author"}
    return {name: UserFactory(roles=[role]).pk for name, role in roles.items()}


def test_there_are_sixty_events_with_every_status_over_sixty_days(cast):
    now = timezone.now()

    seeding.seed(users=cast, now=now)

    assert Event.objects.public(now).count() >= 60
    assert set(Event.objects.values_list("institution", flat=True)) == {"1001", "1002"}
    assert {event.status_at(now) for event in Event.objects.all()} == set(Status)
    past = Event.objects.filter(start_utc__lt=now - timedelta(days=1))
    assert [event.slug for event in past] == ["demo-culture-night"]
    assert not Event.objects.filter(start_utc__gt=now + timedelta(days=62)).exists()


def test_an_event_at_two_venues_is_in_no_list_that_does_not_ask_for_the_past(
    cast, anonymous
):
    seeding.seed(users=cast, now=timezone.now())
    address, listed = path("events", per_page=50), []
    while address:
        document = anonymous.get(address).json()
        listed += document["events"]
        address = document.get("next_rest_url", "").removeprefix(conf.root_url)

    assert len(listed) >= 60
    assert not [event for event in listed if len(event["venue"]) in {2, 3}]
    past = anonymous.get(path("events", start_date="-40 days", end_date="-20 days"))
    assert [len(event["venue"]) for event in past.json()["events"]] == [2]


def test_every_kind_of_event_that_is_promised_is_there(cast):
    seeding.seed(users=cast, now=timezone.now())

    found = Event.objects.filter
    assert found(all_day=True).exists()
    assert found(timezone="Europe/Berlin").exists()
    assert found(password="opensesame").exists()
    assert found(hide_from_listings=True).exists()
    assert found(featured=True, sticky=True).exists()
    assert found(image__isnull=False).exists()
    assert found(organizers__name="School of Music").exists()
    assert Venue.objects.filter(geo_lat__isnull=False).exists()
    assert Term.objects.filter(parent__isnull=False).exists()


def test_seeding_again_moves_the_events_and_touches_nothing_else(cast):
    now = timezone.now()
    seeding.seed(users=cast, now=now)
    counts = [model.objects.count() for model in (Event, Venue, Organizer, Term, Image)]
    with store_writes():
        Venue.objects.filter(name="Sports centre").update(city="Elsewhere")
    before = Event.objects.get(slug="demo-open-day").start_utc

    seeding.seed(users=cast, now=now + timedelta(days=5))

    assert Event.objects.get(slug="demo-open-day").start_utc == before + timedelta(days=5)
    assert Venue.objects.get(name="Sports centre").city == "Elsewhere"
    assert counts == [
        model.objects.count() for model in (Event, Venue, Organizer, Term, Image)
    ]


def test_an_event_that_somebody_deleted_stays_away(cast):
    now = timezone.now()
    seeding.seed(users=cast, now=now)
    Event.objects.filter(slug="demo-open-day").delete()

    seeding.seed(users=cast, now=now)

    assert not Event.objects.filter(slug="demo-open-day").exists()


def test_an_event_that_somebody_trashed_stays_there(cast):
    now = timezone.now()
    seeding.seed(users=cast, now=now)
    trashed = Event.objects.filter(status=Status.TRASH).values_list("slug", flat=True)

    seeding.seed(users=cast, now=now + timedelta(days=1))

    assert list(trashed) == ["demo-cancelled-run__trashed"]


def test_seeding_again_on_the_same_day_leaves_no_trace_in_the_history(cast):
    now = timezone.now().replace(hour=9)
    seeding.seed(users=cast, now=now)
    states = Event.history.count()

    seeding.seed(users=cast, now=now + timedelta(hours=3))

    assert Event.history.count() == states


def test_the_yoga_class_repeats_and_moves_along(cast, anonymous):
    now = timezone.now()
    seeding.seed(users=cast, now=now)
    yoga = Event.objects.filter(title="Yoga for everybody").order_by("position")
    before = list(yoga.values_list("pk", "start_utc"))

    seeding.seed(users=cast, now=now + timedelta(days=5))

    assert len(before) == 15
    assert len(set(yoga.values_list("series", flat=True))) == 1
    assert list(yoga.values_list("pk", "start_utc")) == [
        (pk, start + timedelta(days=5)) for pk, start in before
    ]


def test_a_lecture_is_cancelled_and_a_concert_postponed(cast, anonymous):
    seeding.seed(users=cast, now=timezone.now())

    for status, word in (("cancelled", "lecture"), ("postponed", "concert")):
        found = anonymous.get(path("events", event_status=status)).json()["events"]
        assert any(word in one["slug"] or word in one["title"].lower() for one in found)
