"""Series as lists and their own document show them, and to whom."""

from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calendar_events.models import Event
from calendar_events.tests.callers import bad_fields, refusal
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.series import dates_of, yoga

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NEW_YEAR = datetime.fromisoformat("2031-01-01 12:00")


@pytest.fixture
def first(editor):
    response = editor.post("/events", yoga())
    assert response.status_code == 201, response.json()
    return response.json()


def test_expand_false_shows_the_next_date_of_each_series(editor, anonymous, first):
    EventFactory(start=NEW_YEAR, title="Alone")
    found = anonymous.get("/events?expand=false&starts_after=2031-01-08").json()
    assert [one["recurrence"]["position"] for one in found["events"]] == [2]
    everything = anonymous.get("/events?expand=false&starts_after=2020-01-01").json()
    assert [one["title"] for one in everything["events"]] == ["Alone", "Yoga"]
    assert everything["total"] == 2
    assert "expand=false" in everything["rest_url"]


def test_expand_false_shows_the_last_date_where_all_are_over(editor, anonymous):
    body = yoga(start_date="2021-01-04 18:00:00", end_date="2021-01-04 19:30:00")
    editor.post("/events", body)
    found = anonymous.get("/events?expand=false&starts_after=2020-01-01").json()
    assert [one["recurrence"]["position"] for one in found["events"]] == [5]


def test_expand_false_counts_what_the_list_would_show(editor, anonymous, first):
    trashed = Event.objects.get(position=1)
    editor.delete(f"/events/{trashed.pk}")
    found = anonymous.get("/events?expand=false&starts_after=2030-01-01").json()
    assert [one["recurrence"]["position"] for one in found["events"]] == [2]
    searched = anonymous.get("/events?expand=false&search=yoga&starts_after=2031-01-28")
    assert [one["recurrence"]["position"] for one in searched.json()["events"]] == [5]


def test_expand_false_keeps_protected_events(anonymous, editor, first):
    EventFactory(protected=True, title="Secret", start=NEW_YEAR)
    found = anonymous.get("/events?expand=false&starts_after=2030-01-01").json()
    assert [one["title"] for one in found["events"]] == ["Secret", "Yoga"]


@pytest.mark.parametrize("year", [2001, 2031])
def test_a_series_is_shown_whole_whenever_it_is(editor, anonymous, year):
    day = f"{year}-01-0{8 - datetime(year, 1, 1).weekday()}"  # noqa: DTZ001 -- a Monday
    dates = {"start_date": f"{day} 18:00:00", "end_date": f"{day} 19:30:00"}
    made = editor.post("/events", yoga(**dates)).json()["recurrence"]
    address = made["links"]["occurrences"].partition("/v1")[2]
    EventFactory()

    shown = anonymous.get(address).json()

    assert [one["recurrence"]["position"] for one in shown["events"]] == [1, 2, 3, 4, 5]
    assert shown["total"] == 5
    assert anonymous.get(f"{address}&starts_after={day}").json()["total"] == 4
    feed = b"".join(anonymous.get(f"/events.ics?series={made['series']}"))
    assert feed.count(b"BEGIN:VEVENT") == 5
    assert anonymous.get(f"{address}&expand=false").json()["total"] == 1


def test_an_unknown_series_is_refused_by_name(anonymous):
    response = anonymous.get("/events?series=7")
    assert refusal(response) == (400, "rest_invalid_param")
    assert list(bad_fields(response)) == ["series"]


def test_a_series_of_drafts_is_no_series_to_others(contributor, anonymous):
    series = contributor.post("/events", yoga()).json()["recurrence"]["series"]
    assert anonymous.get(f"/events?series={series}").status_code == 400
    assert refusal(anonymous.get(f"/series/{series}")) == (404, "rest-series-not-found")
    assert contributor.get(f"/series/{series}").status_code == 200


# The series


def test_a_series_tells_its_rule_and_its_dates(editor, anonymous, first):
    series = first["recurrence"]["series"]
    answer = anonymous.get(f"/series/{series}?per_page=2&page=2").json()
    assert answer["rule"] == "FREQ=WEEKLY;COUNT=5"
    assert answer["words"] == "Every week, 5 times"
    assert answer["start_date"] == "2031-01-06 18:00:00"
    assert answer["end_date"] == "2031-01-06 19:30:00"
    assert answer["timezone"] == "Europe/Berlin"
    assert (answer["total"], answer["notice"]) == (5, "")
    assert (answer["occurrences_total"], answer["total_pages"]) == (5, 3)
    assert [one["position"] for one in answer["occurrences"]] == [3, 4]
    root = f"http://testserver/platform/events/v1/series/{series}"
    assert answer["next_rest_url"] == f"{root}?per_page=2&page=3"
    assert answer["previous_rest_url"] == f"{root}?per_page=2&page=1"
    one = anonymous.get(f"/events/{answer['occurrences'][0]['id']}")
    assert one.json()["start_date"] == answer["occurrences"][0]["start_date"]


def test_a_series_has_a_tag_that_a_write_of_any_date_changes(editor, anonymous, first):
    address = f"/series/{first['recurrence']['series']}"
    before = anonymous.get(address)
    assert anonymous.get(address, If_None_Match=before["ETag"]).status_code == 304
    other = Event.objects.get(position=4)
    editor.patch(f"/events/{other.pk}", {"title": "Elsewhere"})
    after = anonymous.get(address, If_None_Match=before["ETag"])
    assert after.status_code == 200
    # That of another date stays.
    assert editor.get(f"/events/{first['id']}").json()["modified"] == first["modified"]


@pytest.mark.parametrize("page", ["page=9", "page=x", "per_page=0"])
def test_a_page_that_is_none_is_refused(anonymous, first, page):
    response = anonymous.get(f"/series/{first['recurrence']['series']}?{page}")
    assert response.status_code in {400, 404}


def test_unknown_series_is_404(anonymous):
    assert refusal(anonymous.get("/series/7")) == (404, "rest-series-not-found")
    assert anonymous.get("/series/" + "9" * 5000).status_code == 404


def test_a_list_of_occurrences_costs_no_more_with_more(editor, anonymous):
    series = [
        editor.post("/events", yoga(rrule=f"FREQ=WEEKLY;COUNT={n}")).json() for n in (3, 30)
    ]
    counts = []
    for one in series:
        pk = one["recurrence"]["series"]
        paths = [f"/events?series={pk}&per_page=50", f"/series/{pk}?per_page=50"]
        with CaptureQueriesContext(connection) as queries:
            for path in [*paths, "/events?expand=false&per_page=50"]:
                assert anonymous.get(path).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


# Who sees which dates


UNSEEN = {
    "hidden": ({"hide_from_listings": True}, 200),
    "draft": ({"status": "draft"}, 403),
    "private": ({"status": "private"}, 403),
    "to be published": ({"status": "publish", "date": "2030-12-01 10:00:00"}, 403),
    "in the trash": ({"status": "trash"}, 403),
}


@pytest.mark.parametrize(("change", "alone"), UNSEEN.values(), ids=UNSEEN)
@pytest.mark.parametrize("day", ["01-13", "02-10"], ids=["of the rule", "single"])
def test_a_series_tells_nothing_of_a_date_that_lists_do_not_show(
    editor, anonymous, stranger, day, change, alone
):
    body = yoga(rdate=["2031-02-10 20:00:00", "2031-02-12"], title="Yoga")
    series = editor.post("/events", body).json()["recurrence"]["series"]
    address = f"/series/{series}"
    found = dates_of(editor, series)
    pk = next(one["id"] for one in found if one["start_date"][5:10] == day)
    editor.patch(f"/events/{pk}", {"title": "Secret", **change})

    for who in (anonymous, stranger):
        told = who.get(f"{address}?per_page=50").json()
        assert pk not in [one["id"] for one in told["occurrences"]]
        assert told["occurrences_total"] == len(told["occurrences"]) == 6
        left_out = told["exdate"]  # what is in the trash is told as left out
        assert ("2031-02-10 20:00:00" in told["rdate"]) == (
            day == "01-13" or "2031-02-10 20:00:00" in left_out
        )
        assert "2031-02-12 18:00:00" in told["rdate"]
        for path in (f"{address}.ics", "/events.ics?starts_after=2031-01-01&expand=false"):
            calendar = b"".join(who.get(path)).decode()
            assert "Secret" not in calendar
            assert "20310210T200000" not in calendar or day == "01-13"
            is_told = "EXDATE;TZID=Europe/Berlin:20310113T180000" in calendar
            assert is_told == (day == "01-13")
    if change.get("status") != "trash":
        assert pk in [
            one["id"] for one in editor.get(f"{address}?per_page=50").json()["occurrences"]
        ]
    assert anonymous.get(f"/events/{pk}").status_code == alone


def test_a_series_of_hidden_dates_is_for_its_own(editor, author, anonymous, stranger):
    answer = author.post("/events", yoga(hide_from_listings=True)).json()
    pk, address = answer["id"], f"/series/{answer['recurrence']['series']}"

    for who in (anonymous, stranger):
        assert who.get(f"/events/{pk}").status_code == 200
        for path in (address, f"{address}.ics"):
            assert refusal(who.get(path)) == (404, "rest-series-not-found")
        assert who.get(f"/events?series={address[8:]}").status_code == 400
    for who in (editor, author):
        seen = who.get(address)
        assert seen.json()["occurrences_total"] == 5
        changed = who.patch(f"/events/{pk}?scope=all", {"cost": "5"}, If_Match=seen["ETag"])
        assert changed.status_code == 200


def test_a_protected_date_shows_what_lists_show_of_it(editor, anonymous, first):
    protected = Event.objects.get(position=2)
    protected.password = "sesame"
    protected.save()

    told = anonymous.get(f"/series/{first['recurrence']['series']}").json()

    assert told["occurrences"][1]["title"] == "Yoga"
    assert set(told["occurrences"][1]) == set(told["occurrences"][0])


def test_a_cancelled_date_is_marked_in_its_series(editor, anonymous, first):
    editor.patch(f"/events/{first['id']}", {"event_status": "cancelled"})

    told = anonymous.get(f"/series/{first['recurrence']['series']}").json()

    assert told["occurrences"][0]["event_status"] == "cancelled"
    assert "event_status" not in told["occurrences"][1]
