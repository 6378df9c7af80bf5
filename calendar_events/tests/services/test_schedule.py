"""When an event is: walls, instants and the zone always agree."""

from datetime import UTC, datetime

import pytest

from calendar_events.services.changesets import InvalidFields
from calendar_events.services.schedule import Schedule, plan

NOW = datetime(2031, 1, 1, 12, tzinfo=UTC)


def planned(current=None, **changes):
    return plan(changes, current=current, now=NOW, site_zone="UTC")


def walls(schedule):
    return str(schedule.start_local), str(schedule.end_local)


def instants(schedule):
    return (
        f"{schedule.start_utc:%Y-%m-%d %H:%M:%S}",
        f"{schedule.end_utc:%Y-%m-%d %H:%M:%S}",
    )


@pytest.fixture
def evening():
    return planned(
        start_date="2031-01-15 19:00:00",
        end_date="2031-01-15 21:00:00",
        timezone="Europe/Berlin",
    )


def test_naive_dates_are_read_in_the_zone_of_the_event(evening):
    assert walls(evening) == ("2031-01-15 19:00:00", "2031-01-15 21:00:00")
    assert instants(evening) == ("2031-01-15 18:00:00", "2031-01-15 20:00:00")


def test_without_a_zone_the_site_zone_is_used():
    schedule = planned(start_date="2031-01-15", end_date="2031-01-16")

    assert (schedule.timezone, walls(schedule)) == (
        "UTC",
        ("2031-01-15 00:00:00", "2031-01-16 00:00:00"),
    )


@pytest.mark.parametrize("text", ["2031-01-15T10:00:00+05:00", "2031-01-15T05:00:00Z"])
def test_an_offset_is_honoured_and_converted_to_the_zone_of_the_event(text):
    schedule = planned(start_date=text, end_date="2031-01-15 23:00", timezone="Asia/Tokyo")

    assert str(schedule.start_local) == "2031-01-15 14:00:00"
    assert instants(schedule)[0] == "2031-01-15 05:00:00"


def test_a_number_of_seconds_is_converted_to_the_zone_of_the_event():
    schedule = planned(
        start_date="1900000000", end_date="1900003600", timezone="America/New_York"
    )

    assert walls(schedule) == ("2030-03-17 13:46:40", "2030-03-17 14:46:40")


def test_a_lone_start_date_is_applied(evening):
    schedule = planned(evening, start_date="2031-01-15 20:30:00")

    assert walls(schedule) == ("2031-01-15 20:30:00", "2031-01-15 21:00:00")


def test_a_lone_end_date_is_applied(evening):
    schedule = planned(evening, end_date="2031-01-16 01:00:00")

    assert walls(schedule) == ("2031-01-15 19:00:00", "2031-01-16 01:00:00")


@pytest.mark.parametrize(
    "changes",
    [{"start_date": "2031-01-15 22:00:00"}, {"end_date": "2031-01-15 18:59:59"}],
)
def test_an_end_before_the_start_is_refused_on_end_date(evening, changes):
    with pytest.raises(InvalidFields) as caught:
        planned(evening, **changes)

    assert list(caught.value.reasons) == ["end_date"]


def test_an_event_may_end_when_it_starts():
    schedule = planned(start_date="2031-01-15 19:00", end_date="2031-01-15 19:00")

    assert schedule.start_utc == schedule.end_utc


def test_a_change_of_zone_keeps_the_wall_clock_and_recomputes_utc(evening):
    schedule = planned(evening, timezone="America/New_York")

    assert walls(schedule) == walls(evening)
    assert instants(schedule) == ("2031-01-16 00:00:00", "2031-01-16 02:00:00")


def test_an_all_day_event_covers_whole_days_in_its_zone():
    schedule = planned(
        start_date="2031-01-15 09:00:00",
        end_date="2031-01-19 11:00:00",
        all_day=True,
        timezone="America/New_York",
    )

    assert walls(schedule) == ("2031-01-15 00:00:00", "2031-01-19 23:59:59")
    assert instants(schedule) == ("2031-01-15 05:00:00", "2031-01-20 04:59:59")


def test_an_event_that_becomes_all_day_covers_its_days(evening):
    assert walls(planned(evening, all_day=True)) == (
        "2031-01-15 00:00:00",
        "2031-01-15 23:59:59",
    )


def test_a_bare_year_as_the_end_of_an_all_day_event_is_its_last_day():
    schedule = planned(start_date="2031", end_date="2031", all_day=True)

    assert walls(schedule) == ("2031-01-01 00:00:00", "2031-12-31 23:59:59")


def test_a_wall_in_the_gap_of_summer_time_moves_forward():
    schedule = planned(
        start_date="2031-03-30 02:30", end_date="2031-03-30 05:00", timezone="Europe/Berlin"
    )

    assert str(schedule.start_local) == "2031-03-30 03:30:00"


def test_sending_back_a_wall_that_comes_twice_keeps_its_instant():
    second = planned(
        start_date="2031-10-26T01:30:00Z", end_date="2031-10-26T03:00:00Z",
        timezone="Europe/Berlin",
    )  # fmt: skip

    schedule = planned(
        second, start_date=str(second.start_local), end_date=str(second.end_local)
    )

    assert (str(second.start_local), schedule) == ("2031-10-26 02:30:00", second)


def test_no_change_changes_nothing(evening):
    assert planned(evening) == evening


@pytest.mark.parametrize("missing", ["start_date", "end_date"])
def test_a_new_event_needs_both_dates(missing):
    given = {"start_date": "2031-01-15", "end_date": "2031-01-15"}
    del given[missing]

    with pytest.raises(InvalidFields) as caught:
        planned(**given)

    assert caught.value.reasons == {missing: "is required."}


def test_a_date_outside_the_calendar_is_refused_in_its_zone():
    with pytest.raises(InvalidFields) as caught:
        planned(
            start_date="0001-01-01 00:00",
            end_date="9999-12-31 23:00",
            timezone="Europe/Berlin",
        )

    assert list(caught.value.reasons) == ["start_date"]


def test_a_zone_that_moves_a_stored_wall_out_of_the_calendar_is_refused():
    edge = planned(start_date="0001-01-01 00:30", end_date="0001-01-02")

    with pytest.raises(InvalidFields) as caught:
        planned(edge, timezone="+02:00")

    assert list(caught.value.reasons) == ["start_date"]


def test_a_schedule_is_read_from_and_written_to_an_event(evening):
    class Row:
        """Any object with the columns."""

        event_status = "scheduled"

    row = Row()
    evening.write_to(row)

    assert Schedule.of(row) == evening
