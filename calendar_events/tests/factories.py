"""Factories: every model, valid by default, with traits that name the variation.

Rows are saved like everything else, so their fragments, counters and
link rows are real.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import factory
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.utils import timezone
from factory.django import DjangoModelFactory, ImageField

from calendar_events.models import (
    Event,
    IdempotentAnswer,
    Image,
    Organizer,
    Status,
    Taxonomy,
    Term,
    Venue,
    WebhookDelivery,
    WebhookSubscription,
)
from calendar_events.parsing import zones
from calendar_events.store.links import Links

LONG_AGO = datetime(2020, 1, 1, 12, tzinfo=UTC)


class UserFactory(DjangoModelFactory):
    """A person of the project's user model; ``roles=["editor"]`` puts them into groups."""

    class Meta:
        model = get_user_model()
        skip_postgeneration_save = True

    username = factory.Sequence("person{}".format)

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        return model_class.objects.create_user(**kwargs)

    @factory.post_generation
    def roles(self, create, extracted, **kwargs):
        if create and extracted:
            self.groups.set(Group.objects.filter(name__in=extracted))


class RecordFactory(DjangoModelFactory):
    """Saves; ``written_at`` is the moment of the write."""

    class Meta:
        abstract = True

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        now = kwargs.pop("written_at", LONG_AGO)
        links = Links(
            venues=ids(kwargs.pop("venues", None)),
            organizers=ids(kwargs.pop("organizers", None)),
            terms=ids(kwargs.pop("terms", None)),
        )
        record = model_class(**kwargs)
        record.save(now=now, links=links)
        return record


def ids(linked: Any) -> list[int] | None:
    """Identifiers of instances, or ``None``."""
    return None if linked is None else [record.pk for record in linked]


class Ownership(RecordFactory):
    """What events, venues and organizers share."""

    class Meta:
        abstract = True

    institution = "1001"
    author = factory.SubFactory(UserFactory)
    status = Status.PUBLISH
    published_at = LONG_AGO

    class Params:
        draft = factory.Trait(status=Status.DRAFT, published_at=None)
        pending = factory.Trait(status=Status.PENDING, published_at=None)
        private = factory.Trait(status=Status.PRIVATE)
        trashed = factory.Trait(
            status=Status.TRASH,
            previous_status=Status.PUBLISH,
            slug=factory.Sequence("thing-{}__trashed".format),
        )
        scheduled = factory.Trait(
            published_at=factory.LazyFunction(lambda: timezone.now() + timedelta(days=7))
        )


class ImageFactory(DjangoModelFactory):
    """A small picture with one smaller size."""

    class Meta:
        model = Image

    institution = "1001"
    author = factory.SubFactory(UserFactory)
    title = factory.Sequence("Picture {}".format)
    file = ImageField(width=8, height=6, format="PNG")
    mime_type = "image/png"
    filesize = 75
    sizes = factory.LazyAttribute(
        lambda image: {
            "thumbnail": {
                "file": "images/thumbnail.png",
                "width": 4,
                "height": 3,
                "mime-type": "image/png",
                "filesize": 70,
            }
        }
    )


class VenueFactory(Ownership):
    class Meta:
        model = Venue

    name = factory.Sequence("Hall {}".format)
    slug = factory.Sequence("hall-{}".format)

    class Params:
        located = factory.Trait(geo_lat=40.0, geo_lng=-83.0)
        complete = factory.Trait(
            located=True,
            description="<p>A hall</p>",
            address="1 Main Street",
            city="Dublin",
            country="United States",
            province="Ohio",
            state="OH",
            stateprovince="OH",
            zip="43017",
            phone="+1 614 555 0100",
            website="https://hall.example/",
        )


class OrganizerFactory(Ownership):
    class Meta:
        model = Organizer

    name = factory.Sequence("Club {}".format)
    slug = factory.Sequence("club-{}".format)

    class Params:
        complete = factory.Trait(
            description="<p>A club</p>",
            phone="+1 614 555 0199",
            email="club@club.example",
            website="https://club.example/",
        )


class CategoryFactory(RecordFactory):
    class Meta:
        model = Term

    institution = "1001"
    taxonomy = Taxonomy.CATEGORY
    name = factory.Sequence("Category {:06}".format)
    slug = factory.Sequence("category-{}".format)


class TagFactory(RecordFactory):
    class Meta:
        model = Term

    institution = "1001"
    taxonomy = Taxonomy.TAG
    name = factory.Sequence("Tag {:06}".format)
    slug = factory.Sequence("tag-{}".format)


class EventFactory(Ownership):
    """An evening of two hours a week from now, in UTC.

    ``start`` and ``end`` are wall clocks (naive) in ``timezone``; the instants follow.
    """

    class Meta:
        model = Event

    class Params:
        start = factory.LazyFunction(
            lambda: (timezone.now() + timedelta(days=7)).replace(
                hour=19, minute=0, second=0, microsecond=0, tzinfo=None
            )
        )
        end = factory.LazyAttribute(lambda event: event.start + timedelta(hours=2))
        protected = factory.Trait(password="opensesame")
        hidden = factory.Trait(hide_from_listings=True)

    title = factory.Sequence("Evening {}".format)
    slug = factory.Sequence("evening-{}".format)
    timezone = "UTC"
    start_local = factory.LazyAttribute(lambda event: event.start)
    end_local = factory.LazyAttribute(lambda event: event.end)
    start_utc = factory.LazyAttribute(lambda event: instant(event.start, event.timezone))
    end_utc = factory.LazyAttribute(lambda event: instant(event.end, event.timezone))


def at_day(day: int, *, hour: int = 12) -> datetime:
    """Return a wall clock so many days from now."""
    today = timezone.now().replace(minute=0, second=0, microsecond=0, tzinfo=None)
    return today.replace(hour=hour) + timedelta(days=day)


def instant(wall: datetime, zone: str) -> datetime:
    """Return a wall clock in a zone as an instant."""
    return wall.replace(tzinfo=zones.zone(zone)).astimezone(UTC)


class IdempotentAnswerFactory(DjangoModelFactory):
    class Meta:
        model = IdempotentAnswer

    client_id = "demo-spa"
    user = factory.SubFactory(UserFactory)
    path = "/events"
    key = factory.Sequence("key-{}".format)
    body_hash = "0" * 64
    status = 201
    answer = '{"id": 1}'
    created_at = factory.LazyFunction(timezone.now)


class WebhookSubscriptionFactory(DjangoModelFactory):
    """A subscription of events; its secret is readable to nobody."""

    class Meta:
        model = WebhookSubscription

    client_id = "key-1001"
    institution = "1001"
    url = factory.Sequence("https://receiver.example/{}".format)
    encrypted_secret = "nobody reads this"
    published_until = factory.LazyFunction(timezone.now)
    created_at = factory.LazyFunction(timezone.now)


class WebhookDeliveryFactory(DjangoModelFactory):
    """A message that waits."""

    class Meta:
        model = WebhookDelivery

    subscription = factory.SubFactory(WebhookSubscriptionFactory)
    type = "event.created"
    kind = "event"
    record = factory.Sequence(int)
    payload = '{"type":"event.created","data":{"id":1}}'
    created_at = factory.LazyFunction(timezone.now)
    next_attempt_at = factory.LazyFunction(timezone.now)
