"""A rule of recurrence in words: "Every 2 weeks on Monday and Friday, 10 times"."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from calendar_events.parsing.recurrence import DAYS, Rule

_UNITS: Final = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_DAY_NAMES: Final = dict(
    zip(
        DAYS,
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
        strict=True,
    )
)
_ENDS: Final = ["st", "nd", "rd"]
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def words(rule: Rule | None, *, single: int = 0) -> str:
    """Return what a rule says; ``single`` is the number of dates it is given besides."""
    if rule is None:
        return f"On {single + 1} dates" if single else "Once"
    unit = _UNITS[rule.freq]
    text = f"Every {unit}" if rule.interval == 1 else f"Every {rule.interval} {unit}s"
    text += "".join(_clauses(rule))
    if rule.count is not None:
        text += ", once" if rule.count == 1 else f", {rule.count} times"
    elif rule.until is not None:
        text += (
            f", until {rule.until.day} {_MONTHS[rule.until.month - 1]} {rule.until.year}"
        )
    if single:
        text += f", and on {single} further date{'s' if single > 1 else ''}"
    return text


def _clauses(rule: Rule) -> Iterable[str]:
    by = rule.by
    if "BYSETPOS" in by:
        yield f" on the {_list(map(_ordinal, by['BYSETPOS']))} of these:"
    if "BYDAY" in by:
        yield f" on {_list(map(_weekday, by['BYDAY']))}"
    if "BYMONTHDAY" in by:
        yield f" on the {_list(map(_ordinal, by['BYMONTHDAY']))} of the month"
    if "BYYEARDAY" in by:
        yield f" on the {_list(map(_ordinal, by['BYYEARDAY']))} day of the year"
    if "BYWEEKNO" in by:
        yield f" in week {_list(map(str, by['BYWEEKNO']))}"
    if "BYMONTH" in by:
        yield f" in {_list(_MONTHS[month - 1] for month in by['BYMONTH'])}"


def _weekday(one: tuple[int, str]) -> str:
    place, day = one
    return f"the {_ordinal(place)} {_DAY_NAMES[day]}" if place else _DAY_NAMES[day]


def _ordinal(number: int) -> str:
    """Return ``1st``; from the end ``last`` and ``2nd last``."""
    if number == -1:
        return "last"
    size = abs(number)
    is_teen = size % 100 in {11, 12, 13}
    end = "th" if is_teen or not 1 <= size % 10 <= 3 else _ENDS[size % 10 - 1]
    return f"{size}{end}{' last' if number < 0 else ''}"


def _list(items: Iterable[Any]) -> str:
    several: Sequence[str] = list(items)
    if len(several) < 2:
        return "".join(several)
    return f"{', '.join(several[:-1])} and {several[-1]}"
