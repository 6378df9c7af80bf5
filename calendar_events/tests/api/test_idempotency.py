"""Creates with an Idempotency-Key (decisions 7)."""

import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.utils import timezone

from calendar_events.models import Event, IdempotentAnswer
from calendar_events.tests.bodies import BODIES, event
from calendar_events.tests.callers import bad_fields, caller, key_for, refusal
from calendar_events.tests.factories import IdempotentAnswerFactory, UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MISMATCH = (422, "rest_idempotency_mismatch")


@pytest.mark.parametrize("collection", BODIES)
def test_a_repeated_create_returns_the_first_answer(editor, collection):
    first = editor.post(f"/{collection}", BODIES[collection], Idempotency_Key="a")
    again = editor.post(f"/{collection}", BODIES[collection], Idempotency_Key="a")

    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    kept = ("Location", "ETag", "Content-Type", "Cache-Control", "Vary")
    assert [again[name] for name in kept] == [first[name] for name in kept]


def test_the_first_answer_is_repeated_even_after_a_change(editor):
    first = editor.post("/events", event(), Idempotency_Key="a")
    editor.put(f"/events/{first.json()['id']}", {"title": "Other"})

    again = editor.post("/events", event(), Idempotency_Key="a")

    assert again.json()["title"] == "Evening"
    assert Event.objects.count() == 1


def test_the_order_of_members_makes_no_other_body(editor):
    first = editor.post("/events", event(), Idempotency_Key="a")
    again = editor.post("/events", dict(reversed(event().items())), Idempotency_Key="a")

    assert again.json()["id"] == first.json()["id"]


def test_another_body_under_the_same_key_is_refused_with_words(editor):
    editor.post("/events", event(), Idempotency_Key="a")

    response = editor.post("/events", event(title="Other"), Idempotency_Key="a")

    assert refusal(response) == MISMATCH
    assert "Idempotency-Key" in response.json()["message"]
    assert Event.objects.count() == 1


def test_a_refusal_is_not_kept(editor):
    assert bad_fields(editor.post("/events", event(website="foo"), Idempotency_Key="a"))

    assert editor.post("/events", event(), Idempotency_Key="a").status_code == 201


def test_without_a_key_two_creates_are_two_records(editor):
    assert (
        editor.post("/events", event()).json()["id"]
        != (editor.post("/events", event()).json()["id"])
    )


def test_a_key_counts_for_one_path_one_user_and_one_service_key(editor):
    user = editor.user
    other_key = caller(user=user, key=key_for("1001", "1003"))
    colleague = caller("editor")
    made = {
        editor.post("/venues", {"venue": "A"}, Idempotency_Key="a").json()["slug"],
        other_key.post("/venues", {"venue": "A"}, Idempotency_Key="a").json()["slug"],
        colleague.post("/venues", {"venue": "A"}, Idempotency_Key="a").json()["slug"],
    }

    assert made == {"a", "a-2", "a-3"}
    body = {"organizer": "A"}
    assert editor.post("/organizers", body, Idempotency_Key="a").status_code == 201


def test_a_trailing_slash_is_the_same_path(editor):
    first = editor.post("/events", event(), Idempotency_Key="a")

    assert editor.post("/events/", event(), Idempotency_Key="a").content == first.content


@pytest.mark.parametrize("key", ["", "a b", "ä", "x" * 256, "\t"])
def test_a_key_that_is_not_visible_characters_is_refused(editor, key):
    response = editor.post("/events", event(), Idempotency_Key=key)

    assert bad_fields(response) == ["Idempotency-Key"]
    assert Event.objects.count() == 0


@pytest.mark.parametrize("key", ["x", "x" * 255, "!~", '"8e03978e-40d5-43dd-bc93"'])
def test_any_visible_characters_are_a_key(editor, key):
    assert editor.post("/events", event(), Idempotency_Key=key).status_code == 201


def test_permission_is_asked_again_before_an_answer_is_repeated(editor):
    editor.post("/events", event(), Idempotency_Key="a")
    editor.user.groups.clear()
    demoted = caller(user=type(editor.user).objects.get(pk=editor.user.pk))

    response = demoted.post("/events", event(), Idempotency_Key="a")

    assert refusal(response) == (403, "rest_forbidden")


def test_an_answer_is_forgotten_after_a_day(editor, time_machine):
    editor.post("/events", event(), Idempotency_Key="a")
    IdempotentAnswer.objects.update(
        created_at=timezone.now() - timedelta(hours=24, seconds=1)
    )

    response = editor.post("/events", event(title="Another"), Idempotency_Key="a")

    assert (response.status_code, Event.objects.count()) == (201, 2)
    assert IdempotentAnswer.objects.get().answer == response.content.decode()


def test_outlived_answers_are_swept_by_new_ones(editor):
    user = UserFactory()
    IdempotentAnswerFactory.create_batch(
        3, user=user, created_at=timezone.now() - timedelta(days=2)
    )
    fresh = IdempotentAnswerFactory(user=user)

    editor.post("/events", event(), Idempotency_Key="a")

    assert set(IdempotentAnswer.objects.values_list("key", flat=True)) == {"a", fresh.key}


PROGRAM = """
import json, sys
import django
django.setup()
from django.contrib.auth import get_user_model
from calendar_events.api import idempotency
answer = idempotency.earlier_answer(idempotency.claim(
    key="a", client_id=sys.argv[1], user_id=int(sys.argv[2]),
    path="/platform/events/v1/venues", body={"venue": "Hall"},
))
print(json.dumps([answer.status, answer.headers["Location"], answer.answer]))
"""


@pytest.mark.django_db(transaction=True)
def test_an_answer_outlives_the_process_that_gave_it(editor):
    """Another process, as after a restart, finds the answer in the database."""
    import json  # noqa: PLC0415 -- one use

    from django.db import connection  # noqa: PLC0415 -- its settings name the database

    first = editor.post("/venues", {"venue": "Hall"}, Idempotency_Key="a")
    database = connection.settings_dict
    url = (
        f"sqlite:///{database['NAME']}"
        if connection.vendor == "sqlite"
        else "postgres://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(**database)
    )
    connection.close()

    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM, editor.actor.client_id, str(editor.user.pk)],
        env={**os.environ, "DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(finished.stdout.splitlines()[-1]) == [
        201,
        first["Location"],
        first.content.decode(),
    ]
