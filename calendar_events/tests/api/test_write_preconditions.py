"""Preconditions: entity tags, dates, modified_utc (spec 7.5, decisions 6)."""

from datetime import timedelta

import pytest
from django.utils.http import http_date

from calendar_events.models import Event
from calendar_events.tests.bodies import BODIES, NAMES, RECORDS, event
from calendar_events.tests.callers import bad_fields, refusal
from calendar_events.tests.factories import EventFactory, VenueFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FAILED = (412, "rest_precondition_failed")
CONFLICT = (409, "rest_conflict")


@pytest.mark.parametrize("collection", BODIES)
def test_a_write_with_the_current_tag_succeeds_and_answers_the_next(editor, collection):
    created = editor.post(f"/{collection}", BODIES[collection])
    url = f"/{collection}/{created.json()['id']}"
    read = editor.get(url)

    updated = editor.put(url, {NAMES[collection]: "New"}, If_Match=read["ETag"])

    assert (created["ETag"], updated.status_code) == (read["ETag"], 200)
    assert updated["ETag"] == editor.get(url)["ETag"] != read["ETag"]


@pytest.mark.parametrize("collection", BODIES)
def test_a_write_cut_by_fields_has_the_tag_of_the_whole_record(editor, collection):
    created = editor.post(f"/{collection}?_fields=id", BODIES[collection])
    assert list(created.json()) == ["id"]
    url = f"/{collection}/{created.json()['id']}"
    assert created["ETag"] == editor.get(url)["ETag"]

    updated = editor.patch(
        f"{url}?_fields=slug", {NAMES[collection]: "New"}, If_Match=created["ETag"]
    )
    assert list(updated.json()) == ["slug"]
    assert updated["ETag"] == editor.get(url)["ETag"]

    deleted = editor.delete(f"{url}?_fields=id", If_Match=updated["ETag"])
    assert list(deleted.json()) == ["id"]
    if collection in RECORDS:
        restored = editor.put(url, {"status": "publish"}, If_Match=deleted["ETag"])
        assert restored.status_code == 200


def test_a_create_that_is_repeated_has_the_tag_of_the_whole_record(editor):
    answers = [
        editor.post("/events?_fields=id", event(), Idempotency_Key="once") for _ in range(2)
    ]

    url = f"/events/{answers[0].json()['id']}"
    assert {answer["ETag"] for answer in answers} == {editor.get(url)["ETag"]}


@pytest.mark.parametrize("collection", BODIES)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_write_with_an_old_tag_fails(editor, collection, method):
    created = editor.post(f"/{collection}", BODIES[collection])
    url = f"/{collection}/{created.json()['id']}"
    editor.put(url, {NAMES[collection]: "New"})

    response = editor.send(
        method, url, {NAMES[collection]: "Newer"}, If_Match=created["ETag"]
    )

    assert refusal(response) == FAILED
    assert editor.get(url).json()[NAMES[collection]] == "New"


def test_a_star_matches_whatever_is_there(editor):
    record = EventFactory()

    assert editor.put(f"/events/{record.pk}", {}, If_Match="*").status_code == 200


def test_a_weak_tag_never_matches(editor):
    created = editor.post("/events", event())

    response = editor.put(
        f"/events/{created.json()['id']}", {}, If_Match=f"W/{created['ETag']}"
    )

    assert refusal(response) == FAILED


@pytest.mark.parametrize("collection", BODIES)
@pytest.mark.parametrize("unwanted", ["*", "{etag}", "W/{etag}", '"other", {etag}'])
def test_a_write_that_the_current_tag_rules_out_fails(editor, collection, unwanted):
    created = editor.post(f"/{collection}", BODIES[collection])
    url = f"/{collection}/{created.json()['id']}"
    header = unwanted.format(etag=created["ETag"])

    written = editor.put(url, {NAMES[collection]: "New"}, If_None_Match=header)
    deleted = editor.delete(url, If_None_Match=header)

    assert [refusal(written), refusal(deleted)] == [FAILED, FAILED]
    assert editor.get(url)["ETag"] == created["ETag"]


def test_a_tag_that_the_record_has_not_rules_nothing_out(editor):
    record = EventFactory()

    response = editor.put(f"/events/{record.pk}", {}, If_None_Match='"other"')

    assert response.status_code == 200


def test_a_tag_of_an_answer_cut_by_fields_is_not_that_of_the_record(editor):
    record = EventFactory()
    cut = editor.get(f"/events/{record.pk}?_fields=id")

    response = editor.put(f"/events/{record.pk}?_fields=id", {}, If_Match=cut["ETag"])

    assert refusal(response) == FAILED


def test_a_change_of_what_is_embedded_fails_the_old_tag(editor):
    venue = VenueFactory()
    record = EventFactory(venues=[venue])
    before = editor.get(f"/events/{record.pk}")["ETag"]
    editor.put(f"/venues/{venue.pk}", {"venue": "Renamed"})

    assert refusal(editor.put(f"/events/{record.pk}", {}, If_Match=before)) == FAILED


@pytest.mark.parametrize("collection", RECORDS)
def test_if_unmodified_since_compares_the_moment_of_the_last_write(editor, collection):
    created = editor.post(f"/{collection}", BODIES[collection])
    url = f"/{collection}/{created.json()['id']}"
    earlier = http_date(1)

    assert refusal(editor.put(url, {}, If_Unmodified_Since=earlier)) == FAILED
    assert refusal(editor.delete(url, If_Unmodified_Since=earlier)) == FAILED
    current = created["Last-Modified"]
    assert editor.put(url, {}, If_Unmodified_Since=current).status_code == 200
    assert refusal(editor.put(url, {}, If_Unmodified_Since=current)) == FAILED


@pytest.mark.parametrize("collection", RECORDS)
def test_a_body_made_of_an_older_copy_is_a_conflict(editor, collection):
    copy = editor.post(f"/{collection}", BODIES[collection]).json()
    url = f"/{collection}/{copy['id']}"
    editor.put(url, {NAMES[collection]: "Somebody else's"})

    assert refusal(editor.put(url, copy)) == CONFLICT
    assert editor.get(url).json()[NAMES[collection]] == "Somebody else's"


def test_a_body_made_of_the_latest_copy_is_written(editor):
    copy = editor.post("/events", event()).json()
    url = f"/events/{copy['id']}"

    second = editor.put(url, {**copy, "title": "Second"}).json()
    third = editor.put(url, {**second, "title": "Third"})

    assert third.json()["title"] == "Third"


def test_every_write_moves_modified_utc_by_at_least_a_second(editor):
    copy = editor.post("/events", event()).json()
    seen = [copy["modified_utc"]]

    seen += [
        editor.put(f"/events/{copy['id']}", {}).json()["modified_utc"] for _ in range(3)
    ]

    assert len(set(seen)) == 4
    assert seen == sorted(seen)


def test_modified_utc_in_another_form_is_the_same_moment(editor):
    copy = editor.post("/events", event()).json()
    url = f"/events/{copy['id']}"
    iso = copy["modified_utc"].replace(" ", "T") + "Z"

    assert editor.put(url, {"modified_utc": iso}).status_code == 200
    assert refusal(editor.put(url, {"modified_utc": iso})) == CONFLICT
    assert refusal(editor.put(url, {"modified_utc": 1900000000})) == CONFLICT


@pytest.mark.parametrize("nonsense", ["yesterdayish", 5, {}, ["2031-01-01"], True])
def test_modified_utc_that_is_no_date_is_refused(editor, nonsense):
    record = EventFactory()

    response = editor.put(f"/events/{record.pk}", {"modified_utc": nonsense})

    assert bad_fields(response) == ["modified_utc"]


@pytest.mark.parametrize("value", ["", None, "2001-01-01 00:00:00", "nonsense"])
def test_modified_utc_is_ignored_on_create(editor, value):
    assert editor.post("/events", event(modified_utc=value)).status_code == 201


def test_a_conflict_comes_before_the_rest_of_the_body(editor):
    record = EventFactory()
    old = record.modified_at - timedelta(days=1)

    response = editor.put(
        f"/events/{record.pk}",
        {"modified_utc": f"{old:%Y-%m-%d %H:%M:%S}", "website": "foo"},
    )

    assert refusal(response) == CONFLICT
    assert Event.objects.get().website == ""
