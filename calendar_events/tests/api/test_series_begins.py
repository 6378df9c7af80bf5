"""An event by itself begins to repeat, and a series ends to."""

import pytest
from django.contrib.auth.models import Permission

from calendar_events.models import Event, Series, Status
from calendar_events.tests.api.test_series_scopes import days, ids
from calendar_events.tests.bodies import event
from calendar_events.tests.callers import bad_fields, caller, refusal
from calendar_events.tests.series import dates_of, yoga

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

WEEKLY = {"rrule": "FREQ=WEEKLY;COUNT=5"}


@pytest.fixture
def alone(editor):
    body = yoga(rrule=None, venue={"venue": "Hall"}, tags=["Movement"], cost="5")
    return editor.post("/events", body).json()


@pytest.fixture
def made(editor):
    answer = editor.post("/events", yoga()).json()
    return dates_of(editor, answer["recurrence"]["series"])


# Beginning


@pytest.mark.parametrize("method", ["PATCH", "PUT", "POST"])
@pytest.mark.parametrize("scope", ["", "?scope=all", "?scope=following"])
def test_an_event_that_gets_a_rule_is_the_first_of_its_dates(editor, alone, method, scope):
    response = editor.send(method, f"/events/{alone['id']}{scope}", WEEKLY)

    assert response.status_code == 200, response.content
    answer = response.json()
    assert (answer["id"], answer["slug"]) == (alone["id"], alone["slug"])
    assert answer["recurrence"]["position"] == 1
    assert answer["recurrence"]["overridden"] == []
    found = dates_of(editor, answer["recurrence"]["series"])
    assert days(found) == ["01-06", "01-13", "01-20", "01-27", "02-03"]
    assert found[1]["slug"] == f"{alone['slug']}-2031-01-13"
    for name in ("title", "cost", "venue", "start_date_details", "status"):
        assert name == "start_date_details" or found[1][name] == answer[name]
    assert [one["slug"] for one in found[4]["tags"]] == ["movement"]


def test_an_event_begins_to_repeat_at_another_time_and_under_another_title(editor, alone):
    times = {"start_date": "2031-01-07 09:00", "end_date": "2031-01-07 10:00"}
    answer = editor.patch(
        f"/events/{alone['id']}",
        {"title": "Chi", "exdate": ["2031-01-14"], **times, **WEEKLY},
    ).json()

    found = dates_of(editor, answer["recurrence"]["series"])
    assert days(found) == ["01-07", "01-21", "01-28", "02-04"]
    assert {one["title"] for one in found} == {"Chi"}
    assert Event.objects.get(pk=alone["id"]).history.count() == 2


def test_single_dates_are_given_to_an_event(editor, alone):
    answer = editor.patch(f"/events/{alone['id']}", {"rdate": ["2031-01-08"]}).json()

    assert days(dates_of(editor, answer["recurrence"]["series"])) == ["01-06", "01-08"]


def test_a_draft_begins_to_repeat_without_slugs(contributor):
    draft = contributor.post("/events", event()).json()
    contributor.patch(f"/events/{draft['id']}", WEEKLY)

    assert set(Event.objects.values_list("status", "slug")) == {(Status.DRAFT, "")}
    assert Event.objects.count() == 5


def test_an_event_in_the_trash_comes_back_and_repeats(editor, alone):
    editor.delete(f"/events/{alone['id']}")
    assert editor.patch(f"/events/{alone['id']}", WEEKLY).status_code == 410
    assert not Series.objects.exists()

    body = {"status": "publish", **WEEKLY}
    assert editor.patch(f"/events/{alone['id']}", body).json()["slug"] == alone["slug"]
    assert set(Event.objects.values_list("status", flat=True)) == {"publish"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"rrule": "FREQ=WEEKLY;BYDAY=TU"}, "rrule"),
        ({"rrule": "FREQ=DAILY;COUNT=9999"}, "rrule"),
        ({"rdate": ["2031-01-01"]}, "rdate"),
        ({"rdate": ["2031-01-06"]}, "rdate"),
        ({"exdate": ["2031-01-06"]}, "exdate"),
        ({**WEEKLY, "exdate": ["2031-01-06"]}, "exdate"),
        ({**WEEKLY, "start_date": "2031-02-30"}, "start_date"),
    ],
)
def test_what_cannot_begin_a_series_is_refused_and_changes_nothing(
    editor, alone, body, field
):
    response = editor.patch(f"/events/{alone['id']}", {"title": "New", **body})

    assert bad_fields(response) == [field]
    assert list(Event.objects.values_list("title", "series")) == [("Yoga", None)]
    assert not Series.objects.exists()


def test_a_stale_copy_begins_no_series(editor, alone):
    seen = editor.get(f"/events/{alone['id']}")["ETag"]
    editor.patch(f"/events/{alone['id']}", {"title": "Meanwhile"})

    response = editor.patch(f"/events/{alone['id']}", WEEKLY, If_Match=seen)

    assert response.status_code == 412
    assert not Series.objects.exists()


def test_who_may_not_change_or_add_begins_no_series(
    alone, stranger, subscriber, author, anonymous
):
    for who in (stranger, subscriber, author):
        response = who.patch(f"/events/{alone['id']}", WEEKLY)
        assert refusal(response) == (403, "rest_forbidden")
    assert anonymous.patch(f"/events/{alone['id']}", WEEKLY).status_code == 401
    changes_only = caller()
    names = ["change_event", "change_others_event"]
    granted = Permission.objects.filter(codename__in=names)
    changes_only.user.user_permissions.add(*granted)
    assert changes_only.patch(f"/events/{alone['id']}", {"cost": "9"}).status_code == 200
    assert changes_only.patch(f"/events/{alone['id']}", WEEKLY).status_code == 403
    assert not Series.objects.exists()


# Ending


@pytest.mark.parametrize("empty", ["", None])
@pytest.mark.parametrize("number", [0, 3])
def test_a_series_without_its_rule_is_its_first_date_alone(
    editor, anonymous, made, number, empty
):
    series = made[0]["recurrence"]["series"]
    path = f"/events/{made[number]['id']}?scope=all"
    answer = editor.patch(path, {"rrule": empty}).json()

    assert answer["id"] == made[0]["id"]
    assert "recurrence" not in answer
    assert anonymous.get(f"/events/{made[0]['id']}").json()["slug"] == made[0]["slug"]
    others = Event.objects.exclude(pk=made[0]["id"])
    assert set(others.values_list("status", "series")) == {("trash", None)}
    assert refusal(anonymous.get(f"/series/{series}")) == (404, "rest-series-not-found")
    assert not Series.objects.exists()


def test_what_follows_is_one_event_when_its_rule_is_taken_away(editor, made):
    path = f"/events/{made[2]['id']}?scope=following"
    answer = editor.patch(path, {"rrule": "", "title": "Last"}).json()

    assert answer["id"] == made[2]["id"]
    assert (answer["title"], "recurrence" in answer) == ("Last", False)
    left = dates_of(editor, made[0]["recurrence"]["series"])
    assert ids(left) == ids(made[:2])
    assert Series.objects.count() == 1


def test_single_dates_stay_without_the_rule_and_end_with_an_empty_list(editor):
    answer = editor.post("/events", yoga(rdate=["2031-01-08"])).json()
    path = f"/events/{answer['id']}?scope=all"

    answer = editor.patch(path, {"rrule": ""}).json()
    assert answer["recurrence"]["words"] == "On 2 dates"
    assert "recurrence" not in editor.patch(path, {"rdate": []}).json()
    assert not Series.objects.exists()


def test_one_date_alone_does_not_end_its_series(editor, made):
    response = editor.patch(f"/events/{made[1]['id']}", {"rrule": ""})

    assert bad_fields(response) == ["rrule"]
    assert Series.objects.count() == 1


def test_a_series_whose_first_date_is_left_out_does_not_end_with_it(editor, made):
    editor.delete(f"/events/{made[0]['id']}")
    response = editor.patch(f"/events/{made[1]['id']}?scope=all", {"rrule": ""})

    assert bad_fields(response) == ["rrule"]
    assert len(dates_of(editor, made[0]["recurrence"]["series"])) == 4


def test_what_a_series_answers_is_no_change_when_it_is_sent_back(editor):
    answer = editor.post(
        "/events", yoga(rdate=["2031-01-08"], exdate=["2031-01-20"])
    ).json()
    told = editor.get(f"/series/{answer['recurrence']['series']}").json()
    body = {"rrule": told["rule"], "rdate": told["rdate"], "exdate": told["exdate"]}

    for scope in ("this", "following", "all"):
        path = f"/events/{answer['id']}"
        response = editor.put(f"{path}?scope={scope}", editor.get(path).json() | body)
        assert response.status_code == 200, response.content
        assert response.json()["recurrence"] == answer["recurrence"]
