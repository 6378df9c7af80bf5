"""Which moments a list of events is about."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q


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

    def as_q(self) -> Q:
        """Return the window as a condition.

        An event ends no sooner than it starts, so a limit of one implies a limit of the
        other: with both an index is read from one end of the window to the other only.
        """
        condition = Q()
        if self.start is not None:
            condition &= Q(end_utc__gte=self.start)
            if self.overlaps:
                # What ended exactly then is over; what begins and ends then is not.
                condition &= Q(end_utc__gt=self.start) | Q(start_utc__gte=self.start)
            else:
                condition &= Q(start_utc__gte=self.start)
        if self.end is not None:
            condition &= Q(start_utc__lte=self.end)
            if not self.overlaps:
                condition &= Q(end_utc__lte=self.end)
        for lookup, limit in (
            ("start_utc__lt", self.starts_before),
            ("start_utc__gt", self.starts_after),
            ("end_utc__lt", self.ends_before),
            ("end_utc__gt", self.ends_after),
        ):
            if limit is not None:
                condition &= Q(**{lookup: limit})
        return condition

    def of_links(self) -> Q:
        """Return what it says about the copy of the start in the links of events."""
        condition = Q()
        if self.start is not None and not self.overlaps:
            condition &= Q(start_utc__gte=self.start)
        if self.end is not None:
            condition &= Q(start_utc__lte=self.end)
        return condition
