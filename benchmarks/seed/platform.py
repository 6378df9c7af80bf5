"""A platform to look after, around a calendar: institutions, people, keys, a record.

What a row needs and nobody looks at is of the factories that tests use.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone

from authserver import models
from authserver.tests import factories
from benchmarks.seed import bulk
from benchmarks.seed.constants import INSTITUTIONS
from calendar_events.models import Event
from calendar_events.tests.factories import IdempotentAnswerFactory

if TYPE_CHECKING:
    from collections.abc import Iterator

ON_THE_WIDEST_KEY: Final = 1_000
REFUSALS_OF_A_KEY: Final = 20
DELETED_SHARE: Final = 0.01
BATCH: Final = 5_000


def fill(*, institutions: int, users: int, keys: int) -> None:
    """Fill a database that has a calendar; there is an entry of the record for each event.

    Half of the users and of the entries are those of one institution, which has most of the
    calendar as well.
    """
    bulk.store(
        models.Institution(
            registry_id=str(100_000 + number),
            name=f"Institution {number}",
            search_text=f"institution {number}",
        )
        for number in range(institutions)
    )
    homes = list(models.Institution.objects.filter(search_text__startswith="institution "))
    people, made = _people(users, homes), _keys(keys, homes)
    events = Event.objects.count()
    for first in range(1, events + 1, BATCH):
        bulk.store(list(_states(first, events)))  # the connection cannot read and copy
    bulk.store(_entries(events, people, made))
    _store_of_people(people, made)
    _store_of_keys(made)
    kind, now = ContentType.objects.get_for_model(Event), timezone.now()
    bulk.store(
        LogEntry(
            user=people[0],
            content_type=kind,
            object_id=str(1 + number),
            object_repr="An event",
            action_flag=CHANGE,
            change_message="[]",
            action_time=now - timedelta(minutes=number),
        )
        for number in range(events // 3)
    )
    bulk.analyze()


def _people(count: int, homes: list[models.Institution]) -> list[models.User]:
    big = models.Institution.objects.get(registry_id=INSTITUTIONS[0])
    bulk.store(
        models.User(
            username=f"person{number}",
            login=f"person{number}@{home.registry_id}",
            full_name=f"Robin {number} of {home.name}",
            email=f"person{number}@mail.example",
            institution=home,
            password="!",  # noqa: S106 -- nobody signs in
            principal_id=f"person{number}",
            principal_namespace=f"urn:platform:{home.registry_id}",
        )
        for number in range(count)
        for home in [big if number % 2 else homes[number % len(homes)]]
    )
    rows = models.User.objects.filter(username__startswith="person")
    return list(rows.select_related("institution"))


def _keys(count: int, homes: list[models.Institution]) -> list[models.ServiceKey]:
    now = timezone.now()
    bulk.store(
        models.ServiceKey(
            client_id=f"key{number}",
            name=f"Key {number}",
            expires_at=now + timedelta(days=number % 900),
        )
        for number in range(count)
    )
    made = list(models.ServiceKey.objects.filter(client_id__startswith="key"))
    links = [(made[0], home) for home in homes[:ON_THE_WIDEST_KEY]]
    links += [(key, homes[place % len(homes)]) for place, key in enumerate(made) if place]
    bulk.store(models.KeyInstitution(key=key, institution=home) for key, home in links)
    service = models.Service.objects.earliest("pk")
    bulk.store(models.KeyService(key=key, service=service) for key in made)
    return made


def _states(first: int, events: int) -> Iterator[Any]:
    """Yield the state in which each event was created, and of some an end before it."""
    states: Any = Event.history.model
    kept = [field.attname for field in states.tracked_fields]
    for event in Event.objects.only(*kept).filter(pk__range=(first, first + BATCH - 1)):
        state = {name: getattr(event, name) for name in kept}
        state |= {"history_date": event.modified_at, "history_user_id": event.author_id}
        yield states(**state, history_type="+")
        if event.pk <= events * DELETED_SHARE:
            yield states(**state | {"id": event.pk + 2 * events}, history_type="-")


def _entries(
    events: int, people: list[models.User], keys: list[models.ServiceKey]
) -> Iterator[Any]:
    """Yield what the record says, an entry a minute."""
    now, actions = timezone.now(), cycle(models.AuditEvent.Action.values)
    who = zip(range(events), cycle(people), cycle(keys), actions, strict=False)
    for number, person, key, action in who:
        yield models.AuditEvent(
            at=now - timedelta(minutes=events - number),
            action=action,
            actor=person.login if number % 5 == 0 else "",
            subject=person.login,
            client_id=key.client_id,
            registry_id=person.login.partition("@")[2],
            reason="secret_mismatch" if number % 3 == 0 else "",
            address=f"192.0.2.{number % 250}",
            request_id=f"{number:032x}",
        )


def _store_of_people(people: list[models.User], keys: list[models.ServiceKey]) -> None:
    """Store what accounts allowed, hold and tried."""
    pairs = list(zip(people, cycle(keys), strict=False))
    bulk.store(factories.ConsentFactory.build(user=one, key=key) for one, key in pairs)
    bulk.store(
        factories.RefreshTokenFactory.build(user=one, application=key) for one, key in pairs
    )
    some = pairs[::10]
    bulk.store(factories.LoginFailureFactory.build(account=one.login) for one, _ in some)
    bulk.store(factories.PasswordLinkFactory.build(user=one) for one, _ in some)
    bulk.store(
        IdempotentAnswerFactory.build(user=one, client_id=key.client_id)
        for one, key in some
    )


def _store_of_keys(keys: list[models.ServiceKey]) -> None:
    """Store refusals, links to secrets, and requests under way."""
    now = timezone.now()
    bulk.store(
        factories.KeyRefusalFactory.build(
            key=key, at=now - timedelta(minutes=number + 600 * back)
        )
        for number, key in enumerate(keys)
        for back in range(REFUSALS_OF_A_KEY)
    )
    bulk.store(
        factories.SecretLinkFactory.build(key=key, secret_created_at=now) for key in keys
    )
    bulk.store(factories.PendingRequestFactory.build(key=key) for key in keys)
