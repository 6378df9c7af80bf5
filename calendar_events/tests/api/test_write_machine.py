"""Any sequence of writes keeps the invariants of the database.

A hypothesis state machine creates, changes, trashes, restores and deletes records of all
five types through the interface and compares what it knows with what is stored after every
step. The short form runs with the suite; ``FUZZ=long`` looks further.
"""

import os

import pytest
from django.db import connection
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from calendar_events import documents
from calendar_events.models import (
    DayCount,
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    Organizer,
    Status,
    Term,
    Venue,
)
from calendar_events.tests.bodies import BODIES, NAMES, RECORDS, TERMS
from calendar_events.tests.callers import caller

pytestmark = [pytest.mark.django_db, pytest.mark.fuzz, pytest.mark.both_databases]

IS_LONG = os.environ.get("FUZZ") == "long"
MODELS = {"events": Event, "venues": Venue, "organizers": Organizer}
STATUSES = ["publish", "draft", "pending", "private", "future"]

titles = st.sampled_from(["Evening", "evening", "Été", "Праздник", "!!!", "1", "a" * 300])
optional_slugs = st.sampled_from([None, "", "same", "same-2", "Evening", "x__trashed"])
moments = st.sampled_from(
    ["2031-01-15 19:00", "2031-03-30 02:30", "2031-10-26 02:30", "2031-12-31"]
)
zones = st.sampled_from([None, "", "Europe/Berlin", "UTC-5", "America/New_York"])
picks = st.integers(0, 5)


class Writes(RuleBasedStateMachine):
    """Knows which records are there, and which are in the trash."""

    def __init__(self):
        super().__init__()
        self.alive = {name: set() for name in (*RECORDS, *TERMS)}
        self.trashed = {name: set() for name in RECORDS}

    @initialize()
    def begin(self):
        for model in (Event, Venue, Organizer, Term):
            model.objects.all().delete()
        self.editor = caller("editor")

    def pick(self, name, number, among=None):
        """Return one of the known records, if there is one."""
        known = sorted(self.alive[name] if among is None else among[name])
        return known[number % len(known)] if known else None

    def answered(self, response, *statuses):
        assert response.status_code in statuses, response.content
        return response.json()

    @rule(
        name=st.sampled_from(RECORDS),
        title=titles,
        slug=optional_slugs,
        status=st.sampled_from([None, *STATUSES]),
    )
    def create_record(self, name, title, slug, status):
        body = {**BODIES[name], NAMES[name]: title, "slug": slug, "status": status}
        made = self.answered(self.editor.post(f"/{name}", body), 201)
        self.alive[name].add(made["id"])

    @rule(name=st.sampled_from(TERMS), title=titles, slug=optional_slugs, parent=picks)
    def create_term(self, name, title, slug, parent):
        body = {"name": title[:200], "slug": slug}
        if name == "categories" and parent:
            body["parent"] = self.pick(name, parent)
        response = self.editor.post(f"/{name}", body)
        made = self.answered(response, 201, 400)
        if response.status_code == 201:
            self.alive[name].add(made["id"])
        else:
            assert made["code"] == "term_exists"

    @rule(number=picks, start=moments, end=moments, zone=zones, all_day=st.booleans())
    def reschedule(self, number, start, end, zone, all_day):
        pk = self.pick("events", number)
        if pk is not None:
            body = {"start_date": start, "end_date": end, "all_day": all_day}
            if zone is not None:
                body["timezone"] = zone
            self.answered(self.editor.put(f"/events/{pk}", body), 200, 400)

    @rule(
        number=picks, places=st.lists(picks, max_size=3), words=st.lists(picks, max_size=3)
    )
    def link(self, number, places, words):
        pk = self.pick("events", number)
        if pk is not None:
            body = {
                "venue": [found for n in places if (found := self.pick("venues", n))],
                "organizer": [
                    found for n in words if (found := self.pick("organizers", n))
                ],
                "categories": [
                    found for n in words if (found := self.pick("categories", n))
                ],
                "tags": [found for n in places if (found := self.pick("tags", n))],
            }
            self.answered(self.editor.put(f"/events/{pk}", body), 200)

    @rule(
        name=st.sampled_from(RECORDS),
        number=picks,
        title=titles,
        slug=optional_slugs,
        status=st.sampled_from(STATUSES),
    )
    def update_record(self, name, number, title, slug, status):
        pk = self.pick(name, number)
        if pk is not None:
            body = {NAMES[name]: title, "status": status}
            if slug is not None:
                body["slug"] = slug
            self.answered(self.editor.patch(f"/{name}/{pk}", body), 200)

    @rule(name=st.sampled_from(TERMS), number=picks, title=titles, parent=picks)
    def update_term(self, name, number, title, parent):
        pk = self.pick(name, number)
        if pk is not None:
            body = {"name": title[:200]}
            if name == "categories":
                body["parent"] = self.pick(name, parent)
            self.answered(self.editor.put(f"/{name}/{pk}", body), 200, 400)

    @rule(name=st.sampled_from(RECORDS), number=picks)
    def trash(self, name, number):
        pk = self.pick(name, number)
        if pk is not None:
            self.answered(self.editor.delete(f"/{name}/{pk}"), 200)
            self.answered(self.editor.delete(f"/{name}/{pk}"), 410)
            self.alive[name].discard(pk)
            self.trashed[name].add(pk)

    @rule(name=st.sampled_from(RECORDS), number=picks, status=st.sampled_from(STATUSES))
    def restore(self, name, number, status):
        pk = self.pick(name, number, self.trashed)
        if pk is not None:
            self.answered(self.editor.put(f"/{name}/{pk}", {}), 410)
            self.answered(self.editor.put(f"/{name}/{pk}", {"status": status}), 200)
            self.trashed[name].discard(pk)
            self.alive[name].add(pk)

    @rule(name=st.sampled_from(RECORDS), number=picks, in_trash=st.booleans())
    def delete_for_good(self, name, number, in_trash):
        among = self.trashed if in_trash else self.alive
        pk = self.pick(name, number, among)
        if pk is not None:
            self.answered(self.editor.delete(f"/{name}/{pk}?force=true"), 200)
            self.answered(self.editor.get(f"/{name}/{pk}"), 404)
            among[name].discard(pk)

    @rule(name=st.sampled_from(TERMS), number=picks)
    def delete_term(self, name, number):
        pk = self.pick(name, number)
        if pk is not None:
            self.answered(self.editor.delete(f"/{name}/{pk}"), 200)
            self.alive[name].discard(pk)

    @invariant()
    def what_is_known_is_stored(self):
        for name, model in MODELS.items():
            rows = dict(model.objects.values_list("id", "status"))
            trashed = {pk for pk, status in rows.items() if status == Status.TRASH}
            assert (rows.keys() - trashed, trashed) == (
                self.alive[name],
                self.trashed[name],
            )
        terms = set(Term.objects.values_list("id", flat=True))
        assert terms == self.alive["categories"] | self.alive["tags"]

    @invariant()
    def slugs_are_unique_and_published_records_have_one(self):
        for model in MODELS.values():
            rows = list(model.objects.values_list("slug", "status", "published_at"))
            slugs = [slug for slug, _, _ in rows if slug]
            assert len(slugs) == len(set(slugs))
            for slug, status, published_at in rows:
                if status == Status.PUBLISH:
                    assert (slug != "", published_at is not None) == (True, True)

    @invariant()
    def every_stored_text_is_what_its_row_renders_to(self):
        for model in (*MODELS.values(), Term):
            for record in model.objects.all():
                rendered = documents.columns(record)
                assert {name: getattr(record, name) for name in rendered} == rendered

    @invariant()
    def schedules_agree_with_themselves(self):
        for event in Event.objects.all():
            assert event.start_utc <= event.end_utc
            if event.all_day:
                assert (
                    f"{event.start_local:%H%M%S}{event.end_local:%H%M%S}" == "000000235959"
                )

    @invariant()
    def links_copy_their_event_and_nothing_dangles(self):
        for model in (EventVenue, EventOrganizer, EventTerm):
            for row in model.objects.select_related("event"):
                event = row.event
                listed = event.status == Status.PUBLISH and not event.hide_from_listings
                assert (row.start_utc, row.listed) == (event.start_utc, listed)

    @invariant()
    def the_tree_is_a_tree(self):
        parents = dict(Term.objects.values_list("id", "parent_id"))
        for climber in parents.values():
            seen = set()
            while climber is not None:
                assert climber not in seen
                seen.add(climber)
                climber = parents[climber]  # noqa: PLW2901 -- up the tree

    @invariant()
    def totals_are_exact(self):
        if connection.vendor != "postgresql":
            return  # counted each time
        counted = sum(
            DayCount.objects.filter(scope="all", day="0001-01-01").values_list(
                "number", flat=True
            )
        )
        listed = Event.objects.filter(status=Status.PUBLISH, hide_from_listings=False)
        assert counted == listed.count()


Writes.TestCase.settings = settings(
    max_examples=150 if IS_LONG else 6,
    stateful_step_count=60 if IS_LONG else 25,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def test_any_sequence_of_writes_keeps_the_invariants():
    Writes.TestCase("runTest").runTest()
