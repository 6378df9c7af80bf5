"""Writes that somebody else was in the way of are tried again."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, OperationalError

from calendar_events.api import writing
from calendar_events.api.writing import retried
from calendar_events.models import Event
from calendar_events.store import naming
from calendar_events.tests.factories import EventFactory
from platform_errors.errors.catalogue import Unavailable

pytestmark = pytest.mark.both_databases

NOW = datetime(2031, 1, 1, 12, tzinfo=UTC)


def draft_of(taken):
    """Return an unsaved copy of an event."""
    copy = Event.objects.get(pk=taken.pk)
    copy.pk, copy._state.adding = None, True
    return copy


@pytest.mark.django_db
def test_another_constraint_is_not_taken_for_a_slug():
    copy = draft_of(EventFactory(slug="evening"))
    copy.title = ""
    naming.take_slug(copy, "other")

    with pytest.raises(IntegrityError, match="event_has_title"):
        copy.save(now=NOW)


@pytest.mark.django_db
def test_what_a_neighbour_prevented_is_tried_again():
    answers = iter([IntegrityError(), IntegrityError(), None])

    def write():
        if error := next(answers):
            raise error
        return "done"

    assert retried(write)() == "done"


@pytest.mark.django_db
def test_attempts_are_further_and_further_apart_and_the_log_says_so(monkeypatch, caplog):
    caplog.set_level("INFO", "calendar_events.api.writing")
    longest = []
    monkeypatch.setattr(writing.random, "uniform", lambda _, most: longest.append(most))
    monkeypatch.setattr(writing.time, "sleep", lambda _: None)

    def write():
        raise IntegrityError

    with pytest.raises(Unavailable):
        retried(write)()

    assert longest == [0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.2, 0.2, 0.2]
    assert caplog.messages[0] == "Write attempt 1 of 10 failed: IntegrityError"
    assert len(caplog.messages) == writing.ATTEMPTS


@pytest.mark.django_db
def test_neighbours_without_end_are_a_503():
    def write():
        raise IntegrityError

    with pytest.raises(Unavailable) as caught:
        retried(write)()

    assert caught.value.headers == {"Retry-After": "2"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sqlstate", "tries"), [("40P01", 10), ("40001", 10), ("57P01", 1)]
)
def test_a_deadlock_is_tried_again_and_a_lost_database_is_not(sqlstate, tries):
    class Cause(Exception):
        """What the driver raises."""

    seen = []

    def write():
        seen.append(1)
        cause = Cause()
        cause.sqlstate = sqlstate
        raise OperationalError from cause

    with pytest.raises((OperationalError, Unavailable)):
        retried(write)()

    assert len(seen) == tries
