"""Edits and deletions of one occurrence, of all that follow, and of the whole series."""

import pytest

from calendar_events.models import Event, Series, Status
from calendar_events.tests.callers import bad_fields, caller, refusal
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.series import dates_of, yoga

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def made(editor):
    """Five Mondays, as they are answered."""
    answer = editor.post("/events", yoga()).json()
    return dates_of(editor, answer["recurrence"]["series"])


def shown(caller, *ids):
    return [caller.get(f"/events/{pk}").json() for pk in ids]


def days(events):
    return [one["start_date"][5:10] for one in events]


def ids(events):
    return [one["id"] for one in events]


# One


def test_an_edit_is_of_one_occurrence_by_default(editor, made):
    answer = editor.patch(f"/events/{made[1]['id']}", {"title": "Yoga outside"}).json()

    assert answer["recurrence"]["overridden"] == ["title"]
    series = answer["recurrence"]["series"]
    assert [one["title"] for one in dates_of(editor, series)] == [
        *("Yoga", "Yoga outside", "Yoga", "Yoga", "Yoga")
    ]


def test_a_moved_occurrence_keeps_its_original_start(editor, made):
    moved = {"start_date": "2031-01-15 09:00:00", "end_date": "2031-01-15 10:30:00"}
    answer = editor.patch(f"/events/{made[1]['id']}?scope=this", moved).json()

    assert answer["start_date"] == "2031-01-15 09:00:00"
    assert answer["recurrence"]["original_start"] == "2031-01-13 18:00:00"
    assert answer["recurrence"]["overridden"] == ["end_date", "start_date"]
    assert answer["recurrence"]["position"] == 2


def test_links_of_one_occurrence_are_overrides(editor, made):
    change = {"venue": {"venue": "Park"}, "tags": ["outside"]}
    answer = editor.patch(f"/events/{made[1]['id']}", change).json()

    assert answer["recurrence"]["overridden"] == ["categories", "tags", "venue"]
    editor.patch(f"/events/{made[0]['id']}?scope=all", {"venue": {"venue": "Hall"}})
    venues = [one["venue"]["venue"] for one in shown(editor, *ids(made))]
    assert venues == ["Hall", "Park", "Hall", "Hall", "Hall"]


@pytest.mark.parametrize("field", ["rrule", "rdate", "exdate"])
def test_the_rule_is_no_matter_of_one_occurrence(editor, made, field):
    value = "FREQ=DAILY;COUNT=2" if field == "rrule" else ["2031-01-20"]
    response = editor.patch(f"/events/{made[1]['id']}", {field: value})

    assert bad_fields(response) == [field]


def test_an_event_by_itself_has_no_other_scope(editor):
    event = EventFactory()
    response = editor.patch(f"/events/{event.pk}?scope=all", {"title": "New"})

    assert response.json()["title"] == "New"
    assert "recurrence" not in response.json()


def test_an_unknown_scope_is_refused_by_name(editor, made):
    for response in (
        editor.patch(f"/events/{made[0]['id']}?scope=some", {"title": "New"}),
        editor.delete(f"/events/{made[0]['id']}?scope=some"),
    ):
        assert response.status_code == 400
        params = response.json()["data"]["params"]
        assert params == {"scope": "This must be one of this, following, all."}


# All


@pytest.mark.parametrize("number", [0, 3])
def test_an_edit_of_all_leaves_overrides_alone(editor, made, number):
    editor.patch(f"/events/{made[1]['id']}", {"title": "Yoga outside"})

    change = {"title": "Pilates", "cost": "5"}
    answer = editor.patch(f"/events/{made[number]['id']}?scope=all", change).json()

    assert answer["id"] == made[number]["id"]
    events = shown(editor, *ids(made))
    assert [one["title"] for one in events] == [
        *("Pilates", "Yoga outside", "Pilates", "Pilates", "Pilates")
    ]
    assert {one["cost"] for one in events} == {"$5"}


def test_who_edits_all_from_an_override_ends_it(editor, made):
    editor.patch(f"/events/{made[1]['id']}", {"title": "Yoga outside"})
    answer = editor.patch(f"/events/{made[1]['id']}?scope=all", {"title": "Chi"}).json()

    assert answer["recurrence"]["overridden"] == []
    assert {one["title"] for one in shown(editor, *ids(made))} == {"Chi"}


def test_another_time_of_all_keeps_identifiers_and_moved_dates(editor, made):
    moved = {"start_date": "2031-01-15 09:00:00", "end_date": "2031-01-15 10:30:00"}
    editor.patch(f"/events/{made[1]['id']}", moved)

    later = {"start_date": "2031-01-20 19:00:00", "end_date": "2031-01-20 21:00:00"}
    editor.patch(f"/events/{made[2]['id']}?scope=all", later)

    events = shown(editor, *ids(made))
    assert [one["start_date"][5:] for one in events] == [
        *("01-06 19:00:00", "01-15 09:00:00", "01-20 19:00:00"),
        *("01-27 19:00:00", "02-03 19:00:00"),
    ]
    assert events[0]["end_date"] == "2031-01-06 21:00:00"
    assert events[1]["recurrence"]["original_start"] == "2031-01-13 19:00:00"


def test_another_day_of_all_moves_a_rule_that_names_its_day(editor):
    answer = editor.post("/events", yoga(rrule="FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4")).json()
    before = dates_of(editor, answer["recurrence"]["series"])

    tuesday = {"start_date": "2031-01-07 18:00:00", "end_date": "2031-01-07 19:30:00"}
    moved = editor.patch(f"/events/{answer['id']}?scope=all", tuesday).json()

    assert moved["recurrence"]["rule"] == "FREQ=WEEKLY;COUNT=4;BYDAY=TU,TH"
    assert days(shown(editor, *ids(before))) == ["01-07", "01-09", "01-14", "01-16"]


def test_another_day_that_the_rule_does_not_follow_is_refused(editor):
    answer = editor.post("/events", yoga(rrule="FREQ=MONTHLY;BYDAY=1MO;COUNT=4")).json()
    tuesday = {"start_date": "2031-01-07 18:00:00", "end_date": "2031-01-07 19:30:00"}
    response = editor.patch(f"/events/{answer['id']}?scope=all", tuesday)

    assert bad_fields(response) == ["start_date"]
    with_rule = {**tuesday, "rrule": "FREQ=MONTHLY;BYDAY=1TU;COUNT=4"}
    assert editor.patch(f"/events/{answer['id']}?scope=all", with_rule).status_code == 200


def test_a_new_rule_keeps_the_dates_that_stay(editor, made):
    answer = editor.patch(
        f"/events/{made[0]['id']}?scope=all", {"rrule": "FREQ=WEEKLY;INTERVAL=2;COUNT=4"}
    ).json()

    series = answer["recurrence"]["series"]
    events = dates_of(editor, series)
    assert days(events) == ["01-06", "01-20", "02-03", "02-17"]
    assert ids(events)[:3] == [made[0]["id"], made[2]["id"], made[4]["id"]]
    assert [one["recurrence"]["position"] for one in events] == [1, 2, 3, 4]
    # What the rule no longer gives is in the trash, by itself.
    dropped = Event.objects.get(pk=made[1]["id"])
    assert (dropped.status, dropped.series_id) == (Status.TRASH, None)


def test_dates_are_left_out_and_come_back_under_their_identifiers(editor, made):
    address = f"/events/{made[0]['id']}?scope=all"
    editor.patch(address, {"exdate": ["2031-01-20"]})
    series = made[0]["recurrence"]["series"]
    assert days(dates_of(editor, series)) == ["01-06", "01-13", "01-27", "02-03"]

    editor.patch(address, {"exdate": []})
    assert ids(dates_of(editor, series)) == ids(made)


def test_dates_are_added(editor, made):
    editor.patch(f"/events/{made[0]['id']}?scope=all", {"rdate": ["2031-01-08"]})

    events = dates_of(editor, made[0]["recurrence"]["series"])
    assert days(events) == ["01-06", "01-08", "01-13", "01-20", "01-27", "02-03"]
    assert {one["recurrence"]["total"] for one in events} == {6}
    assert events[1]["slug"] == "yoga-2031-01-08"


def test_another_zone_keeps_the_clock_on_the_wall(editor, made):
    editor.patch(f"/events/{made[0]['id']}?scope=all", {"timezone": "America/New_York"})

    events = shown(editor, *ids(made))
    assert {one["start_date"][11:] for one in events} == {"18:00:00"}
    assert {one["utc_start_date"][11:] for one in events} == {"23:00:00"}
    assert events[0]["recurrence"]["original_start_utc"] == "2031-01-06 23:00:00"


def test_all_are_published_at_once(contributor, editor):
    answer = contributor.post("/events", yoga()).json()
    response = editor.patch(f"/events/{answer['id']}?scope=all", {"status": "publish"})

    assert response.json()["slug"] == "yoga-2031-01-06"
    assert set(Event.objects.values_list("status", flat=True)) == {Status.PUBLISH}


def test_a_bad_rule_of_a_change_is_refused_by_field_and_changes_nothing(editor, made):
    for scope in ("all", "following"):
        response = editor.patch(
            f"/events/{made[2]['id']}?scope={scope}", {"rrule": "FREQ=DAILY;COUNT=9999"}
        )
        assert bad_fields(response) == ["rrule"]
    assert Series.objects.count() == 1
    assert days(dates_of(editor, made[0]["recurrence"]["series"])) == days(made)


# This and all that follow


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_series_is_not_cut_by_those_who_may_not_change_its_earlier_dates(
    contributor, editor, method
):
    answer = contributor.post("/events", yoga()).json()
    series = answer["recurrence"]["series"]
    first, _, third, *_ = contributor.get(f"/series/{series}").json()["occurrences"]
    editor.patch(f"/events/{first['id']}", {"status": "publish"})

    response = contributor.send(
        method, f"/events/{third['id']}?scope=following", {"title": "Pilates"}
    )

    assert refusal(response) == (403, "rest_forbidden")
    assert Series.objects.get().rule == "FREQ=WEEKLY;COUNT=5"
    assert not Event.objects.filter(title="Pilates").exists()


def test_an_edit_of_what_follows_makes_a_series_of_it(editor, made):
    answer = editor.patch(
        f"/events/{made[2]['id']}?scope=following", {"title": "Pilates"}
    ).json()

    events = shown(editor, *ids(made))
    assert [one["title"] for one in events] == [
        *("Yoga", "Yoga", "Pilates", "Pilates", "Pilates")
    ]
    before, after = events[0]["recurrence"], events[2]["recurrence"]
    assert before["series"] == made[0]["recurrence"]["series"] != after["series"]
    assert before["rule"] == "FREQ=WEEKLY;UNTIL=20310119T225959Z"
    assert after["rule"] == "FREQ=WEEKLY;COUNT=3"
    assert [one["recurrence"]["position"] for one in events] == [1, 2, 1, 2, 3]
    assert [one["recurrence"]["total"] for one in events] == [2, 2, 3, 3, 3]
    assert answer == {name: events[2][name] for name in answer}


def test_what_follows_the_first_is_all(editor, made):
    editor.patch(f"/events/{made[0]['id']}?scope=following", {"title": "Pilates"})

    assert Series.objects.count() == 1
    assert {one["title"] for one in shown(editor, *ids(made))} == {"Pilates"}


def test_another_rule_from_a_date_on(editor, made):
    change = {"rrule": "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=4"}
    answer = editor.patch(f"/events/{made[3]['id']}?scope=following", change).json()

    events = dates_of(editor, answer["recurrence"]["series"])
    assert days(events) == ["01-27", "01-30", "02-03", "02-06"]
    assert [events[0]["id"], events[2]["id"]] == [made[3]["id"], made[4]["id"]]
    assert days(dates_of(editor, made[0]["recurrence"]["series"])) == days(made[:3])


def test_overrides_survive_a_split(editor, made):
    editor.patch(f"/events/{made[3]['id']}", {"title": "Yoga outside"})
    editor.patch(f"/events/{made[2]['id']}?scope=following", {"title": "Pilates"})

    titles = [one["title"] for one in shown(editor, *ids(made))]
    assert titles == ["Yoga", "Yoga", "Pilates", "Yoga outside", "Pilates"]


def test_a_split_at_a_single_date_goes_on_with_the_rule(editor):
    answer = editor.post("/events", yoga(rdate=["2031-01-08"])).json()
    before = dates_of(editor, answer["recurrence"]["series"])

    editor.patch(f"/events/{before[1]['id']}?scope=following", {"title": "Pilates"})

    events = shown(editor, *ids(before))
    assert days(events) == ["01-06", "01-08", "01-13", "01-20", "01-27", "02-03"]
    assert [one["title"] for one in events] == ["Yoga"] + ["Pilates"] * 5
    assert [one["recurrence"]["total"] for one in events] == [1, 5, 5, 5, 5, 5]


def test_a_split_at_a_single_date_keeps_the_earlier_date_of_its_day(editor):
    answer = editor.post("/events", yoga(rdate=["2031-01-13 20:00"])).json()
    before = dates_of(editor, answer["recurrence"]["series"])

    editor.patch(f"/events/{before[2]['id']}?scope=following", {"title": "Pilates"})

    events = shown(editor, *ids(before))
    assert days(events) == ["01-06", "01-13", "01-13", "01-20", "01-27", "02-03"]
    assert [one["title"] for one in events] == ["Yoga"] * 2 + ["Pilates"] * 4
    told = editor.get(f"/series/{answer['recurrence']['series']}").json()
    assert (told["rule"], told["total"]) == ("FREQ=WEEKLY;UNTIL=20310113T225959Z", 2)


# Deleting


def test_one_occurrence_in_the_trash_is_left_out_and_comes_back(editor, anonymous, made):
    series = made[0]["recurrence"]["series"]
    assert editor.delete(f"/events/{made[1]['id']}").json()["status"] == "trash"
    assert anonymous.get(f"/series/{series}").json()["exdate"] == ["2031-01-13 18:00:00"]

    editor.patch(f"/events/{made[0]['id']}?scope=all", {"cost": "5"})
    assert Event.objects.get(pk=made[1]["id"]).status == Status.TRASH

    editor.patch(f"/events/{made[1]['id']}", {"status": "publish"})
    assert anonymous.get(f"/series/{series}").json()["exdate"] == []
    assert ids(dates_of(anonymous, series)) == ids(made)


def test_one_occurrence_is_deleted_for_good(editor, made):
    assert editor.delete(f"/events/{made[1]['id']}?force=true").status_code == 200
    editor.patch(f"/events/{made[0]['id']}?scope=all", {"rrule": "FREQ=WEEKLY;COUNT=6"})

    events = dates_of(editor, made[0]["recurrence"]["series"])
    assert days(events) == ["01-06", "01-20", "01-27", "02-03", "02-10"]


def test_the_last_occurrence_takes_its_series_along(editor, made):
    for one in made:
        editor.delete(f"/events/{one['id']}?force=true")

    assert not Series.objects.exists()


def test_what_follows_goes_to_the_trash_and_comes_back(editor, anonymous, made):
    answer = editor.delete(f"/events/{made[2]['id']}?scope=following")
    assert answer.json()["status"] == "trash"
    assert days(dates_of(anonymous, made[0]["recurrence"]["series"])) == days(made[:2])

    editor.patch(f"/events/{made[2]['id']}?scope=all", {"status": "publish"})
    assert days(shown(anonymous, *ids(made))) == days(made)


def test_all_go_to_the_trash_and_come_back(editor, anonymous, made):
    editor.delete(f"/events/{made[1]['id']}")
    assert editor.delete(f"/events/{made[2]['id']}?scope=all").status_code == 200
    assert not Event.objects.exclude(status=Status.TRASH).exists()
    assert editor.delete(f"/events/{made[2]['id']}?scope=all").status_code == 410
    assert editor.patch(f"/events/{made[2]['id']}?scope=all", {}).status_code == 410

    editor.patch(f"/events/{made[2]['id']}?scope=all", {"status": "publish"})
    back = dates_of(anonymous, made[0]["recurrence"]["series"])
    assert ids(back) == [made[0]["id"], *ids(made[2:])]


@pytest.mark.parametrize(("scope", "left"), [("following", 2), ("all", 0)])
def test_occurrences_are_deleted_for_good(editor, made, scope, left):
    response = editor.delete(f"/events/{made[2]['id']}?scope={scope}&force=true")

    assert response.json()["id"] == made[2]["id"]
    assert Event.objects.count() == left
    assert Series.objects.count() == (1 if left else 0)


# Who may, and what was seen


def test_one_s_own_series_only(author, made):
    for response in (
        author.patch(f"/events/{made[0]['id']}?scope=all", {"title": "Mine"}),
        author.delete(f"/events/{made[0]['id']}?scope=all"),
    ):
        assert response.status_code == 403
    assert Event.objects.filter(title="Yoga").count() == 5


def test_one_foreign_occurrence_is_in_the_way_of_all(author):
    answer = author.post("/events", yoga()).json()
    other = caller("editor")
    third = Event.objects.get(position=3)
    other.patch(f"/events/{third.pk}", {"author": other.user.pk})

    response = author.patch(f"/events/{answer['id']}?scope=all", {"title": "Mine"})

    assert response.status_code == 403
    assert not Event.objects.filter(title="Mine").exists()


def test_another_institution_is_refused(stranger, made):
    response = stranger.patch(f"/events/{made[0]['id']}?scope=all", {"title": "Ours"})

    assert response.status_code == 403


def test_if_match_is_about_the_series_at_its_scope(editor, made):
    series = f"/series/{made[0]['recurrence']['series']}"
    tag = editor.get(series)["ETag"]
    one = editor.get(f"/events/{made[0]['id']}")["ETag"]
    address = f"/events/{made[0]['id']}?scope=all"
    # Another occurrence is written meanwhile.
    editor.patch(f"/events/{made[3]['id']}", {"title": "Elsewhere"})

    stale = editor.patch(address, {"title": "New"}, If_Match=tag)
    assert refusal(stale) == (412, "rest_precondition_failed")
    assert editor.delete(address, If_Match=tag).status_code == 412
    assert editor.patch(address, {"title": "New"}, If_Match=one).status_code == 412
    # Of the occurrence by itself nothing has changed.
    single = editor.patch(f"/events/{made[0]['id']}", {"cost": "5"}, If_Match=one)
    assert single.status_code == 200
    fresh = editor.get(series)["ETag"]
    assert editor.patch(address, {"title": "New"}, If_Match=fresh).status_code == 200


def test_a_stale_copy_is_a_conflict_at_every_scope(editor, made):
    body = {"title": "New", "modified_utc": "2020-01-01 00:00:00"}
    response = editor.patch(f"/events/{made[0]['id']}?scope=all", body)

    assert response.status_code == 409


def test_each_occurrence_has_its_history(editor, made):
    editor.patch(f"/events/{made[2]['id']}?scope=following", {"title": "Pilates"})

    last = Event.objects.get(pk=made[4]["id"]).history.latest()
    assert (last.title, last.history_user_id) == ("Pilates", editor.user.pk)
