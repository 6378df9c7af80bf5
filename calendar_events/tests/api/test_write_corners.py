"""What happens between a look and a write, and other corners of the services."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, OperationalError

from calendar_events.api import attempts
from calendar_events.api.attempts import until_done
from calendar_events.models import Event, Status, Taxonomy, Term
from calendar_events.services import naming, terms
from calendar_events.services.removal import trash_record
from calendar_events.store.saving import VersionConflict
from calendar_events.tests.bodies import event
from calendar_events.tests.callers import bad_fields, refusal
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    TagFactory,
    VenueFactory,
)
from platform_errors.exceptions import Unavailable

pytestmark = pytest.mark.django_db

NOW = datetime(2031, 1, 1, 12, tzinfo=UTC)


def draft_of(taken):
    """Return an unsaved copy of an event."""
    copy = Event.objects.get(pk=taken.pk)
    copy.pk, copy._state.adding = None, True
    return copy


def test_another_constraint_is_not_taken_for_a_slug():
    copy = draft_of(EventFactory(slug="evening"))
    copy.title = ""

    with pytest.raises(IntegrityError, match="event_has_title"):
        naming.save(copy, preferred="other", now=NOW)


def test_what_a_neighbour_prevented_is_tried_again():
    answers = iter([IntegrityError(), IntegrityError(), None])

    def write():
        if error := next(answers):
            raise error
        return "done"

    assert until_done(write) == "done"


def test_attempts_are_further_and_further_apart_and_the_log_says_so(monkeypatch, caplog):
    caplog.set_level("INFO", "calendar_events.api.attempts")
    longest = []
    monkeypatch.setattr(attempts.random, "uniform", lambda _, most: longest.append(most))
    monkeypatch.setattr(attempts.time, "sleep", lambda _: None)

    def write():
        raise IntegrityError

    with pytest.raises(Unavailable):
        until_done(write)

    assert longest == [0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.2, 0.2, 0.2]
    assert caplog.messages[0] == "Write attempt 1 of 10 failed: IntegrityError"
    assert len(caplog.messages) == attempts.ATTEMPTS


def test_neighbours_without_end_are_a_503():
    def write():
        raise IntegrityError

    with pytest.raises(Unavailable) as caught:
        until_done(write)

    assert caught.value.headers == {"Retry-After": "2"}


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
        until_done(write)

    assert len(seen) == tries


@pytest.mark.parametrize("taxonomy", Taxonomy)
def test_a_version_that_is_gone_is_noticed_under_the_lock(editor, taxonomy):
    factory = CategoryFactory if taxonomy == Taxonomy.CATEGORY else TagFactory
    term, record = factory(), EventFactory()

    with pytest.raises(VersionConflict):
        terms.update_term(
            actor=editor.actor, term_id=term.pk, changes={}, now=NOW, expected_version=9
        )
    with pytest.raises(VersionConflict):
        terms.delete_term(actor=editor.actor, term_id=term.pk, now=NOW, expected_version=9)
    with pytest.raises(VersionConflict):
        trash_record(Event, actor=editor.actor, pk=record.pk, now=NOW, expected_version=9)


def test_a_name_that_somebody_created_meanwhile_is_used(editor):
    term = TagFactory(name="New")

    found = terms.ensure_terms(
        actor=editor.actor, taxonomy=Taxonomy.TAG, tokens=["new", "newer"], now=NOW
    )

    assert found == [term.pk, Term.objects.get(name="newer").pk]


def test_a_parent_that_was_deleted_meanwhile_is_refused_by_the_service(editor):
    gone = CategoryFactory()
    pk = gone.pk
    gone.delete()

    with pytest.raises(terms.InvalidFields) as caught:
        terms.create_term(
            actor=editor.actor,
            taxonomy=Taxonomy.CATEGORY,
            changes={"name": "Music", "parent": pk},
            now=NOW,
        )

    assert list(caught.value.reasons) == ["parent"]


def test_an_empty_slug_of_a_term_is_made_again_from_its_name(editor):
    term = editor.post("/tags", {"name": "Open air", "slug": "odd"}).json()

    response = editor.put(f"/tags/{term['id']}", {"name": "Indoor", "slug": ""})

    assert response.json()["slug"] == "indoor"


def test_long_names_that_differ_at_their_end_are_different_terms(editor):
    names = ["ß" * 199 + "a", "ß" * 199 + "b"]

    made = [editor.post("/tags", {"name": name}).json()["id"] for name in names]
    linked = editor.post("/events", event(tags=names)).json()["tags"]

    assert sorted(term["id"] for term in linked) == made


def test_a_record_may_be_created_in_the_trash(editor):
    record = editor.post("/events", event(status="trash")).json()

    stored = Event.objects.get()
    assert (record["status"], record["slug"]) == ("trash", "evening__trashed")
    assert stored.previous_status == Status.DRAFT
    assert refusal(editor.delete(f"/events/{record['id']}")) == (410, "event-is-in-trash")


@pytest.mark.parametrize("field", ["author", "date"])
def test_a_nested_object_agrees_in_author_and_date_too(editor, field):
    known = VenueFactory(name="Hall")
    given = {
        "author": (known.author_id, editor.user.pk),
        "date": ("2020-01-01 12:00:00", "2021-01-01 12:00:00"),
    }
    same, other = given[field]

    for value, is_known in ((same, True), (other, False)):
        if field == "author" and is_known:
            editor.put(f"/venues/{known.pk}", {"author": editor.user.pk})
            value = editor.user.pk  # noqa: PLW2901 -- the author of now
        elif field == "author":
            editor.put(f"/venues/{known.pk}", {"author": same})
        nested = {"venue": "Hall", field: value}
        record = editor.post("/events", event(venue=nested)).json()
        assert (record["venue"]["id"] == known.pk) is is_known


def test_fields_of_the_brought_record_are_named_in_the_reason(editor):
    response = editor.post("/events", event(organizer={"organizer": "A", "email": "x"}))

    assert bad_fields(response) == ["organizer"]
    assert "email must be" in response.json()["data"]["params"]["organizer"]
