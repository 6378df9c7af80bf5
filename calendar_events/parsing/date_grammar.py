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
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Literal

from dateutil.relativedelta import relativedelta, weekday

from calendar_events.parsing import zones

Precision = Literal["year", "month", "day", "time"]
"""The precision with which a text named its moment."""
MAX_LENGTH = 100
OUTSIDE = "This date is outside the years 1 to 9999."
_NOT_UNDERSTOOD = (
    "This is not a date. Use YYYY-MM-DD, YYYY-MM-DD HH:MM:SS, or words such as"
    " tomorrow 9am, next friday or +2 weeks."
)
_NO_SUCH_TIME = "There is no such time of day."

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august",
    "september", "october", "november", "december",
)  # fmt: skip
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_STEPS = {"next": 1, "last": -1, "previous": -1, "this": 0}
# Up to hours: elapsed time, whatever clocks do meanwhile. From days on: the same time of
# day on another day.
_ELAPSED = {
    **dict.fromkeys(("sec", "second"), timedelta(seconds=1)),
    **dict.fromkeys(("min", "minute"), timedelta(minutes=1)),
    "hour": timedelta(hours=1),
}
_CALENDAR = {
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "fortnight": relativedelta(weeks=2),
    "month": relativedelta(months=1),
    "year": relativedelta(years=1),
}
_AT_MIDNIGHT = relativedelta(hour=0, minute=0, second=0)
_UNCHANGED = relativedelta()


class DateError(ValueError):
    """The text is no date; the message says why, for people."""


@dataclass(slots=True, kw_only=True)
class Reading:
    """The meaning of a text, apart from any clock; each ``add`` method takes a token."""

    unix: int | None = None
    day: date | None = None
    days_from_today: int | None = None
    weekday: relativedelta | None = None
    clock: relativedelta | None = None
    calendar: relativedelta = _UNCHANGED
    elapsed: timedelta = timedelta()
    has_amount: bool = False
    is_now: bool = False
    zone: tzinfo | None = None
    precision: Precision = "day"

    @property
    def keeps_the_clock(self) -> bool:
        """Whether no part of the text changes what the clock on the wall shows."""
        named = (self.day, self.days_from_today, self.weekday, self.clock)
        return all(part is None for part in named) and not self.calendar

    def wall(self, here: datetime) -> datetime:
        """Return the wall clock meant where clocks show ``here`` now.

        The last day of a shorter month stands for the days it lacks: a month after
        31 January is 28 or 29 February.

        Raises ``DateError`` when it is outside the calendar.
        """
        try:
            wall = datetime.combine(self.day, time.min) if self.day else here
            if self.days_from_today is not None or self.weekday is not None:
                wall += _AT_MIDNIGHT
            wall += timedelta(days=self.days_from_today or 0)
            for part in (self.calendar, self.weekday, self.clock):
                wall += part or _UNCHANGED
        except (OverflowError, ValueError) as error:
            raise DateError(OUTSIDE) from error
        return wall

    def add_date(self, match: re.Match[str]) -> None:
        month = match["month"]
        number = int(month) if month.isdigit() else _number_of(month, _MONTHS) + 1
        self.day = _date(match["year"], number, match["day"])

    def add_month(self, match: re.Match[str]) -> None:
        self.day, self.precision = _date(match["year"], match["month"], 1), "month"

    def add_day(self, match: re.Match[str]) -> None:
        self.is_now = match[0] == "now"
        self.days_from_today = _DAYS.get(match[0])

    def add_amount(self, match: re.Match[str]) -> None:
        """Take ``+2 weeks``, ``a day`` or ``next month``."""
        count = _STEPS.get(match["step"], 1)
        if match["count"]:
            count = int(match["count"]) if match["count"].isdigit() else 1
        if match["sign"] == "-":
            count = -count
        if match["unit"] in _ELAPSED:
            self.elapsed += count * _ELAPSED[match["unit"]]
        else:
            self.calendar += count * _CALENDAR[match["unit"]]
        self.has_amount = True

    def add_ago(self, _match: re.Match[str]) -> None:
        """Turn round all amounts before the word: ``1 week 2 days ago``."""
        if not self.has_amount:
            raise DateError(_NOT_UNDERSTOOD)
        self.calendar, self.elapsed = -self.calendar, -self.elapsed

    def add_weekday(self, match: re.Match[str]) -> None:
        """Take the next, the last, or the first from today on, as ``friday`` alone is."""
        step = _STEPS[match["step"] or "this"]
        on = weekday(_number_of(match["name"], _WEEKDAYS))
        self.weekday = relativedelta(days=step, weekday=on(-1 if step < 0 else 1))

    def add_clock(self, match: re.Match[str]) -> None:
        parts = match.groupdict()
        hour, minute, second = (
            int(parts.get(name) or 0) for name in ("hour", "minute", "second")
        )
        if (hour, minute, second) == (24, 0, 0):
            self.clock = _AT_MIDNIGHT + relativedelta(days=1)
            return
        if half := parts.get("half"):
            if not 1 <= hour <= 12:
                raise DateError(_NO_SUCH_TIME)
            hour = hour % 12 + (12 if half == "p" else 0)
        if hour > 23 or minute > 59 or second > 59:
            raise DateError(_NO_SUCH_TIME)
        self.clock = relativedelta(hour=hour, minute=minute, second=second)

    def add_time_word(self, match: re.Match[str]) -> None:
        self.clock = _AT_MIDNIGHT + relativedelta(hour=12 if match[0] == "noon" else 0)

    def complete(self) -> None:
        """Set the precision. Raises ``DateError`` for a contradiction."""
        if self.weekday is not None:
            if self.has_amount or self.days_from_today is not None:
                raise DateError("A weekday can be combined with a time, with nothing else.")
            if self.day is not None:
                if self.weekday != relativedelta(weekday=weekday(self.day.weekday())(1)):
                    raise DateError("This date is on another weekday.")
                self.weekday = None
        # An amount alone is counted from now, and keeps its time of day.
        from_now = self.has_amount and self.day is None and self.days_from_today is None
        if self.clock is not None or self.is_now or self.elapsed or from_now:
            self.precision = "time"
        elif self.zone is not None:
            raise DateError("A time zone needs a time of day.")


def _number_of(word: str, names: tuple[str, ...]) -> int:
    return next(n for n, name in enumerate(names) if name.startswith(word))


def _date(year: str, month: str | int, day: str | int) -> date:
    try:
        return date(int(year), int(month), int(day))
    except ValueError as error:
        raise DateError("There is no such date in the calendar.") from error


@lru_cache(maxsize=256)
def read(text: str) -> Reading:
    """Read a text completely. Raises ``DateError``.

    Remembered, because one write reads a date several times, so nobody may change what is
    returned.
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
        kind, rest = _take_token(reading, rest)
        if kind in seen:
            raise DateError(_NOT_UNDERSTOOD)
        if kind != "amount":
            seen.add(kind)
    if seen <= {"zone", "ago"} and not reading.has_amount:
        raise DateError(_NOT_UNDERSTOOD)
    reading.complete()
    return reading


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


def _take_token(reading: Reading, rest: str) -> tuple[str, str]:
    """Take the first token into the reading; return its kind and the rest."""
    if reading.clock is not None and _LOST_PLUS.fullmatch(rest):
        rest = f"+{rest}"
    for kind, pattern, add in _TOKENS:
        if match := pattern.match(rest):
            try:
                add(reading, match)
            except OverflowError as error:
                raise DateError(OUTSIDE) from error
            return kind, rest[match.end() :].lstrip(" ,")
    try:
        reading.zone = zones.zone(rest)
    except zones.ZoneError as error:
        raise DateError(_NOT_UNDERSTOOD) from error
    return "zone", ""


_STEP = r"(?P<step>next|last|previous|this)"
_UNIT = rf"(?P<unit>{'|'.join((*_ELAPSED, *_CALENDAR))})s?\b"
_COUNT = r"(?P<sign>[+-]?) ?(?P<count>[0-9]+|an?) ?"
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

_Add = Callable[[Reading, re.Match[str]], None]
# Tried from the top: where one begins like another, the longer stands first.
_PATTERNS: tuple[tuple[str, str, _Add], ...] = (
    ("day", rf"{_YEAR}(?P<sep>[-/]){_M}(?P=sep){_D}{_END}", Reading.add_date),
    ("day", rf"{_M}/{_D}/{_YEAR}{_END}", Reading.add_date),
    ("day", rf"{_YEAR}(?P<month>[0-9]{{2}})(?P<day>[0-9]{{2}}){_END}", Reading.add_date),
    ("day", rf"{_YEAR}-(?P<month>[0-9]{{2}})(?![0-9:-])", Reading.add_month),
    ("day", rf"{_ORDINAL}[ -]{_MONTH}\.?,?[ -]{_YEAR}{_END}", Reading.add_date),
    ("day", rf"{_MONTH}\.? {_ORDINAL},? {_YEAR}{_END}", Reading.add_date),
    ("day", r"(?:now|today|tomorrow|yesterday)\b", Reading.add_day),
    ("amount", rf"(?:{_STEP} |{_COUNT}){_UNIT}", Reading.add_amount),
    ("ago", r"ago\b", Reading.add_ago),
    ("weekday", rf"(?:{_STEP} )?{_WEEKDAY}", Reading.add_weekday),
    ("time", rf"{_CLOCK}{_FRACTION})?{_END}(?: ?{_HALF})?", Reading.add_clock),
    ("time", rf"(?P<hour>[0-9]{{1,2}}) ?{_HALF}", Reading.add_clock),
    ("time", rf"{_BASIC_CLOCK}{_FRACTION}{_END}", Reading.add_clock),
    ("time", r"(?:noon|midnight)\b", Reading.add_time_word),
)
_TOKENS = [(kind, re.compile(pattern), add) for kind, pattern, add in _PATTERNS]
# What is left of +02:00 behind a time when the plus of a query string became a blank.
_LOST_PLUS = re.compile(r"(?:0[0-9]|1[0-4]):?[0-5][0-9]")
