"""Read dates, and cross between wall clocks and instants (decisions 7).

Pure: no clock, no settings, no models; ``now`` and the zone come in as arguments.
"""

from calendar_events.parsing.dates.moment import (
    Moment,
    day_end,
    day_start,
    parse,
    to_utc,
    to_wall,
)
from calendar_events.parsing.dates.reading import DateError

__all__ = [
    "DateError",
    "Moment",
    "day_end",
    "day_start",
    "parse",
    "to_utc",
    "to_wall",
]
