"""From the date parameters to instants (spec 4.3, decisions 7, contract events 3.1).

Not strict, dates are whole days: ``start_date`` begins its day, ``end_date`` and the four
relative ones end theirs. Strict, they are the exact moments. Limits of the window are
inclusive, the relative ones exclusive.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Any

from dateutil.relativedelta import relativedelta

from calendar_events.models.querysets.windows import Window
from calendar_events.parsing import dates

RELATIVE = ("starts_before", "starts_after", "ends_before", "ends_after")
DEFAULT_SPAN = relativedelta(months=24)


def window_of(values: Mapping[str, Any], *, now: datetime, zone: tzinfo) -> Window:
    """Return the window that the values of parameters say, or the default one."""
    if "include" in values:
        return Window()
    strict = values.get("strict_dates", False)
    limits = {
        name: _instant(values[name], name, strict=strict)
        for name in ("start_date", "end_date", *RELATIVE)
        if name in values
    }
    if not values.keys() & set(RELATIVE):
        start, end = _default_span(now.astimezone(zone).date(), zone)
        limits = {"start_date": start, "end_date": end} | limits
    return Window(
        start=limits.pop("start_date", None),
        end=limits.pop("end_date", None),
        overlaps=values.get("overlaps", False),
        **limits,
    )


def _instant(moment: dates.Moment, name: str, *, strict: bool) -> datetime:
    if strict:
        return moment.utc
    return moment.day_start() if name == "start_date" else moment.day_end()


# Cached: most lists have the default window, which is the same all day.
@lru_cache(maxsize=64)
def _default_span(today: date, zone: tzinfo) -> tuple[datetime, datetime]:
    """Return the beginning of yesterday, and the end of the day in 24 months."""
    start = dates.day_start(today - timedelta(days=1), zone)
    return start, dates.day_end(today + DEFAULT_SPAN, zone)


@lru_cache(maxsize=256)
def written(instant: datetime, zone: tzinfo) -> str:
    """Write an instant so that reading it in the same zone gives it back.

    In an hour that clocks show twice the wall alone would not.
    """
    wall = dates.to_wall(instant, zone)
    if dates.to_utc(wall, zone, is_clamped=True) == instant:
        return dates.written(wall)
    return f"{dates.written(instant.astimezone(UTC), separator='T')}Z"
