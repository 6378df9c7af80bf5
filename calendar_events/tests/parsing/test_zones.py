"""Time zones: what is accepted, what it is called, and agreement with the database."""

import zoneinfo
from datetime import UTC, datetime, timedelta

import pytest
from dateutil import tz as dateutil_tz
from hypothesis import example, given
from hypothesis import strategies as st

from calendar_events.parsing import dates, zones
from calendar_events.parsing.zones import ZoneError

WINTER = datetime(2031, 1, 15, 12, tzinfo=UTC)
SUMMER = datetime(2031, 7, 15, 12, tzinfo=UTC)


def offset(text, instant=WINTER):
    return instant.astimezone(zones.zone(text)).utcoffset()


@pytest.mark.parametrize(
    ("text", "name", "winter", "summer"),
    [
        ("Europe/Berlin", "Europe/Berlin", "CET", "CEST"),
        ("europe/berlin", "Europe/Berlin", "CET", "CEST"),
        ("AMERICA/NEW_YORK", "America/New_York", "EST", "EDT"),
        ("Asia/Hong_Kong", "Asia/Hong_Kong", "HKT", "HKT"),
        ("Asia/Kolkata", "Asia/Kolkata", "IST", "IST"),
        ("UTC", "UTC", "UTC", "UTC"),
        ("utc", "UTC", "UTC", "UTC"),
        ("Z", "UTC", "UTC", "UTC"),
        ("GMT", "GMT", "GMT", "GMT"),
        ("EST", "EST", "EST", "EST"),
        ("est", "EST", "EST", "EST"),
        ("CEST", "CEST", "CEST", "CEST"),
        ("UTC+2", "UTC+2", "UTC+2", "UTC+2"),
        ("utc-5:30", "UTC-5:30", "UTC-5:30", "UTC-5:30"),
        ("UTC+5.75", "UTC+5.75", "UTC+5.75", "UTC+5.75"),
        ("UTC 2", "UTC+2", "UTC+2", "UTC+2"),  # the plus of a query string is a blank
        (" utc+2 ", "UTC+2", "UTC+2", "UTC+2"),
        (" -02:00", "-02:00", "GMT-0200", "GMT-0200"),
        ("+02:00", "+02:00", "GMT+0200", "GMT+0200"),
        (" 02:00", "+02:00", "GMT+0200", "GMT+0200"),
        ("-0530", "-0530", "GMT-0530", "GMT-0530"),
        ("GMT+2", "GMT+2", "GMT+0200", "GMT+0200"),
        # Zones whose name in the database is a number.
        ("Asia/Dubai", "Asia/Dubai", "GMT+0400", "GMT+0400"),
        ("America/Sao_Paulo", "America/Sao_Paulo", "GMT-0300", "GMT-0300"),
    ],
)
def test_a_zone_has_a_name_and_an_abbreviation(text, name, winter, summer):
    assert zones.name(text) == name
    assert dates.abbreviation(text, WINTER) == winter
    assert dates.abbreviation(text, SUMMER) == summer


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("UTC+2", 2),
        ("UTC-5:30", -5.5),
        ("UTC+5.5", 5.5),
        ("+02:00", 2),
        ("-0530", -5.5),
        ("+14", 14),
        ("\N{MINUS SIGN}03:00", -3),
        ("Z", 0),
        ("EST", -5),
        ("EDT", -4),
        ("CET", 1),
        ("CEST", 2),
        ("CST", -6),
        ("BST", 1),
        ("JST", 9),
        ("AEST", 10),
        ("NZDT", 13),
        ("NST", -3.5),
    ],
)
def test_an_offset_or_abbreviation_is_the_same_all_year(text, hours):
    assert offset(text, WINTER) == offset(text, SUMMER) == timedelta(hours=hours)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "Mars/Olympus",
        "foo",
        "../../etc/passwd",
        "\0",
        "UTC\0",
        "+24:00",
        "+02:60",
        "+1:2",
        "UTC++2",
        "UTC+5.3",
        "02:00",
        "localtime",
        "Factory",
        "posix/Europe/Berlin",
        "\N{FULLWIDTH PLUS SIGN}02:00",
        "+\N{ARABIC-INDIC DIGIT TWO}",
        "\ud800",
        "x" * 10_000,
    ],
)
def test_what_is_no_zone_is_refused(text):
    with pytest.raises(ZoneError):
        zones.zone(text)


def test_an_abbreviation_with_several_meanings_is_refused_with_the_reason():
    with pytest.raises(ZoneError, match="several meanings"):
        zones.zone("IST")


@pytest.mark.parametrize(
    ("instant", "zone", "wall"),
    [
        (datetime(9999, 12, 31, 23, tzinfo=UTC), "+14:00", "9999-12-31 23:59:59"),
        (datetime(1, 1, 1, tzinfo=UTC), "-12:00", "0001-01-01 00:00:00"),
        (datetime(1, 1, 1, tzinfo=UTC), "America/New_York", "0001-01-01 00:00:00"),
    ],
)
def test_an_instant_at_the_edge_of_the_calendar_is_shown_at_the_edge(instant, zone, wall):
    shown = dates.localtime(instant, zones.zone(zone))

    assert str(shown.replace(tzinfo=None)) == wall


ZONE_NAMES = sorted(
    name
    for name in zoneinfo.available_timezones()
    if "/" in name and not name.startswith(("posix", "right"))
)


@given(st.sampled_from(ZONE_NAMES), st.booleans(), st.datetimes(timezones=st.just(UTC)))
def test_every_name_of_the_database_is_itself_in_any_case(name, is_upper, instant):
    zone = zones.zone(name.upper() if is_upper else name.lower())

    assert zone == zoneinfo.ZoneInfo(name)
    assert zones.name(name.swapcase()) == name
    called = dates.abbreviation(name, instant)
    assert called.isalpha() or called.startswith("GMT")


@given(
    st.sampled_from(ZONE_NAMES),
    st.integers(0, 2**31).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
)
def test_offsets_agree_with_dateutil(name, instant):
    theirs = dateutil_tz.gettz(name)

    assert instant.astimezone(zones.zone(name)).utcoffset() == (
        instant.astimezone(theirs).utcoffset()
    )


@given(st.integers(-(24 * 60 - 1), 24 * 60 - 1), st.sampled_from(["", "UTC", "GMT"]))
def test_every_offset_of_less_than_a_day_is_read(minutes, prefix):
    sign = "-" if minutes < 0 else "+"
    text = f"{prefix}{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"

    assert offset(text) == timedelta(minutes=minutes)
    assert zones.name(text) == text


@given(st.one_of(st.text(max_size=20), st.text("UTCGMT+-:. 0123456789", max_size=10)))
@example("UTC+")
@example("+0:0:0")
@example("+01:30:15")
def test_any_text_is_a_zone_that_is_found_again_by_its_name_or_refused(text):
    try:
        zone = zones.zone(text)
    except ZoneError:
        return

    assert zones.zone(zones.name(text)) == zone
    assert zones.name(zones.name(text)) == zones.name(text)
    assert dates.abbreviation(text, WINTER)
