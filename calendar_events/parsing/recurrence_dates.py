"""The dates of a series: what its rule gives, and single ones besides.

By the clock on the wall; dateutil reckons. Pure: the limits come in as arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import MAXYEAR, datetime, time, timedelta
from itertools import islice
from typing import Any, Final

from dateutil import rrule as dateutil

from calendar_events.parsing import dates
from calendar_events.parsing.recurrence import DAYS, Rule, RuleError

LAST: Final = dates.LAST.replace(tzinfo=None)
MOST_YEARS: Final = 100
"""How far from its start a rule with an end is followed."""
CYCLE_YEARS: Final = 400
CYCLE: Final = timedelta(days=146_097)
"""After so long the calendar is the same again: leap years, weekdays and weeks."""
_BY: Final = {
    "BYMONTH": "bymonth",
    "BYWEEKNO": "byweekno",
    "BYYEARDAY": "byyearday",
    "BYMONTHDAY": "bymonthday",
    "BYSETPOS": "bysetpos",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """When a series is: wall clocks, all in the zone of the series."""

    start: datetime
    """The first date."""
    rule: Rule | None = None
    rdates: tuple[datetime, ...] = ()
    exdates: frozenset[datetime] = frozenset()
    """Dates that are left out; they keep their places among the others."""

    @property
    def is_endless(self) -> bool:
        """Whether there is always a next date."""
        return self.rule is not None and self.rule.is_endless

    @property
    def repeats(self) -> bool:
        """Whether it is more than one date; a rule is, also one that ends at once."""
        return self.rule is not None or bool(self.rdates)

    def dates(self, *, until: datetime, most: int) -> list[datetime]:
        """Return the dates up to ``until``, at most so many, also those left out."""
        single = sorted({self.start, *self.rdates})
        by_rule = islice(_by_rule(self.rule, self.start, until), most) if self.rule else ()
        return sorted({*by_rule, *(one for one in single if one <= until)})[:most]

    def total(self, *, most: int) -> int | None:
        """Return how many dates there are, those left out too; ``None`` without an end.

        Raises ``RuleError`` where there are more than ``most``, or the last is too far.
        """
        if self.is_endless:
            return None
        last = self.start + timedelta(days=366 * MOST_YEARS) if _fits(self.start) else None
        found = self.dates(until=last or LAST, most=most + 1)
        if len(found) > most:
            raise RuleError(f"has more than {most} dates: let it end sooner.")
        if self.rule and self.rule.count:
            by_rule = _by_rule(self.rule, self.start, last or LAST)
            if sum(1 for _ in islice(by_rule, most)) < self.rule.count:
                raise RuleError(f"does not end within {MOST_YEARS} years.")
        if self.rule and self.rule.until and self.rule.until > (last or LAST).date():
            raise RuleError(f"does not end within {MOST_YEARS} years.")
        return len(found)

    @property
    def first_year(self) -> datetime:
        """The end of the year that begins with the first date."""
        return self.start + timedelta(days=366) if _fits(self.start) else LAST

    def require_start(self) -> None:
        """Require that the rule gives the start. Raises ``RuleError``."""
        if self.rule is None:
            return
        limit = self.start + timedelta(days=366 * 8) if _fits(self.start) else LAST
        first = next(_by_rule(self.rule, self.start, limit), None)
        if first is None:
            raise RuleError("has no date: there is no such day.")
        if first != self.start:
            raise RuleError(f"does not give the start; its first date is {first:%Y-%m-%d}.")

    def moved(self, by: timedelta) -> Pattern:
        """Return the pattern that starts so much later. Raises ``RuleError``."""
        start = self.start + by
        days = (start.date() - self.start.date()).days
        return replace(
            self,
            start=start,
            rule=self.rule and self.rule.moved(days),
            rdates=tuple(one + by for one in self.rdates),
            exdates=frozenset(one + by for one in self.exdates),
        )

    def without(self, left_out: frozenset[datetime]) -> Pattern:
        """Return the pattern that tells of no other dates: single ones are not told at all.

        What the rule gives is among its ``exdates``.
        """
        rdates = tuple(one for one in self.rdates if one not in left_out)
        single = left_out.intersection(self.rdates)
        if single and self.rule:
            single -= {self.start, *_by_rule(self.rule, self.start, max(single))}
        return replace(self, rdates=rdates, exdates=left_out - single)

    def split(self, at: datetime) -> tuple[Pattern, Pattern]:
        """Return what comes before one of its dates, and what comes from it on."""
        rule, start = self.rule, at
        later = tuple(one for one in self.rdates if one > at)
        given = [*_by_rule(rule, self.start, at)] if rule else []
        if rule and at not in given:  # a single date: the rule goes on at its own next one
            limit = at + timedelta(days=366 * 8) if _fits(at) else LAST
            following = _by_rule(rule, self.start, limit)
            start = next((one for one in following if one > at), at)
            later = (at, *later) if start != at else later
            rule = rule if start != at else None
        # On the last day the rule may have its date before a single one.
        ends = at.date() - timedelta(days=at.time() <= self.start.time())
        first = replace(
            self,
            rule=self.rule and self.rule.ending(ends),
            rdates=tuple(one for one in self.rdates if one < at),
            exdates=frozenset(one for one in self.exdates if one < at),
        )
        second = Pattern(
            start=start,
            rule=rule and rule.without_first(len(given) - (at in given)),
            rdates=later,
            exdates=frozenset(one for one in self.exdates if one >= at),
        )
        return first, second


def _fits(start: datetime) -> bool:
    return start.year < 9999 - MOST_YEARS


def _by_rule(rule: Rule, start: datetime, until: datetime) -> Iterator[datetime]:
    """Yield the dates of a rule from ``start`` to ``until``, both included.

    dateutil looks for a next date up to the year 9999, which takes it seconds where there
    is none (the 30th of February). So it looks as many cycles of the calendar later.
    """
    last = until
    if rule.until is not None:
        last = min(until, datetime.combine(rule.until, time.max))
    if last < start:
        return
    later = CYCLE * ((MAXYEAR - last.year) // CYCLE_YEARS)
    options: dict[str, Any] = {_BY[name]: rule.by[name] for name in rule.by if name in _BY}
    if "BYDAY" in rule.by:
        options["byweekday"] = [
            dateutil.weekday(DAYS.index(day), place or None)
            for place, day in rule.by["BYDAY"]
        ]
    found = dateutil.rrule(
        getattr(dateutil, rule.freq),
        dtstart=start + later,
        interval=rule.interval,
        wkst=DAYS.index(rule.wkst or "MO"),
        count=rule.count,
        **options,
    )
    try:
        for one in found:
            if one - later > last:
                return
            yield one - later
    except ValueError:  # it looks beyond the year 9999
        return
