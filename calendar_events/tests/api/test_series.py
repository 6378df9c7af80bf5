"""Events that repeat: what a create makes of a rule and single dates."""

from datetime import UTC, datetime

import pytest

from calendar_events.models import Event, Series, Status
from calendar_events.tests.bodies import event
from calendar_events.tests.factories import EventFactory
from calendar_events.tests.series import dates_of, yoga

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def first(editor):
    response = editor.post("/events", yoga())
    assert response.status_code == 201, response.json()
    return response.json()


def test_a_rule_makes_an_event_of_each_date(editor, anonymous, first):
    series = first["recurrence"]["series"]
    assert first["recurrence"] == {
        "series": series,
        "rule": "FREQ=WEEKLY;COUNT=5",
        "words": "Every week, 5 times",
        "original_start": "2031-01-06 18:00:00",
        "original_start_utc": "2031-01-06 17:00:00",
        "position": 1,
        "total": 5,
        "overridden": [],
        "links": {
            "series": f"http://testserver/platform/events/v1/series/{series}",
            "occurrences": f"http://testserver/platform/events/v1/events?series={series}",
            "calendar": f"http://testserver/platform/events/v1/series/{series}.ics",
        },
    }
    events = dates_of(anonymous, series)
    assert [one["start_date"] for one in events] == [
        f"2031-{day} 18:00:00" for day in ("01-06", "01-13", "01-20", "01-27", "02-03")
    ]
    assert [one["recurrence"]["position"] for one in events] == [1, 2, 3, 4, 5]
    assert len({one["id"] for one in events}) == 5
    assert [one["slug"] for one in events][:2] == ["yoga-2031-01-06", "yoga-2031-01-13"]


def test_the_answer_has_the_address_of_the_first_occurrence(editor):
    response = editor.post("/events", yoga())
    assert response["Location"] == response.json()["rest_url"]
    assert response.json()["recurrence"]["position"] == 1


def test_an_event_by_itself_has_no_recurrence(editor):
    assert "recurrence" not in editor.post("/events", event()).json()


@pytest.mark.parametrize("nothing", [{"rules": []}, {"rules": [], "exclusions": None}, []])
def test_an_object_that_says_nothing_makes_no_series(editor, nothing):
    made = editor.post("/events", event(recurrence=nothing))
    sent = {"title": "Other", "recurrence": nothing}
    changed = editor.patch(f"/events/{made.json()['id']}", sent)

    assert (made.status_code, changed.status_code) == (201, 200)
    assert "recurrence" not in made.json()
    assert "recurrence" not in changed.json()


def test_the_clock_on_the_wall_stays_the_same_across_summer_time(editor, anonymous):
    body = yoga(start_date="2031-03-24 18:00:00", end_date="2031-03-24 19:30:00")
    series = editor.post("/events", body).json()["recurrence"]["series"]
    events = dates_of(anonymous, series)
    assert {one["start_date"][11:] for one in events} == {"18:00:00"}
    assert [one["utc_start_date"][11:13] for one in events] == [
        "17",
        "16",
        "16",
        "16",
        "16",
    ]


def test_a_date_in_the_hour_that_clocks_skip_begins_an_hour_later(editor, anonymous):
    body = yoga(
        start_date="2031-03-29 02:30:00",
        end_date="2031-03-29 03:30:00",
        rrule="FREQ=DAILY;COUNT=3",
    )
    series = editor.post("/events", body).json()["recurrence"]["series"]
    events = dates_of(anonymous, series)
    assert [one["start_date"][8:] for one in events] == [
        "29 02:30:00", "30 03:30:00", "31 02:30:00",
    ]  # fmt: skip
    assert events[1]["recurrence"]["original_start"] == "2031-03-30 02:30:00"
    assert events[1]["utc_end_date"] >= events[1]["utc_start_date"]


def test_dates_are_added_and_left_out(editor, anonymous):
    body = yoga(rdate=["2031-01-08", "2031-02-10 20:00:00"], exdate=["2031-01-20"])
    answer = editor.post("/events", body).json()
    events = dates_of(anonymous, answer["recurrence"]["series"])
    assert [one["start_date"][5:] for one in events] == [
        *("01-06 18:00:00", "01-08 18:00:00", "01-13 18:00:00", "01-27 18:00:00"),
        *("02-03 18:00:00", "02-10 20:00:00"),
    ]
    # What is left out keeps its place.
    assert [one["recurrence"]["position"] for one in events] == [1, 2, 3, 5, 6, 7]
    assert answer["recurrence"]["total"] == 7
    assert answer["recurrence"]["words"] == "Every week, 5 times, and on 2 further dates"


def test_single_dates_make_a_series_without_a_rule(editor, anonymous):
    body = yoga(rrule="", rdate="2031-01-08,2031-01-09")
    answer = editor.post("/events", body).json()
    assert answer["recurrence"]["rule"] == ""
    assert answer["recurrence"]["words"] == "On 3 dates"
    assert len(dates_of(anonymous, answer["recurrence"]["series"])) == 3


@pytest.mark.parametrize(
    "recurrence",
    [
        {"rrule": "FREQ=WEEKLY;COUNT=5"},
        {"rule": "RRULE:FREQ=WEEKLY;COUNT=5"},
        "freq=weekly;count=5",
    ],
)
def test_the_rule_may_come_in_an_object(editor, recurrence):
    body = yoga(rrule=None, recurrence=recurrence)
    assert editor.post("/events", body).json()["recurrence"]["total"] == 5


def test_a_form_may_carry_a_rule(editor):
    response = editor.form("POST", "/events", yoga())
    assert response.json()["recurrence"]["total"] == 5


def test_whole_days_repeat(editor, anonymous):
    body = yoga(all_day=True, rrule="FREQ=MONTHLY;UNTIL=20310306")
    answer = editor.post("/events", body).json()
    assert answer["recurrence"]["rule"] == "FREQ=MONTHLY;UNTIL=20310306"
    events = dates_of(anonymous, answer["recurrence"]["series"])
    assert [(one["start_date"], one["end_date"]) for one in events][-1] == (
        "2031-03-06 00:00:00",
        "2031-03-06 23:59:59",
    )


def test_the_end_of_a_rule_is_answered_in_utc(editor):
    answer = editor.post("/events", yoga(rrule="FREQ=WEEKLY;UNTIL=20310120T180000")).json()
    assert answer["recurrence"]["rule"] == "FREQ=WEEKLY;UNTIL=20310120T225959Z"
    assert answer["recurrence"]["total"] == 3
    assert answer["recurrence"]["words"] == "Every week, until 20 January 2031"


def test_a_date_given_twice_is_one(editor, anonymous):
    body = yoga(rdate=["2031-01-08", "2031-01-08 18:00", "2031-01-13", "2031-01-06"])
    answer = editor.post("/events", body).json()
    assert answer["recurrence"]["total"] == 6
    found = dates_of(anonymous, answer["recurrence"]["series"])
    assert [one["recurrence"]["position"] for one in found] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("start", "rule", "expected"),
    [
        ("2032-02-29", "FREQ=YEARLY;COUNT=3", ["2032-02-29", "2036-02-29", "2040-02-29"]),
        ("2031-01-31", "FREQ=MONTHLY;COUNT=3", ["2031-01-31", "2031-03-31", "2031-05-31"]),
        (
            "2031-01-06",
            "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1,-1;COUNT=4",
            ["2031-01-06", "2031-01-28", "2031-02-03", "2031-02-25"],
        ),
        # RFC 5545: with another first day of the week it is another Sunday.
        (
            "2031-01-07",
            "FREQ=WEEKLY;INTERVAL=2;COUNT=3;BYDAY=TU,SU;WKST=MO",
            ["2031-01-07", "2031-01-12", "2031-01-21"],
        ),
        (
            "2031-01-07",
            "FREQ=WEEKLY;INTERVAL=2;COUNT=3;BYDAY=TU,SU;WKST=SU",
            ["2031-01-07", "2031-01-19", "2031-01-21"],
        ),
    ],
)
def test_a_rule_gives_the_dates_of_rfc_5545(editor, settings, start, rule, expected):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "SERIES_HORIZON_MONTHS": 120}
    times = {"start_date": f"{start} 10:00", "end_date": f"{start} 11:00"}
    answer = editor.post("/events", yoga(**times, rrule=rule)).json()
    found = dates_of(editor, answer["recurrence"]["series"])
    assert [one["start_date"][:10] for one in found] == expected
    assert answer["recurrence"]["total"] == len(expected)


def test_dates_that_last_longer_than_their_distance_overlap(editor, anonymous):
    times = {"start_date": "2031-01-06 10:00", "end_date": "2031-01-08 11:00"}
    answer = editor.post("/events", yoga(**times, rrule="FREQ=DAILY;COUNT=3")).json()
    found = dates_of(anonymous, answer["recurrence"]["series"])
    assert [one["end_date"][5:16] for one in found] == [
        *("01-08 11:00", "01-09 11:00", "01-10 11:00"),
    ]


def test_an_hour_that_comes_twice_is_the_first(editor, anonymous):
    times = {"start_date": "2031-10-25 02:30", "end_date": "2031-10-25 03:30"}
    answer = editor.post("/events", yoga(**times, rrule="FREQ=DAILY;COUNT=3")).json()
    found = dates_of(anonymous, answer["recurrence"]["series"])
    assert [one["utc_start_date"][8:16] for one in found] == [
        *("25 00:30", "26 00:30", "27 01:30"),
    ]


def test_a_rule_without_an_end_reaches_the_horizon(editor, settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "SERIES_HORIZON_MONTHS": 3}
    answer = editor.post("/events", yoga(rrule="FREQ=WEEKLY")).json()
    assert answer["recurrence"]["total"] is None
    last = Event.objects.latest("start_utc")
    assert last.start_utc == datetime(2031, 3, 31, 16, tzinfo=UTC)
    series = editor.get(f"/series/{answer['recurrence']['series']}").json()
    assert series["notice"] == (
        "Its dates exist as far as 2031-04-06; further ones are added as time goes on."
    )


def test_a_rule_without_an_end_is_cut_at_the_bound_and_says_so(editor, settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "SERIES_MAX_OCCURRENCES": 4}
    answer = editor.post("/events", yoga(rrule="FREQ=DAILY")).json()
    assert Event.objects.count() == 4
    series = editor.get(f"/series/{answer['recurrence']['series']}").json()
    assert series["notice"] == ("A series has at most 4 dates: no further ones are added.")


def test_an_idempotency_key_makes_one_series(editor):
    answers = [editor.post("/events", yoga(), Idempotency_Key="a") for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert Series.objects.count() == 1
    assert Event.objects.count() == 5


def test_a_refused_series_leaves_nothing(editor):
    response = editor.post("/events", yoga(venue=999))
    assert response.status_code == 400
    assert not Series.objects.exists()


def test_who_may_not_publish_makes_drafts(contributor):
    answer = contributor.post("/events", yoga()).json()
    assert answer["status"] == "draft"
    assert set(Event.objects.values_list("status", "slug")) == {(Status.DRAFT, "")}


def test_who_may_not_create_makes_nothing(subscriber, anonymous):
    assert subscriber.post("/events", yoga()).status_code == 403
    assert anonymous.post("/events", yoga()).status_code == 401
    assert not Series.objects.exists()


def test_a_slug_that_is_taken_gets_a_number(editor):
    EventFactory(slug="yoga-2031-01-13")
    editor.post("/events", yoga())
    slugs = Event.objects.filter(position=2).values_list("slug", flat=True)
    assert list(slugs) == ["yoga-2"] or list(slugs) == ["yoga"]


def test_the_occurrences_share_what_the_event_brings_with_it(editor, anonymous):
    body = yoga(venue={"venue": "Hall"}, tags=["Movement"])
    answer = editor.post("/events", body).json()
    events = dates_of(anonymous, answer["recurrence"]["series"])
    assert {one["venue"]["id"] for one in events} == {answer["venue"]["id"]}
    assert events[0]["tags"][0]["count"] == 5


def test_an_occurrence_sent_back_changes_nothing(editor, first):
    again = editor.put(f"/events/{first['id']}", first)
    assert again.status_code == 200, again.json()
    assert again.json()["recurrence"] == first["recurrence"]
    assert Event.objects.count() == 5


def test_each_occurrence_has_a_history(editor, first):
    event = Event.objects.get(pk=first["id"])
    assert event.history.count() == 1
    assert event.history.get().history_user_id == editor.user.pk


# Lists
