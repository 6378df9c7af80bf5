"""The month in admin: what is on which day, at the same price however much is on."""

from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from calendar_events.models import Event
from calendar_events.tests.admin.test_desk import desk_of, url
from calendar_events.tests.factories import EventFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def at(text):
    return datetime.fromisoformat(text)


def event(start, end=None, **fields):
    return EventFactory(start=at(start), end=at(end or start), **fields)


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


def month(client, **query):
    response = client.get(url(Event, "month"), query)
    assert response.status_code == 200
    return response


def days(response):
    """Return the days that have something, with the titles."""
    return {
        str(each.day): [event.title for event in each.events]
        for week in response.context["weeks"]
        for each in week
        if each.events
    }


def test_events_stand_on_the_day_on_which_they_begin_where_they_are(editor):
    event("2031-01-15 23:30:00", title="Late", timezone="America/New_York")
    event("2031-01-15 08:00:00", title="Early", timezone="Asia/Tokyo")
    event("2031-01-31 23:59:59", title="Last")
    event("2031-02-01 00:00:00", title="In the last week")
    event("2031-02-03 00:00:00", title="After it")
    event("2030-12-30 00:00:00", title="In the first week")

    page = month(editor, month="2031-01")

    assert days(page) == {
        "2030-12-30": ["In the first week"],
        "2031-01-15": ["Early", "Late"],
        "2031-01-31": ["Last"],
        "2031-02-01": ["In the last week"],
    }


def test_the_events_lead_to_their_forms_and_say_their_status_and_end(editor):
    draft = event("2031-01-15 08:00:00", "2031-01-17 10:00:00", draft=True, slug="")
    event("2031-01-16 00:00:00", "2031-01-16 23:59:59", all_day=True, title="Whole day")
    event("2031-01-16 08:00:00", trashed=True, title="Thrown away")

    text = month(editor, month="2031-01").content.decode()

    assert f'href="{url(Event, "change", draft.pk)}"' in text
    assert "<em>Draft</em>" in text
    assert "until 17 January" in text
    assert "Whole day" in text
    assert "00:00" not in text
    assert "Thrown away" not in text


def test_what_goes_on_into_the_month_is_above_it(editor):
    for number in range(7):
        event("2030-12-01 08:00:00", "2031-01-10 10:00:00", title=f"Fair {number}")
    event("2030-12-01 08:00:00", "2030-12-30 00:00:00", title="Over")

    page = month(editor, month="2031-01")

    assert [each.title for each in page.context["going_on"]] == [
        f"Fair {number}" for number in range(5)
    ]
    assert "and others" in page.content.decode()


def test_a_full_day_shows_the_first_and_leads_to_the_list_of_all(editor):
    for number in range(8):
        event(f"2031-01-15 {10 + number}:00:00", title=f"Talk {number}")
    other = event("2031-01-16 10:00:00")

    page = month(editor, month="2031-01")
    text = page.content.decode()
    listed = editor.get(url(Event, "changelist"), {"day": "2031-01-15"})

    assert days(page)["2031-01-15"] == [f"Talk {number}" for number in range(5)]
    assert "3 more on 15 January" in text
    assert f"{url(Event, 'changelist')}?day=2031-01-15" in text
    assert listed.context["cl"].result_count == 8
    assert other not in listed.context["cl"].result_list


def test_the_month_costs_the_same_however_much_is_on(editor):
    def cost():
        with CaptureQueriesContext(connection) as statements:
            month(editor, month="2031-01")
        return len(statements)

    event("2031-01-15 10:00:00")
    event("2030-12-01 10:00:00", "2031-01-15 10:00:00")
    cost()  # once: content types are remembered, and the session is written back
    few = cost()
    for day in range(1, 29):
        event(f"2031-01-{day:02} 10:00:00")
        event("2030-12-01 10:00:00", "2031-01-15 10:00:00")

    # session, user, permissions, groups, events, going on
    assert cost() == few <= 6


@pytest.mark.parametrize(
    ("asked", "before", "after"),
    [
        ("2031-01", "?month=2030-12", "?month=2031-02"),
        ("1900-01", "", "?month=1900-02"),
        ("2199-12", "?month=2199-11", ""),
    ],
)
def test_the_months_before_and_after_are_a_click_away(editor, asked, before, after):
    page = month(editor, month=asked)

    assert (page.context["previous"], page.context["next"]) == (before, after)


@pytest.mark.parametrize(
    "bad",
    [
        *("", "0000-00", "9999-13", "9999-12", "2031-13", "2031-1", "x", "2031-01-01"),
        *("٢٠٣١-٠١", "9" * 5000),  # noqa: RUF001 -- Arabic digits
    ],
)
def test_what_is_no_month_is_said_and_this_month_shown(editor, bad):
    page = month(editor, month=bad)

    assert "This is no month that can be shown." in page.content.decode()
    assert f'name="month" value="{timezone.now():%Y-%m}"' in page.content.decode()


def test_an_array_of_months_is_its_last(editor):
    page = editor.get(f"{url(Event, 'month')}?month=2031-01&month=2031-02&month[]=x")

    assert 'name="month" value="2031-02"' in page.content.decode()


@pytest.mark.parametrize("day", ["", "x", "2031-02-30", "9999-12-31"])
def test_what_is_no_day_is_no_error(editor, day):
    assert editor.get(url(Event, "changelist"), {"day": day}).status_code in {200, 302}


def test_an_event_is_added_on_a_day(editor):
    text = month(editor, month="2031-01").content.decode()

    link = f"{url(Event, 'add')}?start_date=2031-01-15+09%3A00%3A00"
    form = editor.get(link).content.decode()

    assert link in text
    assert 'value="2031-01-15T09:00:00"' in form


def test_a_reader_looks_and_adds_nothing(db):
    page = month(desk_of(roles=["reader"]), month="2031-01")

    assert "desk-add" not in page.content.decode()
    assert desk_of().get(url(Event, "month")).status_code == 403


def test_staff_of_the_platform_choose_an_institution(db):
    operator = desk_of(is_superuser=True)
    event("2031-01-15 08:00:00", title="Here")
    event("2031-01-15 08:00:00", title="There", institution="1002")

    both = month(operator, month="2031-01")
    one = month(operator, month="2031-01", institution="1002")
    unknown = month(operator, month="2031-01", institution="1'--")

    assert days(both)["2031-01-15"] == days(unknown)["2031-01-15"] == ["Here", "There"]
    assert days(one)["2031-01-15"] == ["There"]
    assert one.context["next"] == "?month=2031-02&institution=1002"
    assert "day=2031-01-15&amp;institution=1002" not in both.content.decode()
