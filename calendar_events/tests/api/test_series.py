"""Events that repeat: what a create makes, what is refused, lists, and the series."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calendar_events.models import Event, Series, Status
from calendar_events.tests.bodies import event
from calendar_events.tests.callers import bad_fields, refusal
from calendar_events.tests.factories import EventFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NEW_YEAR = datetime.fromisoformat("2031-01-01 12:00")


def yoga(**changes):
    """A class every Monday evening in Berlin, five times."""
    monday = {
        "title": "Yoga",
        "start_date": "2031-01-06 18:00:00",
        "end_date": "2031-01-06 19:30:00",
        "timezone": "Europe/Berlin",
        "rrule": "FREQ=WEEKLY;COUNT=5",
    }
    return event(**monday | changes)


@pytest.fixture
def first(editor):
    response = editor.post("/events", yoga())
    assert response.status_code == 201, response.json()
    return response.json()


def dates_of(caller, series):
    """The occurrences of a series as a list shows them."""
    found = caller.get(f"/events?series={series}&per_page=50&starts_after=2000-01-01")
    return found.json()["events"]


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


REFUSED_RULES = {
    "FREQ=SECONDLY": "needs FREQ, which is DAILY, WEEKLY, MONTHLY or YEARLY.",
    "COUNT=3": "needs FREQ, which is DAILY, WEEKLY, MONTHLY or YEARLY.",
    "FREQ=DAILY;BYSECOND=1": "must not have BYSECOND: each date begins at the same time.",
    "FREQ=DAILY;BYHOUR=9": "must not have BYHOUR: each date begins at the same time.",
    "FREQ=DAILY;BYEASTER=1": "has a part that is not known: BYEASTER=1.",
    "FREQ=DAILY;FREQ=WEEKLY": "has FREQ twice.",
    "FREQ=DAILY;COUNT=0": "must have COUNT from 1 to 2000.",
    "FREQ=DAILY;COUNT=2001": "must have COUNT from 1 to 2000.",
    "FREQ=DAILY;COUNT=-1": "must have COUNT from 1 to 2000.",
    "FREQ=DAILY;COUNT=1e3": "must have COUNT from 1 to 2000.",
    "FREQ=DAILY;COUNT=\u0663": "must have COUNT from 1 to 2000.",
    "FREQ=DAILY;COUNT=99999999999999999999": "must have COUNT from 1 to 2000.",
    "FREQ=DAILY;INTERVAL=-2": "must have INTERVAL from 1 to 1000.",
    "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0": "must have BYSETPOS from 1 to 366.",
    "FREQ=MONTHLY;BYMONTHDAY=0": "must have BYMONTHDAY from 1 to 31.",
    "FREQ=YEARLY;BYMONTH=-1": "must have BYMONTH from 1 to 12.",
    "FREQ=DAILY;BYDAY=": "has a part that is not known: BYDAY=.",
    "FREQ = DAILY": "has a part that is not known: FREQ = DAILY.",
    "FREQ=MINUTELY": "needs FREQ, which is DAILY, WEEKLY, MONTHLY or YEARLY.",
    "FREQ=DAILY;BYMINUTE=5": "must not have BYMINUTE: each date begins at the same time.",
    "RSCALE=CHINESE;FREQ=YEARLY": "has a part that is not known: RSCALE=CHINESE.",
    "EXRULE:FREQ=DAILY": "has a part that is not known: EXRULE:FREQ=DAILY.",
    "FREQ=DAILY;COUNT=2\nRRULE:FREQ=WEEKLY": "must be one rule in one line.",
    "DTSTART:20310106T180000\nRRULE:FREQ=DAILY": "must be one rule in one line.",
    "FREQ=DAILY;UNTIL=2031-01-08": "has an UNTIL that is no date, such as 20310131.",
    "FREQ=DAILY;UNTIL=20310108T250000": "has an UNTIL that is no date, such as 20310131.",
    "FREQ=DAILY;UNTIL=20310106T160000Z": "has an UNTIL before the start.",
    "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6": "has no date: there is no such day.",
    "FREQ=DAILY;INTERVAL=7;BYDAY=TU": "has no date: there is no such day.",
    "FREQ=DAILY;COUNT=2;UNTIL=20310201": "has either COUNT or UNTIL, not both.",
    "FREQ=DAILY;INTERVAL=0": "must have INTERVAL from 1 to 1000.",
    "FREQ=DAILY;UNTIL=20310101": "has an UNTIL before the start.",
    "FREQ=DAILY;UNTIL=20310230": "has an UNTIL that is no date, such as 20310131.",
    "FREQ=DAILY;UNTIL=20990101": "has more than 2000 dates: let it end sooner.",
    "FREQ=YEARLY;UNTIL=99990101": "does not end within 100 years.",
    "FREQ=WEEKLY;INTERVAL=900;COUNT=2000": "does not end within 100 years.",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30": "has no date: there is no such day.",
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30": "has no date: there is no such day.",
    "FREQ=MONTHLY;BYMONTHDAY=32": "must have BYMONTHDAY from 1 to 31.",
    "FREQ=MONTHLY;BYDAY=XX": "has a BYDAY that is no day, such as MO or -1FR: XX.",
    "FREQ=WEEKLY;BYDAY=1MO": "must not number days where FREQ is WEEKLY.",
    "FREQ=WEEKLY;BYMONTHDAY=1": "must not have BYMONTHDAY where FREQ is WEEKLY.",
    "FREQ=DAILY;BYSETPOS=1": "has BYSETPOS and nothing that it chooses from.",
    "FREQ=DAILY;WKST=XX": "has a WKST that is no day: MO to SU.",
    "FREQ=WEEKLY;BYDAY=TU": "does not give the start; its first date is 2031-01-07.",
}  # fmt: skip


@pytest.mark.parametrize("rule", REFUSED_RULES)
def test_a_rule_that_cannot_be_used_is_refused_with_a_sentence(editor, rule):
    response = editor.post("/events", yoga(rrule=rule))
    assert response.status_code == 400
    assert response.json()["data"]["params"] == {"rrule": REFUSED_RULES[rule]}
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    "rule", ["FREQ=MONTHLY;BYDAY=53MO", "FREQ=YEARLY;BYMONTH=12;BYDAY=-6MO"]
)
def test_a_rule_numbers_no_day_of_a_month_beyond_5(editor, rule):
    response = editor.post("/events", yoga(rrule=rule))
    assert response.status_code == 400
    assert response.json()["data"]["params"] == {
        "rrule": "must not number days of a month beyond 5."
    }


@pytest.mark.parametrize(
    ("day", "changes", "status"),
    [
        ("9999-12-30", {"rrule": "FREQ=DAILY"}, 201),
        ("9999-12-30", {"rrule": "FREQ=WEEKLY;BYDAY=TH,SU"}, 201),
        ("9999-12-31", {"rrule": "FREQ=DAILY", "all_day": True}, 201),
        ("0001-01-01", {"rrule": "FREQ=YEARLY;BYWEEKNO=-8,-45"}, 400),
    ],
)
def test_a_series_may_reach_the_first_and_the_last_day_of_the_calendar(
    editor, day, changes, status
):
    times = {"start_date": f"{day} 10:00", "end_date": f"{day} 11:00"}
    response = editor.post("/events", yoga(**times | changes))
    assert response.status_code == status, response.content
    if status == 201:
        series = response.json()["recurrence"]["series"]
        assert editor.get(f"/series/{series}.ics").status_code == 200


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"rrule": 7}, "rrule"),
        ({"rrule": "FREQ=DAILY;" * 60}, "rrule"),
        ({"rdate": 7}, "rdate"),
        ({"rdate": ["2031-02-30"]}, "rdate"),
        ({"rdate": ["2030-01-01"]}, "rdate"),
        ({"rdate": ["2031-01-06 17:59"]}, "rdate"),
        ({"rdate": ["2031-01-13 25:00"]}, "rdate"),
        ({"rdate": "RDATE:20310113T200000"}, "rdate"),
        ({"rrule": "", "rdate": ["2031-01-06"]}, "rdate"),
        ({"rrule": "", "exdate": ["2031-01-06"]}, "exdate"),
        ({"rrule": ["FREQ=DAILY;COUNT=2", "FREQ=WEEKLY;COUNT=2"]}, "rrule"),
        ({"rrule": True}, "rrule"),
        ({"rrule": {"freq": "daily"}}, "rrule"),
        ({"rdate": ["2031-01-07"] * 2001}, "rdate"),
        ({"exdate": [["2031-01-06"]]}, "exdate"),
        ({"exdate": ["x" * 65]}, "exdate"),
        ({"exdate": ["2031-01-07"]}, "exdate"),
        ({"exdate": ["2031-01-13T18:00:00Z"]}, "exdate"),
        ({"rdate": ["2031-01-08 20:00"], "exdate": ["2031-01-08"]}, "exdate"),
        ({"exdate": ["9999-01-01"], "rrule": "FREQ=DAILY"}, "exdate"),
        ({"recurrence": 7}, "recurrence"),
        ({"recurrence": ["RRULE:FREQ=DAILY", "EXDATE:20310107T180000"]}, "recurrence"),
        ({"recurrence": {"rules": [{"type": "Weekly"}]}}, "recurrence"),
        ({"recurrence": {"rrule": "FREQ=DAILY;COUNT=2", "rdate": 7}}, "recurrence"),
        ({"start_date": "2031-01-06 26:00"}, "start_date"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"rrule": "FREQ=DAILY;COUNT=1", "exdate": ["2031-01-06"]}, "exdate"),
    ],
)
def test_what_is_no_recurrence_is_refused_by_field(editor, changes, field):
    response = editor.post("/events", yoga(**changes))
    assert response.status_code == 400
    assert list(bad_fields(response)) == [field]


def test_a_member_of_recurrence_that_cannot_be_used_is_named(editor):
    body = yoga(rrule=None, recurrence={"rrule": "FREQ=DAILY;COUNT=2", "exdate": 7})
    assert bad_fields(editor.post("/events", body)) == ["recurrence"]
    sentence = editor.post("/events", body).json()["data"]["params"]["recurrence"]
    assert sentence == "cannot be used: exdate must be a list of dates."


def test_what_leaves_out_no_date_is_named(editor):
    response = editor.post("/events", yoga(exdate=["2031-01-13", "2031-01-14"]))
    assert response.json()["data"]["params"] == {
        "exdate": "has 2031-01-14 18:00:00, which is no date of the series."
    }


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
