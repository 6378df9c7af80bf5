"""A platform to look after: institutions, people, keys, a record, a calendar."""

from __future__ import annotations

import sys
import time
import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone

from authserver import models
from benchmarks.seed import bulk, database
from calendar_events.models import Event, IdempotentAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import Model

DIFFERENT_EVENTS: Final = 10_000
ON_THE_WIDEST_KEY: Final = 1_000
REFUSALS_OF_A_KEY: Final = 20
DELETED_SHARE: Final = 0.01
BATCH: Final = 10_000
HISTORY: Final = {
    "history_date": "o.modified_at",
    "history_user_id": "o.author_id",
}


def fill(*, events: int, institutions: int, users: int, keys: int) -> None:
    """Fill an empty database; in one that is filled, do nothing.

    Half of the users and of the entries of the record are those of one institution, which
    has most of the calendar as well.
    """
    begun = time.monotonic()
    created = database.prepare(events=events, different=min(DIFFERENT_EVENTS, events // 3))
    if LogEntry.objects.exists():  # what is filled last
        return
    _history(events)
    author = models.User.objects.select_related("institution").get(pk=created.author)
    members = _institutions(institutions)
    people = _people(users, author.institution, members)
    made = _keys(keys, members)
    for rows in (
        _record(events, people, keys),
        _of_people(people, made),
        _of_keys(made),
        _log(events // 3, author),
    ):
        _store(rows)
        sys.stderr.write(f"  {time.monotonic() - begun:.0f} s\n")
    bulk.analyze()


def _store(rows: Iterable[Model]) -> None:
    """Store rows as they come, without having all of them at once."""
    batch = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            bulk.store(batch)
            batch = []
    bulk.store(batch)


def _history(events: int) -> None:
    """Give every event the state in which it was created, and some an end before it."""
    states: Any = Event.history.model
    created = {"linked": "'{}'", "history_type": "'+'"}
    bulk.copy_to(states, Event, "(VALUES (1)) n", **HISTORY, **created)
    gone = f"(VALUES (1)) n WHERE o.id <= {int(events * DELETED_SHARE)}"
    deleted = created | {"history_type": "'-'", "id": f"o.id + {2 * events}"}
    bulk.copy_to(states, Event, gone, **HISTORY, **deleted)


def _institutions(count: int) -> list[models.Institution]:
    _store(
        models.Institution(
            registry_id=str(100_000 + number),
            name=f"Institution {number}",
            search_text=f"institution {number}",
            created_at=timezone.now(),
        )
        for number in range(count)
    )
    return list(models.Institution.objects.filter(search_text__startswith="institution "))


def _people(
    count: int, big: models.Institution | None, members: list[models.Institution]
) -> list[models.User]:
    homes = [
        big if number % 2 else members[number % len(members)] for number in range(count)
    ]
    _store(
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
        for number, home in enumerate(homes)
        if home is not None
    )
    rows = models.User.objects.filter(username__startswith="person")
    return list(rows.select_related("institution"))


def _keys(count: int, members: list[models.Institution]) -> list[models.ServiceKey]:
    now = timezone.now()
    _store(
        models.ServiceKey(
            client_id=f"key{number}",
            name=f"Key {number}",
            expires_at=now + timedelta(days=number % 900),
            created=now,
            updated=now,
        )
        for number in range(count)
    )
    made = list(models.ServiceKey.objects.filter(client_id__startswith="key"))
    links = [(made[0], each) for each in members[:ON_THE_WIDEST_KEY]]
    links += [
        (key, members[number % len(members)]) for number, key in enumerate(made) if number
    ]
    _store(models.KeyInstitution(key=key, institution=each) for key, each in links)
    service = models.Service.objects.earliest("pk")
    _store(models.KeyService(key=key, service=service) for key in made)
    return made


def _record(count: int, people: list[models.User], keys: int) -> Iterable[Model]:
    """Return what happened, an entry a minute."""
    now, actions = timezone.now(), models.AuditEvent.Action.values
    for number in range(count):
        person = people[number % len(people)]
        yield models.AuditEvent(
            at=now - timedelta(minutes=count - number),
            action=actions[number % len(actions)],
            actor=person.login if number % 5 == 0 else "",
            subject=person.login,
            client_id=f"key{number % keys}",
            registry_id=person.login.partition("@")[2],
            reason="secret_mismatch" if number % 3 == 0 else "",
            address=f"192.0.2.{number % 250}",
            request_id=f"{number:032x}",
        )


def _of_people(people: list[models.User], keys: list[models.ServiceKey]) -> Iterable[Model]:
    """Return what accounts allowed, hold and tried."""
    now = timezone.now()
    for number, person in enumerate(people):
        key, begun = keys[number % len(keys)], now - timedelta(minutes=number)
        whose: dict[str, Any] = {"user": person, "institution": person.institution}
        until = now + timedelta(days=30)
        yield models.Consent(
            **whose, key=key, scope="identity", granted_at=begun, expires_at=until
        )
        yield models.RefreshToken(
            **whose,
            application=key,
            token="",
            token_checksum=f"{number:064x}",
            token_family=uuid.uuid4(),
            scope="identity",
            created=begun,
            updated=begun,
            expires_at=until,
        )
        if number % 10 == 0:
            yield models.LoginFailure(
                account=person.login,
                address="192.0.2.7",
                at=now - timedelta(seconds=number),
            )
            yield models.PasswordLink(
                **whose, purpose="reset", asked_at=begun, address="192.0.2.7"
            )
            yield IdempotentAnswer(
                client_id=key.client_id,
                user=person,
                path="/events",
                key=f"{number}",
                created_at=begun,
            )


def _of_keys(keys: list[models.ServiceKey]) -> Iterable[Model]:
    """Return refusals, links to secrets, and requests under way."""
    now = timezone.now()
    for number, key in enumerate(keys):
        for back in range(REFUSALS_OF_A_KEY):
            yield models.KeyRefusal(
                key=key,
                at=now - timedelta(minutes=number + 600 * back),
                reason="signature_mismatch",
                status_code=401,
                method="GET",
                path="/platform/events/v1/events",
                request_id=f"{number:020x}{back:012x}",
            )
        begun = now - timedelta(minutes=number)
        yield models.SecretLink(
            key=key,
            token_digest=f"{number:064x}",
            secret_created_at=begun,
            made_by="root",
            made_at=begun,
            expires_at=begun + timedelta(days=1),
        )
        yield models.PendingRequest(
            handle=f"{number:064x}",
            binding=f"{number:064x}",
            key=key,
            redirect_uri="https://client.example/cb",
            scope="identity",
            created_at=begun,
            expires_at=now + timedelta(minutes=10),
        )


def _log(count: int, author: models.User) -> Iterable[Model]:
    """Return admin's own log: changes of events."""
    kind, now = ContentType.objects.get_for_model(Event), timezone.now()
    for number in range(count):
        yield LogEntry(
            user=author,
            content_type=kind,
            object_id=str(1 + number),
            object_repr="An event",
            action_flag=CHANGE,
            change_message="[]",
            action_time=now - timedelta(minutes=count - number),
        )
