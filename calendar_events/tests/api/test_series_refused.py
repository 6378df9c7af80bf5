"""What cannot repeat, refused by field."""

import pytest

from calendar_events.models import Event
from calendar_events.tests.callers import bad_fields
from calendar_events.tests.series import yoga

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


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
    "FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=1": "must not have BYSETPOS where FREQ is WEEKLY.",
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
