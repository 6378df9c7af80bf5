"""Read a rule of recurrence (RFC 5545 3.3.10), and write it.

A rule repeats by the day: its frequency is DAILY, WEEKLY, MONTHLY or YEARLY, and every date
has the time at which the series starts. So ``UNTIL`` is a day here, however it was written.
Pure: no clock, no settings, no models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, Final

from calendar_events.parsing import dates

LONGEST: Final = 500
"""Characters of a rule."""
MOST_INTERVAL: Final = 1000
FREQUENCIES: Final = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY")
DAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
LAST_SECOND: Final = time(23, 59, 59)

_DAY = re.compile(rf"([+-]?[0-9]{{1,2}})?({'|'.join(DAYS)})")
_UNTIL = re.compile(r"([0-9]{8})(?:T([0-9]{6})(Z)?)?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,6}")
_OF_THE_TIME = frozenset({"BYHOUR", "BYMINUTE", "BYSECOND"})


class RuleError(ValueError):
    """A rule that cannot be used; the message says why, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule, taken apart."""

    freq: str
    interval: int = 1
    count: int | None = None
    until: date | None = None
    """The last day on which it may have a date."""
    wkst: str = ""
    by: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Its lists by their names; of ``BYDAY`` pairs of a number (0 for none) and a day."""

    @property
    def is_endless(self) -> bool:
        """Whether neither a number of dates nor a last day ends it."""
        return self.count is None and self.until is None

    def __str__(self) -> str:
        """Return it as it is stored: ``UNTIL`` is a day."""
        return self._text(f"{self.until:%Y%m%d}" if self.until else "")

    def rfc(self, zone: tzinfo, *, all_day: bool) -> str:
        """Return it as calendars write it: ``UNTIL`` of events with a time is in UTC."""
        if self.until is None or all_day:
            return str(self)
        last = datetime.combine(self.until, LAST_SECOND)
        utc = dates.to_utc(last, zone, is_clamped=True)
        return self._text(f"{utc:%Y%m%dT%H%M%SZ}")

    def _text(self, until: str) -> str:
        parts = [f"FREQ={self.freq}"]
        if self.interval > 1:
            parts.append(f"INTERVAL={self.interval}")
        if self.count is not None:
            parts.append(f"COUNT={self.count}")
        if until:
            parts.append(f"UNTIL={until}")
        for name, values in self.by.items():
            parts.append(f"{name}={','.join(map(_written, values))}")
        if self.wkst:
            parts.append(f"WKST={self.wkst}")
        return ";".join(parts)

    def ending(self, day: date) -> Rule:
        """Return the rule without the dates after ``day``."""
        return replace(self, count=None, until=min(day, self.until or day))

    def without_first(self, number: int) -> Rule:
        """Return the rule for who begins at a later date of it."""
        if self.count is None:
            return self
        return replace(self, count=self.count - number)

    def moved(self, days: int) -> Rule:
        """Return the rule for a start that is so many days later.

        Raises ``RuleError`` where the days of the rule do not simply move along.
        """
        until = self.until and self.until + timedelta(days=days)
        if not days or not self.by:
            return replace(self, until=until)
        if self.freq != "WEEKLY" or self.by.keys() != {"BYDAY"}:
            raise RuleError("is another day than the rule names: send the rule as well.")
        by_day = [(0, DAYS[(DAYS.index(day) + days) % 7]) for _, day in self.by["BYDAY"]]
        by_day.sort(key=lambda one: DAYS.index(one[1]))
        return replace(self, until=until, by={"BYDAY": tuple(by_day)})


def read(text: str, *, start: datetime, zone: tzinfo, most: int) -> Rule:
    """Return the rule in ``text`` of a series that starts at the wall clock ``start``.

    ``most`` is how many dates a series may have. Raises ``RuleError``.
    """
    if len(text) > LONGEST:
        raise RuleError(f"must not be longer than {LONGEST} characters.")
    parts = _parts(text)
    freq = parts.pop("FREQ", "")
    if freq not in FREQUENCIES:
        raise RuleError("needs FREQ, which is DAILY, WEEKLY, MONTHLY or YEARLY.")
    if "COUNT" in parts and "UNTIL" in parts:
        raise RuleError("has either COUNT or UNTIL, not both.")
    wkst = parts.pop("WKST", "")
    if wkst and wkst not in DAYS:
        raise RuleError("has a WKST that is no day: MO to SU.")
    interval = _number("INTERVAL", parts.pop("INTERVAL", "1"), 1, MOST_INTERVAL)
    count = None
    if "COUNT" in parts:
        count = _number("COUNT", parts.pop("COUNT"), 1, most)
    until = _until(parts.pop("UNTIL"), start, zone) if "UNTIL" in parts else None
    by = {name: _LISTS[name](freq, value) for name, value in parts.items()}
    _require_together(freq, by)
    return Rule(freq=freq, interval=interval, count=count, until=until, wkst=wkst, by=by)


def stored(text: str) -> Rule | None:
    """Return a rule that was stored; ``None`` for the empty text."""
    if not text:
        return None
    return read(text, start=dates.FIRST.replace(tzinfo=None), zone=UTC, most=10**6)


def _parts(text: str) -> dict[str, str]:
    """Return the values by their names. Raises ``RuleError``."""
    if "\n" in text.strip():
        raise RuleError("must be one rule in one line.")
    parts: dict[str, str] = {}
    for part in filter(None, text.strip().upper().removeprefix("RRULE:").split(";")):
        name, equals, value = part.partition("=")
        if name in _OF_THE_TIME:
            raise RuleError(f"must not have {name}: each date begins at the same time.")
        if name not in _NAMES or not equals or not value:
            raise RuleError(f"has a part that is not known: {part[:40]}.")
        if name in parts:
            raise RuleError(f"has {name} twice.")
        parts[name] = value
    return parts


def _number(name: str, text: str, least: int, most: int) -> int:
    """Return a whole number; negative ones count from the end. Raises ``RuleError``."""
    number = int(text) if _WHOLE.fullmatch(text) else None
    if number is None or not least <= number <= most:
        raise RuleError(f"must have {name} from {least} to {most}.")
    return number


def _until(text: str, start: datetime, zone: tzinfo) -> date:
    """Return the last day that a date may be on. Raises ``RuleError``."""
    no_date = RuleError("has an UNTIL that is no date, such as 20310131.")
    match = _UNTIL.fullmatch(text)
    if match is None:
        raise no_date
    try:
        last = datetime.fromisoformat(f"{match[1]}T{match[2] or '235959'}")
    except ValueError as error:
        raise no_date from error
    if match[3]:
        last = dates.to_wall(last.replace(tzinfo=UTC), zone)
    if last < start:
        raise RuleError("has an UNTIL before the start.")
    return last.date() if last.time() >= start.time() else last.date() - timedelta(days=1)


def _numbers(name: str, most: int, *, is_signed: bool = True) -> Callable[..., Any]:
    def read_list(_freq: str, text: str) -> tuple[int, ...]:
        numbers = []
        for item in text.split(","):
            size = _number(name, item.removeprefix("-") if is_signed else item, 1, most)
            numbers.append(-size if item.startswith("-") else size)
        return tuple(dict.fromkeys(numbers))

    return read_list


def _days(freq: str, text: str) -> tuple[tuple[int, str], ...]:
    days = []
    for item in text.split(","):
        match = _DAY.fullmatch(item)
        place = int(match[1] or 0) if match else 0
        if match is None or (match[1] and not 1 <= abs(place) <= 53):
            raise RuleError(f"has a BYDAY that is no day, such as MO or -1FR: {item[:10]}.")
        if place and freq not in {"MONTHLY", "YEARLY"}:
            raise RuleError(f"must not number days where FREQ is {freq}.")
        days.append((place, match[2]))
    return tuple(dict.fromkeys(days))


_LISTS: Final[Mapping[str, Callable[[str, str], tuple[Any, ...]]]] = {
    "BYMONTH": _numbers("BYMONTH", 12, is_signed=False),
    "BYWEEKNO": _numbers("BYWEEKNO", 53),
    "BYYEARDAY": _numbers("BYYEARDAY", 366),
    "BYMONTHDAY": _numbers("BYMONTHDAY", 31),
    "BYDAY": _days,
    "BYSETPOS": _numbers("BYSETPOS", 366),
}
_NAMES = frozenset({"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", *_LISTS})
_NOT_IN = {
    "BYWEEKNO": ("MONTHLY", "WEEKLY", "DAILY"),
    "BYYEARDAY": ("MONTHLY", "WEEKLY", "DAILY"),
    "BYMONTHDAY": ("WEEKLY",),
    # Programs count the days of a first week that is not whole differently.
    "BYSETPOS": ("WEEKLY",),
}


def _require_together(freq: str, by: Mapping[str, Any]) -> None:
    """Require that parts may stand together. Raises ``RuleError``."""
    for name, frequencies in _NOT_IN.items():
        if name in by and freq in frequencies:
            raise RuleError(f"must not have {name} where FREQ is {freq}.")
    if "BYWEEKNO" in by and any(place for place, _ in by.get("BYDAY", ())):
        raise RuleError("must not number days where there is BYWEEKNO.")
    is_of_months = freq == "MONTHLY" or "BYMONTH" in by
    if is_of_months and any(abs(place) > 5 for place, _ in by.get("BYDAY", ())):
        raise RuleError("must not number days of a month beyond 5.")
    if "BYSETPOS" in by and len(by) == 1:
        raise RuleError("has BYSETPOS and nothing that it chooses from.")


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        place, day = value
        return f"{place or ''}{day}"
    return str(value)
