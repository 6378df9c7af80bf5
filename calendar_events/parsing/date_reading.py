"""What the text of a date says, apart from any clock or zone: ``Reading``."""

from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Literal, NamedTuple

from dateutil.relativedelta import relativedelta, weekday

Precision = Literal["year", "month", "day", "time"]
"""How exactly a text named its moment."""
OUTSIDE = "This date is outside the years 1 to 9999."


class DateError(ValueError):
    """The text is no date; the message says why, for people."""


class Weekday(NamedTuple):
    """A named weekday: the next (1), the last (-1), or the first from today on (0)."""

    number: int
    step: int

    def after(self, wall: datetime) -> datetime:
        """Return the day meant on ``wall``. Today is ``friday``, never ``next friday``."""
        count = -1 if self.step < 0 else 1
        return wall + relativedelta(days=self.step, weekday=weekday(self.number)(count))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a text says. Its relative parts await the wall clock of the reader."""

    unix: int | None = None
    day: date | None = None
    days_from_today: int | None = None
    weekday: Weekday | None = None
    clock: time | None = None
    is_midnight_after: bool = False
    """Whether the time was 24:00, which is the beginning of the next day."""
    calendar: relativedelta = field(default_factory=relativedelta)
    elapsed: timedelta = timedelta()
    has_amount: bool = False
    is_now: bool = False
    zone: tzinfo | None = None
    precision: Precision = "day"

    @property
    def keeps_the_clock(self) -> bool:
        """Whether no part of the text says what the clock on the wall shows."""
        named = (self.day, self.days_from_today, self.weekday, self.clock)
        return all(part is None for part in named) and not self.calendar

    def wall(self, here: datetime) -> datetime:
        """Return the wall clock meant by somebody whose own wall clock shows ``here``.

        The last day of a shorter month stands for the days it lacks: a month after
        31 January is 28 or 29 February.

        Raises ``DateError`` when it is outside the calendar.
        """
        try:
            wall = datetime.combine(self.day, time.min) if self.day else here
            if self.days_from_today is not None or self.weekday is not None:
                wall = datetime.combine(wall, time.min)
            wall += timedelta(days=self.days_from_today or 0)
            wall += self.calendar
            if self.weekday is not None:
                wall = self.weekday.after(wall)
            if self.clock is not None:
                wall = datetime.combine(wall, self.clock)
            return wall + timedelta(days=self.is_midnight_after)
        except (OverflowError, ValueError) as error:
            raise DateError(OUTSIDE) from error
