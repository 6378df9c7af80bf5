"""A record that was moved to another institution between the look and the lock.

The caller was allowed to write it when it was found; the service, which gets its identifier
alone, must find out under the lock that this is no longer so, and write nothing.
"""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Permission

from calendar_events.models import Event, Organizer, Venue
from calendar_events.permissions import NotAllowed
from calendar_events.services import events, places
from calendar_events.services.desk import move_record
from calendar_events.services.records import delete_record, trash_record
from calendar_events.tests import factories
from calendar_events.tests.callers import caller

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NOW = datetime(2031, 1, 1, 12, tzinfo=UTC)
FACTORIES = {
    Event: factories.EventFactory,
    Venue: factories.VenueFactory,
    Organizer: factories.OrganizerFactory,
}


def change(record, actor, **changes):
    model = type(record)
    written = {"actor": actor, "pk": record.pk, "changes": changes, "now": NOW}
    if model is Event:
        events.update_event(**written)
    else:
        places.update_place(model, **written)


def rename(record, actor):
    change(record, actor, **{"title" if isinstance(record, Event) else "name": "Ours"})


def move_to_trash_by_status(record, actor):
    change(record, actor, status="trash")


def restore(record, actor):
    change(record, actor, status="draft")


def trash(record, actor):
    trash_record(type(record), actor=actor, pk=record.pk, now=NOW)


def delete(record, actor):
    delete_record(type(record), actor=actor, pk=record.pk)


def move(record, actor):
    move_record(type(record), actor=actor, pk=record.pk, institution="1003", now=NOW)


@pytest.fixture
def mover(editor):
    """Somebody who may do everything, at no institution of their own."""
    editor.actor.user.is_superuser = True
    editor.actor.user.save()
    return editor.actor


def state(record):
    model = type(record)
    stored = model.objects.filter(pk=record.pk).values(
        "status", "version", "institution", "slug"
    )
    return list(stored), model.history.filter(id=record.pk).count()


@pytest.mark.parametrize("model", FACTORIES, ids=lambda model: model.__name__)
@pytest.mark.parametrize("verb", [rename, move_to_trash_by_status, trash, delete, move])
def test_a_record_that_was_moved_meanwhile_is_left_as_it_is(mover, model, verb):
    record = FACTORIES[model](institution="1002")
    before = state(record)

    with pytest.raises(NotAllowed):
        verb(record, mover)

    assert state(record) == before


@pytest.mark.parametrize("model", FACTORIES, ids=lambda model: model.__name__)
@pytest.mark.parametrize("verb", [restore, delete, rename])
def test_a_record_in_the_trash_that_was_moved_meanwhile_stays_there(mover, model, verb):
    record = FACTORIES[model](institution="1002", status="trash")
    before = state(record)

    with pytest.raises(NotAllowed):
        verb(record, mover)

    assert state(record) == before


@pytest.mark.parametrize("verb", [trash, delete, rename, move_to_trash_by_status])
def test_one_s_own_that_became_somebody_elses_meanwhile_is_left_as_it_is(author, verb):
    record = factories.EventFactory(institution="1001")
    before = state(record)

    with pytest.raises(NotAllowed):
        verb(record, author.actor)

    assert state(record) == before


@pytest.mark.parametrize("verb", [trash, delete, rename, move_to_trash_by_status, move])
def test_the_same_is_done_to_a_record_that_stayed(mover, verb):
    record = factories.EventFactory(institution="1001")
    before = state(record)

    verb(record, mover)

    assert state(record) != before


def test_a_status_moves_nothing_to_the_trash_for_who_may_not_delete():
    actor = caller().actor
    names = ["change_event", "change_others_event", "publish_event"]
    actor.user.user_permissions.set(Permission.objects.filter(codename__in=names))
    record = factories.EventFactory(institution="1001")
    before = state(record)

    rename(record, actor)
    renamed = state(record)
    with pytest.raises(NotAllowed):
        move_to_trash_by_status(record, actor)

    assert before != renamed == state(record)
