"""``/changes``: everything that changed, as its caller may see it."""

from datetime import timedelta

import pytest
import time_machine
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from calendar_events.api.changes import tokens
from calendar_events.models import Change, Event, Status, Venue
from calendar_events.models.change import Position
from calendar_events.tests import bodies
from calendar_events.tests.callers import caller
from calendar_events.tests.changes import begin, read, refused_as_gone, rows_of
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)
from calendar_events.tests.settling import settle

# What a transaction has written itself is settled only after it.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


def test_without_a_token_there_is_a_new_one_and_nothing_else(anonymous):
    EventFactory()
    settle()

    answer = anonymous.get("/changes").json()

    assert list(answer) == ["changes", "next", "more"]
    assert (answer["changes"], answer["more"]) == ([], False)
    assert rows_of(read(anonymous, answer["next"])) == []


def test_what_is_created_is_told_as_its_list_answers_it(anonymous, editor):
    token = begin(anonymous)
    editor.post("/events", bodies.event(venue={"venue": "The Hall"}, tags=["yoga"]))

    answer = read(anonymous, token)

    event, venue, tag = (
        Event.objects.get(),
        Venue.objects.get(),
        Event.objects.get().terms.get(),
    )
    assert sorted(rows_of(answer)) == [
        ("events", event.pk, "updated"),
        ("tags", tag.pk, "updated"),
        ("venues", venue.pk, "updated"),
    ]
    records = {one["type"]: one["record"] for one in answer["changes"]}
    for name, record in records.items():
        listed = anonymous.get(f"/{name}?starts_after=1990-01-01").json()[name]
        assert [record] == listed


@pytest.mark.parametrize(
    "fields",
    [
        {"status": Status.TRASH},
        {"status": Status.DRAFT},
        {"status": Status.PRIVATE},
        {"hide_from_listings": True},
        {"published_at": timezone.now() + timedelta(days=900)},
    ],
    ids=["trashed", "unpublished", "private", "hidden", "scheduled"],
)
def test_what_is_no_longer_listed_is_deleted(anonymous, fields):
    event = EventFactory()
    token = begin(anonymous)
    for name, value in fields.items():
        setattr(event, name, value)
    event.save()

    answer = read(anonymous, token)

    assert answer["changes"] == [{"type": "events", "id": event.pk, "change": "deleted"}]


def test_what_is_deleted_for_good_is_deleted_and_so_it_is_in_what_embeds_it(anonymous):
    venue, tag = VenueFactory(), TagFactory()
    event = EventFactory(venues=[venue], terms=[tag])
    token = begin(anonymous)
    pks = venue.pk, tag.pk
    venue.delete()
    tag.delete()

    answer = read(anonymous, token)

    assert sorted(rows_of(answer)) == [
        ("events", event.pk, "updated"),
        ("tags", pks[1], "deleted"),
        ("venues", pks[0], "deleted"),
    ]
    (record,) = [one["record"] for one in answer["changes"] if "record" in one]
    assert (record["venue"], record["tags"]) == ([], [])


def test_a_record_is_told_once_in_its_newest_state_by_its_last_change(anonymous):
    first, second = EventFactory(), EventFactory()
    token = begin(anonymous)
    for record, title in ((first, "One"), (second, "Two"), (first, "Three")):
        record.title = title
        record.save()

    answer = read(anonymous, token)

    assert [one["record"]["title"] for one in answer["changes"]] == ["Two", "Three"]
    assert read(anonymous, answer["next"])["changes"] == []


def test_a_venue_that_changes_changes_its_events(anonymous):
    venue = VenueFactory()
    event = EventFactory(venues=[venue])
    EventFactory()
    token = begin(anonymous, "?types=events")
    venue.name = "Renamed"
    venue.save()

    answer = read(anonymous, token)

    assert rows_of(answer) == [("events", event.pk, "updated")]
    assert answer["changes"][0]["record"]["venue"]["venue"] == "Renamed"


def test_everybody_sees_of_a_change_what_their_list_shows(
    anonymous, editor, stranger, subscriber
):
    callers = {"anonymous": anonymous, "stranger": stranger, "none": subscriber}
    begun = {name: begin(who) for name, who in callers.items()}
    own = begin(editor)
    draft = EventFactory(draft=True, title="Secret")

    for name, who in callers.items():
        settle()
        answer = who.get(f"/changes?since={begun[name]}")
        assert b"Secret" not in answer.content
        assert rows_of(answer.json()) == [("events", draft.pk, "deleted")]
    assert read(editor, own)["changes"][0]["record"]["title"] == "Secret"


def test_a_venue_that_changes_does_not_tell_of_protected_events_there(anonymous, editor):
    soon = timezone.now() + timedelta(hours=1)
    venue, later = VenueFactory(), VenueFactory(published_at=soon)
    tag = TagFactory()
    protected = EventFactory(protected=True, venues=[venue, later], terms=[tag])
    shown = EventFactory(venues=[venue, later])
    token = begin(anonymous)

    editor.patch(f"/venues/{venue.pk}", {"city": "Berlin"})
    editor.patch(f"/tags/{tag.pk}", {"name": "Renamed"})

    answer = read(anonymous, token)
    assert ("events", shown.pk, "updated") in rows_of(answer)
    assert protected.pk not in [pk for kind, pk, _ in rows_of(answer) if kind == "events"]

    with time_machine.travel(soon + timedelta(seconds=1)):
        published = rows_of(read(anonymous, answer["next"]))
    assert ("events", shown.pk, "updated") in published
    assert protected.pk not in [pk for kind, pk, _ in published if kind == "events"]


def test_a_protected_event_is_told_without_what_its_password_protects(anonymous):
    token = begin(anonymous)
    event = EventFactory(
        protected=True, description="<p>Inside</p>", venues=[VenueFactory()]
    )

    answer = read(anonymous, token, "&types=")

    records = {one["type"]: one["record"] for one in answer["changes"]}
    listed = anonymous.get("/events").json()["events"][0]
    assert records["events"] == listed
    assert (listed["id"], listed["description"], listed["venue"]) == (event.pk, "", [])


def test_the_moment_of_an_online_address_tells_nothing_of_protected_events(anonymous):
    moment = timezone.now() + timedelta(minutes=20)
    details = {"online_address": "https://meet.example/a", "online_from": moment}
    EventFactory(protected=True, **details)
    shown = EventFactory(**details)
    token = begin(anonymous)

    with time_machine.travel(moment + timedelta(seconds=1)):
        answer = read(anonymous, token)

    assert rows_of(answer) == [("events", shown.pk, "updated")]


def test_only_the_types_that_are_asked_for_are_told(anonymous):
    token = begin(anonymous, "?types=venues,tags")
    venue, tag = VenueFactory(), TagFactory()
    EventFactory(venues=[venue])
    OrganizerFactory()

    answer = read(anonymous, token)
    same = read(anonymous, token, "&types=tags&types=venues")

    assert rows_of(answer) == [
        ("venues", venue.pk, "updated"),
        ("tags", tag.pk, "updated"),
    ]
    assert same["changes"] == answer["changes"]


def test_terms_are_told_whether_or_not_an_event_has_them(anonymous):
    token = begin(anonymous, "?types=categories")
    category = CategoryFactory(name="Music")

    answer = read(anonymous, token)

    listed = anonymous.get("/categories?hide_empty=false").json()["categories"]
    assert [one["record"] for one in answer["changes"]] == listed
    assert listed[0]["id"] == category.pk


@pytest.mark.parametrize("types", ["", "?types=events"])
def test_pages_follow_each_other_until_there_is_no_more(anonymous, types):
    token = begin(anonymous, types)
    events = EventFactory.create_batch(5)
    pages = []

    while not pages or pages[-1]["more"]:
        pages.append(read(anonymous, token, "&per_page=2"))
        token = pages[-1]["next"]

    found = [one["id"] for page in pages for one in page["changes"]]
    assert found == [event.pk for event in events]
    assert max(len(page["changes"]) for page in pages) == 2


def test_many_changes_of_other_types_are_passed_over_step_by_step(anonymous):
    token = begin(anonymous, "?types=tags")
    Change.objects.bulk_create(
        Change(at=timezone.now(), kind="event", record=1, version=1) for _ in range(2_500)
    )
    tag = TagFactory()

    steps = []
    while not steps or steps[-1]["more"]:
        steps.append(read(anonymous, token))
        token = steps[-1]["next"]

    assert [rows_of(step) for step in steps] == [[], [], [("tags", tag.pk, "updated")]]


def test_what_time_publishes_is_told_without_a_write(anonymous, editor):
    soon = timezone.now() + timedelta(minutes=20)
    venue = VenueFactory(published_at=soon)
    scheduled = EventFactory(published_at=soon)
    there = EventFactory(venues=[venue])
    hidden = EventFactory(published_at=soon, hide_from_listings=True)
    token, own = begin(anonymous), begin(editor)
    assert read(anonymous, token)["changes"] == []

    with time_machine.travel(soon + timedelta(seconds=1)):
        answer = read(anonymous, token)
        again = read(anonymous, answer["next"])
        editors = read(editor, own)

    expected = [
        ("events", scheduled.pk, "updated"),
        ("events", there.pk, "updated"),
        ("venues", venue.pk, "updated"),
    ]
    assert sorted(rows_of(answer)) == expected
    assert again["changes"] == []
    by_id = {
        one["id"]: one["record"] for one in answer["changes"] if "events" in one["type"]
    }
    assert by_id[there.pk]["venue"]["id"] == venue.pk
    statuses = {one["id"]: one["record"]["status"] for one in editors["changes"]}
    assert statuses[scheduled.pk] == "publish"
    assert hidden.pk not in by_id


def test_what_time_publishes_comes_in_pages_too(anonymous):
    soon = timezone.now() + timedelta(minutes=20)
    events = EventFactory.create_batch(5, published_at=soon)
    token = begin(anonymous)
    later = EventFactory()
    pages = []

    with time_machine.travel(soon + timedelta(seconds=1)):
        while not pages or pages[-1]["more"]:
            pages.append(read(anonymous, token, "&per_page=2"))
            token = pages[-1]["next"]

    found = [one["id"] for page in pages for one in page["changes"]]
    assert found == [later.pk, *(event.pk for event in events)]


def test_what_is_published_as_it_is_created_is_told_once(anonymous, editor):
    token = begin(anonymous, "?types=events")
    for _ in range(3):
        editor.post("/events", bodies.event())
    first = read(anonymous, token, "&per_page=2")

    second = read(anonymous, first["next"], "&per_page=2")

    assert (len(first["changes"]), len(second["changes"])) == (2, 1)
    assert not second["more"]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("since=x", "since"),
        ("since=", "since"),
        ("since=" + "a" * 5000, "since"),
        ("since={token}x", "since"),
        ("since={other}", "since"),
        ("since={token}&types=events", "types"),
        ("types=meetings", "types"),
        ("types=events%00", "types"),
        ("since={token}&per_page=0", "per_page"),
        ("since={token}&per_page=many", "per_page"),
        ("since={token}&wait=26", "wait"),
        ("since={token}&wait=-1", "wait"),
        ("since={token}&wait=" + "9" * 5000, "wait"),
    ],
    ids=range(13),
)
def test_a_parameter_that_cannot_be_used_is_named(anonymous, query, name):
    from django.core.signing import Signer  # noqa: PLC0415 -- of this test alone

    token = begin(anonymous)
    other = Signer(salt="other", sep=".").sign_object([1])

    answer = anonymous.get(f"/changes?{query.format(token=token, other=other)}")

    assert answer.status_code == 400
    assert answer.json()["code"] == "rest_invalid_param"
    assert list(answer.json()["data"]["params"]) == [name]


def test_a_token_that_is_older_than_the_log_is_gone(anonymous, settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "CHANGES_DAYS": 30}
    token = begin(anonymous)

    with time_machine.travel(timezone.now() + timedelta(days=29)):
        assert anonymous.get(f"/changes?since={token}").status_code == 200
    with time_machine.travel(timezone.now() + timedelta(days=31)):
        assert refused_as_gone(anonymous.get(f"/changes?since={token}"))


def test_who_goes_on_in_a_quiet_calendar_is_never_gone(anonymous):
    token, now = begin(anonymous), timezone.now()

    for day in range(1, 100, 7):
        with time_machine.travel(now + timedelta(days=day)):
            token = read(anonymous, token)["next"]


def test_documents_that_were_made_again_make_every_token_gone(anonymous):
    token = begin(anonymous)
    call_command("rebuild_calendar", verbosity=0)
    settle()

    assert refused_as_gone(anonymous.get(f"/changes?since={token}"))


def test_a_token_from_beyond_the_log_is_gone(anonymous):
    token = tokens.read(begin(anonymous))
    beyond = Position(2**50, 2**50)
    forged = tokens.written(token._replace(seen=token.seen._replace(position=beyond)))

    assert refused_as_gone(anonymous.get(f"/changes?since={forged}"))


def test_a_token_is_gone_for_who_sees_something_else(anonymous, editor):
    token = begin(anonymous)
    own = begin(editor)
    editor.user.groups.clear()

    for who, of_another in ((editor, token), (anonymous, own), (editor, own)):
        assert refused_as_gone(who.get(f"/changes?since={of_another}"))


def test_while_nothing_changes_the_answer_is_304(anonymous, editor):
    token = begin(anonymous)
    first = anonymous.get(f"/changes?since={token}")
    assert first.json()["next"] == token
    assert first.headers["Cache-Control"] == "public, no-cache"
    tag = first.headers["ETag"]

    assert anonymous.get(f"/changes?since={token}", If_None_Match=tag).status_code == 304
    EventFactory()
    settle()
    again = anonymous.get(f"/changes?since={token}", If_None_Match=tag)

    assert again.status_code == 200
    assert again.headers["ETag"] != tag
    assert again.headers["Access-Control-Allow-Origin"] == "*"
    private = editor.get("/changes").headers
    assert private["Cache-Control"] == "private, no-cache"
    assert "Authorization" in private["Vary"]


def test_only_the_members_that_are_asked_for_are_answered(anonymous):
    token = begin(anonymous)
    event = EventFactory()

    answer = read(anonymous, token, "&_fields=changes.id,changes.record.title,next")

    assert answer["changes"] == [{"id": event.pk, "record": {"title": event.title}}]
    assert list(answer) == ["changes", "next"]


@pytest.mark.parametrize("fields", ["changes.type,changes.id,changes.change,next", "next"])
def test_records_that_nobody_asks_for_are_not_read(anonymous, fields):
    token = begin(anonymous)
    event, gone = EventFactory(), EventFactory()
    VenueFactory()
    gone.delete()
    settle()

    with CaptureQueriesContext(connection) as asked:
        answer = read(anonymous, token, f"&_fields={fields}")
    statements = [one["sql"] for one in asked]
    whole = read(anonymous, token)

    for change in whole["changes"]:
        change.pop("record", None)
    assert answer.pop("next")
    assert answer == ({"changes": whole["changes"]} if "changes" in fields else {})
    assert {one["change"] for one in whole["changes"]} == {"updated", "deleted"}
    assert event.pk in [one["id"] for one in whole["changes"]]
    assert any("calendar_events_change" in one for one in statements)
    assert not [one for one in statements if "fragment" in one]


@pytest.mark.parametrize("number", [1, 4])
def test_an_answer_costs_the_same_however_much_changed(
    anonymous, number, django_assert_num_queries
):
    token = begin(anonymous)
    for _ in range(number):
        EventFactory(
            venues=[VenueFactory()],
            organizers=[OrganizerFactory()],
            terms=[CategoryFactory(), TagFactory()],
        )
    settle()

    # State, log, what came due; events and what they carry, four other types.
    with django_assert_num_queries(3 + 2 + 4):
        answer = anonymous.get(f"/changes?since={token}").json()

    assert len(answer["changes"]) == 5 * number


@pytest.mark.parametrize("number", [1, 4])
def test_an_answer_without_records_asks_only_which_are_seen(
    anonymous, number, django_assert_num_queries
):
    token = begin(anonymous)
    for _ in range(number):
        EventFactory(venues=[VenueFactory()], terms=[CategoryFactory()])
    settle()

    # Log, what came due; three types.
    with django_assert_num_queries(2 + 3):
        answer = anonymous.get(f"/changes?since={token}&_fields=changes.id").json()

    assert len(answer["changes"]) == 3 * number


def test_other_methods_are_refused_and_options_tell_the_parameters(anonymous):
    assert anonymous.post("/changes").status_code == 405
    assert anonymous.send("HEAD", "/changes").status_code == 200
    described = anonymous.send("OPTIONS", "/changes")
    assert described.status_code == 200


def test_bad_credentials_are_refused():
    who = caller("editor")
    who.token = "tk_no"

    assert who.get("/changes").status_code == 401
