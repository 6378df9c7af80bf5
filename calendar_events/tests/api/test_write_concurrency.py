"""Many writers at once, in threads, on a real database: nothing is lost, nothing breaks."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from calendar_events.models import (
    Event,
    IdempotentAnswer,
    Organizer,
    Series,
    Term,
    Venue,
)
from calendar_events.models.guard import store_writes
from calendar_events.tests.bodies import event
from calendar_events.tests.callers import Caller
from calendar_events.tests.factories import CategoryFactory, VenueFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

WRITERS = 8
ROUNDS = 25


@pytest.fixture
def at_once():
    """Run one function per writer at the same moment and return what they returned."""
    with ThreadPoolExecutor(WRITERS) as pool:

        def run(*functions):
            gate = threading.Barrier(len(functions))

            def alone(function):
                gate.wait()
                try:
                    return function()
                finally:
                    connections.close_all()

            return list(pool.map(alone, functions))

        yield run


@pytest.fixture
def writers(editor):
    """The same editor at several machines."""
    return [Caller(editor.token, editor.actor) for _ in range(WRITERS)]


def test_of_two_hundred_conditional_updates_exactly_one_wins_each_version(writers, at_once):
    created = writers[0].post("/events", event())
    url, tag = f"/events/{created.json()['id']}", created["ETag"]

    for number in range(ROUNDS):
        answers = at_once(
            *(
                lambda writer=writer, tag=tag, name=f"{number} by {index}": writer.put(
                    url, {"title": name}, If_Match=tag
                )
                for index, writer in enumerate(writers)
            )
        )
        won = [answer for answer in answers if answer.status_code == 200]
        lost = [answer for answer in answers if answer.status_code == 412]
        assert (len(won), len(lost)) == (1, WRITERS - 1)
        tag = won[0]["ETag"]
        assert Event.objects.get().title == won[0].json()["title"]

    assert Event.objects.get().version == 1 + ROUNDS
    assert Event.objects.get().history.count() == 1 + ROUNDS


def test_of_copies_sent_back_at_once_one_is_written_and_the_rest_conflict(writers, at_once):
    copy = writers[0].post("/events", event()).json()

    answers = at_once(
        *(
            lambda writer=writer: writer.put(f"/events/{copy['id']}", copy)
            for writer in writers
        )
    )

    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200, *[409] * (WRITERS - 1)]


def test_updates_of_different_fields_at_once_are_all_kept(writers, at_once):
    record = writers[0].post("/events", event()).json()
    changes = [
        {"title": "New"},
        {"description": "<p>New</p>"},
        {"excerpt": "<p>New</p>"},
        {"website": "http://new.example"},
        {"featured": True},
        {"sticky": True},
        {"cost": "12"},
        {"end_date": "2031-01-15 23:00:00"},
    ]

    answers = at_once(
        *(
            lambda writer=writer, change=change: writer.put(
                f"/events/{record['id']}", change
            )
            for writer, change in zip(writers, changes, strict=True)
        )
    )

    assert {answer.status_code for answer in answers} == {200}
    after = writers[0].get(f"/events/{record['id']}").json()
    wanted = {name: value for change in changes for name, value in change.items()}
    assert {name: after[name] for name in wanted} == {**wanted, "cost": "$12"}


@pytest.mark.parametrize(
    ("collection", "body"),
    [("events", event()), ("venues", {"venue": "Evening"})],
)
def test_equal_titles_at_once_end_in_different_slugs(writers, at_once, collection, body):
    answers = at_once(
        *(lambda writer=writer: writer.post(f"/{collection}", body) for writer in writers)
    )

    assert {answer.status_code for answer in answers} == {201}
    assert {answer.json()["slug"] for answer in answers} == {
        "evening",
        *(f"evening-{number}" for number in range(2, WRITERS + 1)),
    }


def test_the_same_idempotency_key_at_once_makes_one_record_and_one_answer(writers, at_once):
    answers = at_once(
        *(
            lambda writer=writer: writer.post("/events", event(), Idempotency_Key="a")
            for writer in writers
        )
    )

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert (Event.objects.count(), IdempotentAnswer.objects.count()) == (1, 1)


def test_different_bodies_under_one_idempotency_key_at_once_make_one_record(
    writers, at_once
):
    answers = at_once(
        *(
            lambda writer=writer, title=f"T{index}": writer.post(
                "/events", event(title=title), Idempotency_Key="a"
            )
            for index, writer in enumerate(writers)
        )
    )

    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [201, *[422] * (WRITERS - 1)]
    assert Event.objects.count() == 1


def test_a_new_term_name_at_once_makes_one_term(writers, at_once):
    answers = at_once(
        *(
            lambda writer=writer: writer.post("/events", event(tags=["new", "newer"]))
            for writer in writers
        )
    )

    assert {answer.status_code for answer in answers} == {201}
    assert sorted(Term.objects.values_list("name", flat=True)) == ["new", "newer"]


@pytest.mark.parametrize(
    ("model", "brought"),
    [
        (Venue, {"venue": {"venue": "Old Mill", "city": "Rome"}}),
        (Organizer, {"organizer": {"organizer": "Old Mill", "phone": "1"}}),
    ],
)
def test_the_same_new_record_that_events_bring_at_once_is_made_once(
    writers, at_once, model, brought
):
    answers = at_once(
        *(
            lambda writer=writer: writer.post("/events", event(**brought))
            for writer in writers
        )
    )

    assert {answer.status_code for answer in answers} == {201}
    assert model.objects.count() == 1
    assert model.objects.get().events.count() == WRITERS


def test_terms_cannot_become_each_others_parents_at_once(writers, at_once):
    one, other = CategoryFactory.create_batch(2)

    for _ in range(5):
        answers = at_once(
            lambda: writers[0].put(f"/categories/{one.pk}", {"parent": other.pk}),
            lambda: writers[1].put(f"/categories/{other.pk}", {"parent": one.pk}),
        )
        assert sorted(answer.status_code for answer in answers) == [200, 400]
        with store_writes():
            Term.objects.update(parent=None)


def test_linking_a_venue_that_is_being_deleted_is_a_success_or_a_refusal(writers, at_once):
    for _ in range(5):
        venue = VenueFactory()
        answers = at_once(
            lambda venue=venue: writers[0].delete(f"/venues/{venue.pk}?force=true"),
            *(
                lambda writer=writer, venue=venue: writer.post(
                    "/events", event(venue=venue.pk)
                )
                for writer in writers[1:]
            ),
        )
        assert answers[0].status_code == 200
        assert {answer.status_code for answer in answers[1:]} <= {201, 400}
    assert Venue.objects.count() == 0


@pytest.mark.parametrize(
    ("collection", "body"),
    [("events", event()), ("categories", {"name": "A"}), ("tags", {"name": "A"})],
)
def test_of_deletions_for_good_at_once_one_succeeds_and_the_rest_find_nothing(
    writers, at_once, collection, body
):
    for _ in range(5):
        record = writers[0].post(f"/{collection}", body).json()
        answers = at_once(
            *(
                lambda writer=writer, pk=record["id"]: writer.delete(
                    f"/{collection}/{pk}?force=true"
                )
                for writer in writers
            )
        )

        statuses = sorted(answer.status_code for answer in answers)
        assert statuses == [200, *[404] * (WRITERS - 1)]


def test_of_deletes_at_once_one_moves_to_the_trash_and_the_rest_are_gone(writers, at_once):
    record = writers[0].post("/events", event()).json()

    answers = at_once(
        *(
            lambda writer=writer: writer.delete(f"/events/{record['id']}")
            for writer in writers
        )
    )

    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200, *[410] * (WRITERS - 1)]


def test_a_series_and_its_dates_may_be_written_at_once(writers, at_once):
    repeats = {"rrule": "FREQ=WEEKLY;COUNT=6"}
    first = writers[0].post("/events", event(**repeats)).json()
    pks = list(Event.objects.order_by("position").values_list("pk", flat=True))

    answers = at_once(
        lambda: writers[0].patch(f"/events/{pks[0]}?scope=all", {"cost": "5"}),
        lambda: writers[1].patch(
            f"/events/{pks[5]}?scope=all", {"website": "https://a.example/"}
        ),
        lambda: writers[2].patch(f"/events/{pks[3]}", {"title": "Alone"}),
        lambda: writers[3].delete(f"/events/{pks[1]}"),
        lambda: writers[4].patch(f"/events/{pks[2]}", {"excerpt": "<p>New</p>"}),
    )

    assert [answer.status_code for answer in answers] == [200] * 5
    rows = list(Event.objects.order_by("position"))
    assert [row.pk for row in rows] == pks
    assert {row.series_id for row in rows} == {first["recurrence"]["series"]}
    shown = [row for row in rows if row.status != "trash"]
    assert {(row.cost, row.website) for row in shown} == {("5", "https://a.example/")}
    assert [row.overridden for row in rows] == ["", "", "excerpt", "title", "", ""]
    assert len(rows[0].series.exdates) == 1


def test_edits_of_one_series_at_once_wait_for_each_other_without_a_deadlock(
    writers, at_once, caplog
):
    caplog.set_level("INFO", "calendar_events.api.writing")
    weekly = {"rrule": "FREQ=WEEKLY;COUNT=8", "timezone": "Europe/Berlin"}
    made = writers[0].post("/events", event(**weekly)).json()
    series = made["recurrence"]["series"]
    dates = writers[0].get(f"/series/{series}").json()["occurrences"]

    def edit(number, scope):
        path = f"/events/{dates[number]['id']}?scope={scope}"
        body = {"title": f"Number {number}"}
        return lambda: writers[number].patch(path, body).status_code

    scopes = ("all", "this", "following", "all")
    assert at_once(*(edit(n, scopes[n % 4]) for n in range(WRITERS))) == [200] * WRITERS

    assert not [each for each in caplog.messages if "OperationalError" in each]
    for each in Series.objects.all():
        positions = each.occurrences.order_by("position").values_list("position", flat=True)
        assert list(positions) == list(range(1, each.dates + 1))


def weekly(writer):
    """Eight dates: the tag of their series, and the address of the second."""
    body = event(rrule="FREQ=WEEKLY;COUNT=8", timezone="Europe/Berlin")
    series = writer.post("/events", body).json()["recurrence"]["series"]
    answer = writer.get(f"/series/{series}")
    return answer["ETag"], f"/events/{answer.json()['occurrences'][1]['id']}"


def test_a_series_under_one_idempotency_key_at_once_is_made_once(writers, at_once):
    body = event(rrule="FREQ=WEEKLY;COUNT=8")

    answers = at_once(
        *(
            lambda writer=writer: writer.post("/events", body, Idempotency_Key="a")
            for writer in writers
        )
    )

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert (Series.objects.count(), Event.objects.count()) == (1, 8)


@pytest.mark.parametrize("scope", ["following", "all"])
def test_of_conditional_edits_of_a_series_at_once_one_wins(writers, at_once, scope):
    tag, second = weekly(writers[0])

    answers = at_once(
        *(
            lambda writer=writer, name=f"By {index}": writer.patch(
                f"{second}?scope={scope}", {"title": name}, If_Match=tag
            )
            for index, writer in enumerate(writers)
        )
    )

    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200, *[412] * (WRITERS - 1)]
    (won,) = (answer.json()["title"] for answer in answers if answer.status_code == 200)
    titles = list(Event.objects.order_by("start_utc").values_list("title", flat=True))
    assert titles[1:] == [won] * 7


def test_of_conditional_deletes_of_a_series_at_once_one_wins(writers, at_once):
    tag, second = weekly(writers[0])

    answers = at_once(
        *(
            lambda writer=writer: writer.delete(f"{second}?scope=following", If_Match=tag)
            for writer in writers
        )
    )

    statuses = sorted(answer.status_code for answer in answers)
    assert statuses[0] == 200
    assert set(statuses[1:]) <= {410, 412}
    assert Event.objects.exclude(status="trash").count() == 1


@pytest.mark.parametrize("is_conditional", [True, False])
def test_an_event_that_begins_to_repeat_at_once_does_so_once(
    writers, at_once, is_conditional
):
    created = writers[0].post("/events", event())
    headers = {"If_Match": created["ETag"]} if is_conditional else {}

    answers = at_once(
        *(
            lambda writer=writer: writer.patch(
                f"/events/{created.json()['id']}",
                {"rrule": "FREQ=WEEKLY;COUNT=4"},
                **headers,
            )
            for writer in writers
        )
    )

    statuses = [answer.status_code for answer in answers]
    assert statuses.count(200) == (1 if is_conditional else len(writers))
    assert set(statuses) <= {200, 412}
    assert (Series.objects.count(), Event.objects.count()) == (1, 4)
