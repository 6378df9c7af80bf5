"""Series as iCalendar, read by the library that programs use; and occurrences to come."""

import re
from datetime import UTC, date, datetime, timedelta

import icalendar
import pytest
import recurring_ical_events
from django.core.management import call_command

from calendar_events.models import Event, Series
from calendar_events.parsing import dates
from calendar_events.services import series as service
from calendar_events.tests.callers import refusal
from calendar_events.tests.series import dates_of, yoga

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def made(editor):
    answer = editor.post("/events", yoga()).json()
    return dates_of(editor, answer["recurrence"]["series"])


def series_of(one):
    return one["recurrence"]["series"]


def calendar_of(caller, series, query=""):
    response = caller.get(f"/series/{series}.ics{query}")
    assert response.status_code == 200
    assert response["Content-Type"] == "text/calendar; charset=utf-8"
    return icalendar.Calendar.from_ical(response.content)


def starts(calendar, *, until=date(2032, 1, 1)):
    """The moments at which a program shows the dates of a calendar."""
    found = recurring_ical_events.of(calendar).between(date(1969, 1, 1), until)
    begins = [one["DTSTART"].dt for one in found]
    return sorted(
        dates.written(one.astimezone(UTC)) if isinstance(one, datetime) else str(one)
        for one in begins
    )


def answered(caller, series):
    return sorted(one["utc_start_date"] for one in dates_of(caller, series))


def test_a_series_is_one_component_with_its_rule(anonymous, made):
    calendar = calendar_of(anonymous, series_of(made[0]))

    (component,) = calendar.walk("VEVENT")
    assert component["RRULE"].to_ical() == b"FREQ=WEEKLY;COUNT=5"
    assert component["UID"] == f"series-{series_of(made[0])}@testserver"
    assert component["SUMMARY"] == "Yoga"
    assert component["DTSTART"].dt.isoformat() == "2031-01-06T18:00:00+01:00"
    assert component["DTEND"].dt.isoformat() == "2031-01-06T19:30:00+01:00"
    assert len(calendar.walk("VTIMEZONE")) == 1


def test_one_occurrence_alone_stays_available(anonymous, made):
    calendar = icalendar.Calendar.from_ical(
        anonymous.get(f"/events/{made[1]['id']}.ics").content
    )

    (component,) = calendar.walk("VEVENT")
    assert component["UID"] == f"event-{made[1]['id']}@testserver"
    assert "RRULE" not in component


def test_what_differs_is_a_component_of_its_own(editor, anonymous, made):
    moved = {"start_date": "2031-01-15 09:00:00", "end_date": "2031-01-15 10:30:00"}
    editor.patch(f"/events/{made[1]['id']}", moved)
    editor.patch(f"/events/{made[2]['id']}", {"title": "Yoga outside"})

    calendar = calendar_of(anonymous, series_of(made[0]))

    whole, second, third = calendar.walk("VEVENT")
    assert second["RECURRENCE-ID"].dt.isoformat() == "2031-01-13T18:00:00+01:00"
    assert second["DTSTART"].dt.isoformat() == "2031-01-15T09:00:00+01:00"
    assert third["SUMMARY"] == "Yoga outside"
    assert len({one["UID"] for one in (whole, second, third)}) == 1
    assert starts(calendar) == answered(anonymous, series_of(made[0]))


def test_what_is_gone_or_not_to_be_seen_is_left_out(editor, anonymous, made):
    editor.delete(f"/events/{made[0]['id']}")
    editor.delete(f"/events/{made[1]['id']}?force=true")
    editor.patch(f"/events/{made[2]['id']}", {"status": "draft"})

    calendar = calendar_of(anonymous, series_of(made[0]))
    (component,) = calendar.walk("VEVENT")
    assert "DTSTART" in component
    assert starts(calendar) == answered(anonymous, series_of(made[0]))
    assert len(starts(calendar)) == 2
    own = calendar_of(editor, series_of(made[0]))
    assert [one["STATUS"] for one in own.walk("VEVENT")] == ["CONFIRMED", "TENTATIVE"]


def test_the_sequence_rises_with_every_write(editor, anonymous, made):
    def sequence():
        events = calendar_of(anonymous, series_of(made[0])).walk("VEVENT")
        return max(one["SEQUENCE"] for one in events)

    known = [sequence()]
    for address, change in (
        (f"/events/{made[0]['id']}?scope=all", {"title": "Pilates"}),
        (f"/events/{made[1]['id']}", {"title": "Outside"}),
        (f"/events/{made[2]['id']}", {"status": "trash"}),
    ):
        assert editor.patch(address, change).status_code == 200
        known.append(sequence())
    assert known == sorted(set(known))


def test_a_protected_occurrence_shows_its_title_alone(editor, anonymous):
    body = yoga(description="The code of the door is 4711.")
    series = series_of(editor.post("/events", body).json())
    for event in Event.objects.all():
        event.password = "opensesame"
        event.save()

    closed = anonymous.get(f"/series/{series}.ics").content.decode()
    assert "SUMMARY:Yoga" in closed
    assert "4711" not in closed
    opened = anonymous.get(f"/series/{series}.ics?password=opensesame")
    assert "4711" in opened.content.decode()


def test_a_series_that_nobody_may_see_is_no_calendar(contributor, anonymous):
    series = series_of(contributor.post("/events", yoga()).json())

    assert refusal(anonymous.get(f"/series/{series}.ics"))[0] == 404
    assert refusal(anonymous.get("/series/99999.ics"))[0] == 404


def test_an_unchanged_calendar_is_not_sent_again(anonymous, made):
    address = f"/series/{series_of(made[0])}.ics"
    tag = anonymous.get(address)["ETag"]

    assert anonymous.get(address, If_None_Match=tag).status_code == 304


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"timezone": "UTC"},
        {"timezone": "UTC+5:30"},
        {"timezone": "-09:30", "rrule": "FREQ=WEEKLY;BYDAY=MO,SU;COUNT=6"},
        {"timezone": "EST"},
        {"timezone": "America/New_York", "rrule": "FREQ=DAILY;COUNT=100"},
        {"all_day": True, "rrule": "FREQ=MONTHLY;UNTIL=20310801"},
        {"rrule": "FREQ=WEEKLY;UNTIL=20310310T180000"},
        {"rdate": ["2031-01-08 09:15:00", "2031-05-05"], "exdate": ["2031-01-06"]},
        {"rrule": "", "rdate": ["2031-02-08", "2031-06-09"]},
        {"rrule": "FREQ=YEARLY;BYDAY=1MO;BYMONTH=1,4,9;COUNT=6"},
        {"rrule": "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1,-1;COUNT=11"},
    ],
)
def test_programs_show_the_dates_of_the_interface(editor, anonymous, changes):
    response = editor.post("/events", yoga(**changes))
    assert response.status_code == 201, response.json()
    series = series_of(response.json())

    expected = answered(anonymous, series)
    if changes.get("all_day"):
        expected = sorted(one["start_date"][:10] for one in dates_of(anonymous, series))
    shown = starts(calendar_of(anonymous, series), until=date(2040, 12, 1))
    if len(expected) == 50:  # a page of the list
        shown = shown[:50]
    assert shown == expected


def test_a_feed_has_a_component_for_each_occurrence(anonymous, made):
    feed = b"".join(anonymous.get("/events.ics?starts_after=2030-01-01").streaming_content)

    components = icalendar.Calendar.from_ical(feed).walk("VEVENT")
    assert [str(one["UID"]) for one in components] == [
        f"event-{one['id']}@testserver" for one in made
    ]


def test_a_feed_that_is_not_expanded_has_one_for_each_series(editor, anonymous, made):
    editor.patch(f"/events/{made[1]['id']}", {"title": "Outside"})
    single = editor.post("/events", yoga(rrule=None, title="Alone")).json()

    answer = anonymous.get("/events.ics?expand=false&starts_after=2030-01-01")
    calendar = icalendar.Calendar.from_ical(b"".join(answer.streaming_content))

    assert sorted(str(one["UID"]) for one in calendar.walk("VEVENT")) == [
        f"event-{single['id']}@testserver",
        *[f"series-{series_of(made[0])}@testserver"] * 2,
    ]
    assert len(starts(calendar)) == 6


# The nights that follow


def test_every_night_adds_what_the_horizon_reaches(editor, anonymous):
    series = series_of(editor.post("/events", yoga(rrule="FREQ=WEEKLY")).json())
    number = Event.objects.count()
    last = Event.objects.latest("start_utc")
    later = last.start_utc + timedelta(days=30)
    horizon = Series.objects.get().horizon

    # So long after the horizon of the create that four dates more are within reach.
    now = later.replace(year=later.year - 2)
    assert service.extend_all(now=now) == 4
    assert service.extend_all(now=now) == 0

    assert Event.objects.count() == number + 4
    newest = Event.objects.latest("start_utc")
    assert newest.position == last.position + 4
    assert newest.title == "Yoga"
    assert newest.slug == f"yoga-{newest.start_local:%Y-%m-%d}"
    assert newest.history.get().history_change_reason == "the series was extended"
    assert Series.objects.get().horizon > horizon
    shown = anonymous.get(f"/series/{series}").json()
    assert shown["occurrences_total"] == number + 4


def test_what_is_added_says_what_the_series_says_now(editor):
    answer = editor.post("/events", yoga(rrule="FREQ=WEEKLY", tags=["calm"])).json()
    editor.patch(f"/events/{answer['id']}?scope=all", {"title": "Pilates"})
    last = Event.objects.latest("start_utc")
    editor.patch(f"/events/{last.pk}", {"title": "Only this one"})

    later = last.start_utc + timedelta(days=8)
    service.extend_all(now=later.replace(year=later.year - 2))

    newest = Event.objects.latest("start_utc")
    assert (newest.title, newest.overridden) == ("Pilates", "")
    assert [term.name for term in newest.terms.all()] == ["calm"]


def test_what_is_added_is_not_published_because_one_date_was(contributor, editor):
    contributor.post("/events", yoga(rrule="FREQ=WEEKLY"))
    last = Event.objects.latest("start_utc")
    editor.patch(f"/events/{last.pk}", {"status": "publish"})

    later = last.start_utc + timedelta(days=8)
    service.extend_all(now=later.replace(year=later.year - 2))

    assert Event.objects.latest("start_utc").status == "draft"
    assert Event.objects.filter(status="publish").count() == 1


def test_nothing_is_added_to_what_ends_or_is_in_the_trash(editor, made, capsys):
    answer = editor.post("/events", yoga(rrule="FREQ=WEEKLY")).json()
    editor.delete(f"/events/{answer['id']}?scope=all")
    number = Event.objects.count()

    assert service.extend_all(now=datetime(2033, 1, 1, tzinfo=UTC)) == 0
    call_command("extend_series")

    assert Event.objects.count() == number
    assert re.search(r"^0 occurrences added", capsys.readouterr().out)
