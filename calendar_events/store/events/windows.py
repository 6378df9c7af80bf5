"""Which moments a list of events is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from calendar_events.store import sql

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Which moments a list is about; ``None`` where it is open."""

    start: datetime | None = None
    end: datetime | None = None
    starts_before: datetime | None = None
    starts_after: datetime | None = None
    ends_before: datetime | None = None
    ends_after: datetime | None = None
    overlaps: bool = False

    def add_to(self, conditions: sql.Conditions) -> None:
        """Add the window; an event that overlaps it may begin before and end after."""
        moment = sql.moment
        if self.overlaps:
            if self.end is not None:
                conditions.add("e.start_utc <= %s", moment(self.end))
            if self.start is not None:
                # What ended exactly then is over; what begins and ends then is not.
                start = moment(self.start)
                conditions.add("(e.end_utc > %s OR e.start_utc >= %s)", start, start)
                # Implied, as an event ends after it starts; an index can begin there.
                conditions.add("e.end_utc >= %s", start)
        else:
            if self.start is not None:
                conditions.add("e.start_utc >= %s", moment(self.start))
                conditions.add("e.end_utc >= %s", moment(self.start))
            if self.end is not None:
                conditions.add("e.end_utc <= %s", moment(self.end))
                conditions.add("e.start_utc <= %s", moment(self.end))
        for column, operator, limit in (
            ("start_utc", "<", self.starts_before),
            ("start_utc", ">", self.starts_after),
            ("end_utc", "<", self.ends_before),
            ("end_utc", ">", self.ends_after),
        ):
            if limit is not None:
                conditions.add(f"e.{column} {operator} %s", moment(limit))
