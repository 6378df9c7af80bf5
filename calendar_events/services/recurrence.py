"""When a series is: what was sent becomes a pattern, and a pattern schedules.

Pure: what is stored and what was sent come in.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from dateutil.relativedelta import relativedelta

from calendar_events.conf import conf
from calendar_events.models import Series
from calendar_events.parsing import dates, recurrence, zones
from calendar_events.parsing.recurrence import Rule, RuleError
from calendar_events.parsing.recurrence_dates import Pattern
from calendar_events.services.changesets import InvalidFields, Recurrence
from calendar_events.services.schedule import Schedule

NO_DATE_LEFT = "leaves no date of the series."


def pattern_of(
    sent: Recurrence,
    *,
    start: datetime,
    zone: tzinfo,
    now: datetime,
    current: Pattern | None = None,
) -> Pattern:
    """Return the pattern that was sent, over the ``current`` one of a series.

    ``start`` is the wall clock of its first date. Raises ``InvalidFields``.
    """
    reasons: dict[str, str] = {}
    rule = current.rule if current else None
    if sent.rrule is not None:
        try:
            rule = _rule(sent.rrule, start, zone)
        except RuleError as error:
            reasons["rrule"] = str(error)
    walls: dict[str, Iterable[datetime]] = {
        "rdate": current.rdates if current else (),
        "exdate": current.exdates if current else (),
    }
    for name in walls:
        if (texts := getattr(sent, name)) is not None:
            try:
                walls[name] = [_wall(text, start, zone, now) for text in texts]
            except ValueError as error:
                reasons[name] = f"cannot be used: {error}"
    rdates = tuple(sorted({*walls["rdate"]} - {start}))
    if "rdate" not in reasons and rdates and rdates[0] < start and sent.rdate is not None:
        reasons["rdate"] = "must not be before start_date."
    if reasons:
        raise InvalidFields(reasons)
    exdates = frozenset(walls["exdate"])
    pattern = Pattern(start=start, rule=rule, rdates=rdates, exdates=exdates)
    if current is None and not pattern.repeats:
        name = "exdate" if sent.rdate is None else "rdate"
        raise InvalidFields({name: "needs a rule, or a date besides start_date."})
    is_by_rule = sent.exdate is None and sent.rrule is not None
    require_usable(pattern, blamed="rrule" if is_by_rule else "exdate")
    unknown = _unknown(pattern)
    if unknown and sent.exdate is not None:
        why = f"has {dates.written(min(unknown))}, which is no date of the series."
        raise InvalidFields({"exdate": why})
    return replace(pattern, exdates=exdates - unknown)


def _unknown(pattern: Pattern) -> frozenset[datetime]:
    """Return what is left out of a pattern and is no date of it."""
    last = max(pattern.exdates, default=pattern.start)
    known = pattern.dates(until=last, most=conf.series_max_occurrences)
    return pattern.exdates.difference(known)


def _rule(text: str, start: datetime, zone: tzinfo) -> Rule | None:
    """Return a rule; an empty one is none. Raises ``RuleError``."""
    most = conf.series_max_occurrences
    return recurrence.read(text, start=start, zone=zone, most=most) if text else None


def _wall(text: str, start: datetime, zone: tzinfo, now: datetime) -> datetime:
    """Return a date as a wall clock; a day has the time of the start.

    Raises ``ValueError``.
    """
    moment = dates.parse(text, now=now, zone=zone)
    wall = dates.to_wall(moment.utc, zone)
    return wall if moment.has_time else datetime.combine(wall, start.time())


def require_usable(pattern: Pattern, *, blamed: str = "exdate") -> None:
    """Require that a pattern has its start and no more dates than a series may have.

    ``blamed`` is the field that leaves no date. Raises ``InvalidFields``.
    """
    most = conf.series_max_occurrences
    name = "rrule" if pattern.rule else "rdate"
    try:
        pattern.require_start()
        pattern.total(most=most)
    except RuleError as error:
        raise InvalidFields({name: str(error)}) from error
    if pattern.exdates.issuperset(pattern.dates(until=pattern.first_year, most=most)):
        raise InvalidFields({blamed: NO_DATE_LEFT})


def horizon_of(start: datetime, *, now: datetime) -> datetime:
    """Return the moment as far as which a series that starts then has occurrences."""
    months = relativedelta(months=conf.series_horizon_months)
    try:
        return max(start, now) + months
    except (OverflowError, ValueError):
        return dates.LAST


def walls_of(series: Series) -> list[datetime]:
    """Return the dates of a series as far as its horizon, those left out too."""
    until = dates.to_wall(series.horizon, zones.zone(series.timezone))
    return series.pattern.dates(until=until, most=conf.series_max_occurrences)


def schedule_at(series: Series, wall: datetime) -> Schedule:
    """Return when the occurrence of a date is: the same on the wall each time.

    What begins in the hour that clocks skip begins an hour later (decisions 7), and lasts
    as long as the others. Raises ``InvalidFields`` on ``rrule`` for what is outside the
    calendar.
    """
    zone = zones.zone(series.timezone)
    length = series.end_local - series.start_local
    try:
        start_utc = dates.to_utc(wall, zone)
        end_utc = dates.to_utc(wall + length, zone)
    except (dates.DateError, OverflowError) as error:
        raise InvalidFields({"rrule": "has a date outside the calendar."}) from error
    end_utc = end_utc if end_utc >= start_utc else start_utc + length
    return Schedule(
        timezone=series.timezone,
        all_day=series.all_day,
        start_local=dates.to_wall(start_utc, zone),
        end_local=dates.to_wall(end_utc, zone),
        start_utc=start_utc,
        end_utc=end_utc.astimezone(UTC),
    )
