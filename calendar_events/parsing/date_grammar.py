"""The grammar of dates: from a text to a ``Reading``.

Callers of the observed peer send what PHP's ``strtotime`` understands
(contract clients 5). No library reads the same texts and nothing else:
``dateutil.parser`` fills gaps by guessing (``10`` is a day of this month) and knows no
``next friday``; parsers of ISO 8601 know no words. So the text is cut into tokens here,
and the arithmetic of the calendar is left to dateutil. Each kind of token may come
once, amounts more often, the zone last:
``[weekday] [date or word] [amounts [ago]] [time] [zone]``. What is not understood
completely is refused.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, time, timedelta
from functools import lru_cache

from dateutil.relativedelta import relativedelta

from calendar_events.parsing import zones
from calendar_events.parsing.date_reading import OUTSIDE, DateError, Reading, Weekday

MAX_LENGTH = 100

_NOT_UNDERSTOOD = (
    "This is not a date. Use YYYY-MM-DD, YYYY-MM-DD HH:MM:SS, or words such as"
    " tomorrow 9am, next friday or +2 weeks."
)
_NO_SUCH_DATE = "There is no such date in the calendar."
_NO_SUCH_TIME = "There is no such time of day."

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august",
    "september", "october", "november", "december",
)  # fmt: skip
_UNITS: dict[str, timedelta | relativedelta] = {
    # Up to hours: elapsed time, whatever clocks do meanwhile.
    "sec": timedelta(seconds=1),
    "second": timedelta(seconds=1),
    "min": timedelta(minutes=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    # From days on: the same time of day on another day.
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "fortnight": relativedelta(weeks=2),
    "month": relativedelta(months=1),
    "year": relativedelta(years=1),
}
_STEPS = {"next": 1, "last": -1, "previous": -1, "this": 0}


@lru_cache(maxsize=256)
def read(text: str) -> Reading:
    """Read a text completely. Raises ``DateError``.

    Remembered, because one write asks several times: is it a date, do both make a schedule.
    """
    if len(text) > MAX_LENGTH:
        raise DateError(f"A date has at most {MAX_LENGTH} characters.")
    rest = " ".join(text.split()).lower()
    if not rest:
        raise DateError("A date cannot be empty.")
    if number := re.fullmatch(r"(@?)([+-]?)([0-9]+)", rest):
        return _number(*number.groups())
    reading, seen = Reading(), set[str]()
    while rest:
        kind, reading, rest = _token(reading, rest)
        if kind in seen:
            raise DateError(_NOT_UNDERSTOOD)
        if kind != "amount":
            seen.add(kind)
    if seen <= {"zone", "ago"} and not reading.has_amount:
        raise DateError(_NOT_UNDERSTOOD)
    return _checked(reading)


def _number(at: str, sign: str, digits: str) -> Reading:
    """Read digits alone: Unix seconds, ``YYYYMMDD`` or ``YYYY``; ``@`` is always Unix."""
    if at or len(digits) >= 9:
        return Reading(unix=int(sign + digits), precision="time")
    if len(digits) == 8 and not sign:
        return Reading(day=_date(digits[:4], digits[4:6], digits[6:]))
    if len(digits) == 4 and not sign:
        return Reading(day=_date(digits, 1, 1), precision="year")
    raise DateError(
        "A number is a year (YYYY), a date (YYYYMMDD) or Unix seconds (9 digits or more)."
    )


def _token(reading: Reading, rest: str) -> tuple[str, Reading, str]:
    """Return the kind of the first token, the reading with it, and the rest."""
    if reading.clock is not None and _LOST_PLUS.fullmatch(rest):
        rest = f"+{rest}"
    for kind, pattern, add in _TOKENS:
        if match := pattern.match(rest):
            return kind, add(reading, match), rest[match.end() :].lstrip(" ,")
    try:
        return "zone", replace(reading, zone=zones.zone(rest)), ""
    except zones.ZoneError as error:
        raise DateError(_NOT_UNDERSTOOD) from error


def _checked(reading: Reading) -> Reading:
    """Refuse contradictions, and settle how exact the reading is."""
    if reading.weekday is not None:
        if reading.has_amount or reading.days_from_today is not None:
            raise DateError("A weekday can be combined with a time, with nothing else.")
        if reading.day is not None:
            if reading.weekday != Weekday(reading.day.weekday(), 0):
                raise DateError("This date is on another weekday.")
            reading = replace(reading, weekday=None)
    # An amount alone is counted from now, and keeps its time of day.
    from_now = (
        reading.has_amount and reading.day is None and reading.days_from_today is None
    )
    if reading.clock is not None or reading.is_now or reading.elapsed or from_now:
        return replace(reading, precision="time")
    if reading.zone is not None:
        raise DateError("A time zone needs a time of day.")
    return reading


def _date(year: str | int, month: str | int, day: str | int) -> date:
    try:
        return date(int(year), int(month), int(day))
    except ValueError as error:
        raise DateError(_NO_SUCH_DATE) from error


def _time(hour: int, minute: int, second: int) -> time:
    try:
        return time(hour, minute, second)
    except ValueError as error:
        raise DateError(_NO_SUCH_TIME) from error


def _add_date(reading: Reading, match: re.Match[str]) -> Reading:
    return replace(reading, day=_date(match["year"], match["month"], match["day"]))


def _add_month(reading: Reading, match: re.Match[str]) -> Reading:
    return replace(reading, day=_date(match["year"], match["month"], 1), precision="month")


def _add_date_in_words(reading: Reading, match: re.Match[str]) -> Reading:
    month = next(n for n, name in enumerate(_MONTHS, 1) if name.startswith(match["month"]))
    return replace(reading, day=_date(match["year"], month, match["day"]))


def _add_day(reading: Reading, match: re.Match[str]) -> Reading:
    if match[0] == "now":
        return replace(reading, is_now=True)
    days = {"yesterday": -1, "today": 0, "tomorrow": 1}[match[0]]
    return replace(reading, days_from_today=days)


def _add_amount(reading: Reading, match: re.Match[str]) -> Reading:
    count = 1 if match["count"] in {"a", "an"} else int(match["count"])
    return _add(reading, -count if match["sign"] == "-" else count, match["unit"])


def _add_step(reading: Reading, match: re.Match[str]) -> Reading:
    return _add(reading, _STEPS[match["step"]], match["unit"])


def _add(reading: Reading, count: int, name: str) -> Reading:
    unit = _UNITS[name]
    try:
        if isinstance(unit, timedelta):
            elapsed = reading.elapsed + count * unit
            return replace(reading, elapsed=elapsed, has_amount=True)
        return replace(reading, calendar=reading.calendar + count * unit, has_amount=True)
    except OverflowError as error:
        raise DateError(OUTSIDE) from error


def _add_ago(reading: Reading, _match: re.Match[str]) -> Reading:
    """Turn round all amounts before the word: ``1 week 2 days ago``."""
    if not reading.has_amount:
        raise DateError(_NOT_UNDERSTOOD)
    return replace(reading, calendar=-reading.calendar, elapsed=-reading.elapsed)


def _add_weekday(reading: Reading, match: re.Match[str]) -> Reading:
    number = next(n for n, name in enumerate(_WEEKDAYS) if name.startswith(match["name"]))
    return replace(reading, weekday=Weekday(number, _STEPS[match["step"] or "this"]))


def _add_clock(reading: Reading, match: re.Match[str]) -> Reading:
    parts = match.groupdict()
    hour, minute, second = (int(parts.get(k) or 0) for k in ("hour", "minute", "second"))
    if (hour, minute, second) == (24, 0, 0):
        return replace(reading, clock=time.min, is_midnight_after=True)
    if half := parts.get("half"):
        if not 1 <= hour <= 12:
            raise DateError(_NO_SUCH_TIME)
        hour = hour % 12 + (12 if half == "p" else 0)
    return replace(reading, clock=_time(hour, minute, second))


def _add_time_word(reading: Reading, match: re.Match[str]) -> Reading:
    return replace(reading, clock=time(12) if match[0] == "noon" else time.min)


_STEP = r"(?P<step>next|last|previous|this)"
_UNIT = rf"(?P<unit>{'|'.join(_UNITS)})s?\b"
_WEEKDAY = rf"(?P<name>{'|'.join(f'{name}|{name[:3]}' for name in _WEEKDAYS)})\b\.?"
_MONTH = rf"(?P<month>{'|'.join(f'{name}|{name[:3]}' for name in _MONTHS)})"
_M, _D = r"(?P<month>[0-9]{1,2})", r"(?P<day>[0-9]{1,2})"
_YEAR = "(?P<year>[0-9]{4})"
_ORDINAL = rf"{_D}(?:st|nd|rd|th)?"
_CLOCK = r"t?(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})"
_BASIC_CLOCK = r"t(?P<hour>[0-9]{2})(?:(?P<minute>[0-9]{2})(?P<second>[0-9]{2})?)?"
_FRACTION = r"(?:[.,][0-9]+)?"
_HALF = r"(?P<half>[ap])\.?m\b\.?"
_END = r"(?![0-9:])"

_Add = Callable[[Reading, re.Match[str]], Reading]
# Tried from the top: where one begins like another, the longer stands first.
_TOKENS: tuple[tuple[str, re.Pattern[str], _Add], ...] = (
    ("day", re.compile(rf"{_YEAR}-{_M}-{_D}{_END}"), _add_date),
    ("day", re.compile(rf"{_YEAR}/{_M}/{_D}{_END}"), _add_date),
    ("day", re.compile(rf"{_M}/{_D}/{_YEAR}{_END}"), _add_date),
    (
        "day",
        re.compile(rf"{_YEAR}(?P<month>[0-9]{{2}})(?P<day>[0-9]{{2}}){_END}"),
        _add_date,
    ),
    ("day", re.compile(rf"{_YEAR}-(?P<month>[0-9]{{2}})(?![0-9:-])"), _add_month),
    (
        "day",
        re.compile(rf"{_ORDINAL}[ -]{_MONTH}\.?,?[ -]{_YEAR}{_END}"),
        _add_date_in_words,
    ),
    ("day", re.compile(rf"{_MONTH}\.? {_ORDINAL},? {_YEAR}{_END}"), _add_date_in_words),
    ("day", re.compile(r"(?:now|today|tomorrow|yesterday)\b"), _add_day),
    (
        "amount",
        re.compile(rf"(?P<sign>[+-]?) ?(?P<count>[0-9]+|an?) ?{_UNIT}"),
        _add_amount,
    ),
    ("amount", re.compile(rf"{_STEP} {_UNIT}"), _add_step),
    ("ago", re.compile(r"ago\b"), _add_ago),
    ("weekday", re.compile(rf"(?:{_STEP} )?{_WEEKDAY}"), _add_weekday),
    ("time", re.compile(rf"{_CLOCK}{_FRACTION})?{_END}(?: ?{_HALF})?"), _add_clock),
    ("time", re.compile(rf"(?P<hour>[0-9]{{1,2}}) ?{_HALF}"), _add_clock),
    ("time", re.compile(rf"{_BASIC_CLOCK}{_FRACTION}{_END}"), _add_clock),
    ("time", re.compile(r"(?:noon|midnight)\b"), _add_time_word),
)
# What is left of +02:00 behind a time when the plus of a query string became a blank.
_LOST_PLUS = re.compile(r"(?:0[0-9]|1[0-4]):?[0-5][0-9]")
