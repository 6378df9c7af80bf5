"""When an event is: two walls, two instants and a zone that always agree.

Pure: what is stored and what was sent come in, the new schedule comes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from typing import Literal

from calendar_events.models import Event
from calendar_events.models.standing import EventStatus
from calendar_events.parsing import dates, zones
from calendar_events.services.changesets import InvalidFields, ScheduleChanges

LAST_SECOND = time(23, 59, 59)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The columns of an event that say when it is."""

    timezone: str
    all_day: bool
    start_local: datetime
    end_local: datetime
    start_utc: datetime
    end_utc: datetime

    @classmethod
    def of(cls, event: Event) -> Schedule:
        return cls(**{name: getattr(event, name) for name in cls.__slots__})

    def write_to(self, event: Event) -> None:
        """Set the columns; a postponed event keeps the first date that it had."""
        if event.event_status != EventStatus.POSTPONED:
            event.previous_start_utc = None
        elif event.previous_start_utc is None and event.start_utc not in {
            None,
            self.start_utc,
        }:
            event.previous_start_utc = event.start_utc
        for name in self.__slots__:
            setattr(event, name, getattr(self, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Endpoint:
    """The start or the end, before whole days are made of it."""

    wall: datetime
    last_day: date
    utc: datetime | None = None
    """The instant, when it is not simply that of the wall."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """The context in which both endpoints are read."""

    changes: ScheduleChanges
    current: Schedule | None
    zone: tzinfo
    is_zone_kept: bool
    now: datetime


def plan(
    changes: ScheduleChanges, *, current: Schedule | None, now: datetime, site_zone: str
) -> Schedule:
    """Return the schedule that ``changes`` make of ``current``, or of nothing.

    A change of the zone keeps the wall clock; a date with an offset is converted to the
    zone of the event; an all-day event covers whole days (decisions 7). Without ``current``
    both dates must be there.

    Raises ``InvalidFields`` on a date that cannot be in this zone, and on ``end_date`` when
    the event would end before it starts.
    """
    zone_name = changes.get("timezone") or (current.timezone if current else site_zone)
    all_day = changes.get("all_day", current.all_day if current else False)
    frame = _Frame(
        changes=changes,
        current=current,
        zone=zones.zone(zone_name),
        is_zone_kept=current is not None and current.timezone == zone_name,
        now=now,
    )
    start, end = _endpoint("start", frame), _endpoint("end", frame)
    if all_day:
        first = datetime.combine(start.wall, time.min)
        start = _moved("start", start, wall=first, frame=frame)
        last = datetime.combine(end.last_day, LAST_SECOND)
        end = _moved("end", end, wall=last, frame=frame)
    schedule = Schedule(
        timezone=zone_name,
        all_day=all_day,
        start_local=start.wall,
        end_local=end.wall,
        start_utc=_instant("start_date", start, frame.zone),
        end_utc=_instant("end_date", end, frame.zone),
    )
    if schedule.end_utc < schedule.start_utc:
        raise InvalidFields({"end_date": "must not be before start_date."})
    return schedule


def _endpoint(which: Literal["start", "end"], frame: _Frame) -> _Endpoint:
    name: Literal["start_date", "end_date"] = (
        "start_date" if which == "start" else "end_date"
    )
    text = frame.changes.get(name)
    if text is None:
        if frame.current is None:
            raise InvalidFields({name: "is required."})
        stored: datetime = getattr(frame.current, f"{which}_local")
        return _Endpoint(
            wall=stored, last_day=stored.date(), utc=_kept(which, stored, frame)
        )
    try:
        moment = dates.parse(text, now=frame.now, zone=frame.zone)
    except dates.DateError as error:
        raise InvalidFields({name: f"cannot be used: {error}"}) from error
    wall, last_day = dates.to_wall(moment.utc, frame.zone), moment.last_day
    utc = moment.utc if moment.has_offset else _kept(which, wall, frame)
    return _Endpoint(wall=wall, last_day=last_day, utc=utc)


def _kept(which: str, wall: datetime, frame: _Frame) -> datetime | None:
    """Return the stored instant of an unchanged wall in an unchanged zone.

    When clocks are set back a wall comes twice; an event that was stored at the second one
    must stay there when its own answer is sent back.
    """
    if not frame.is_zone_kept or getattr(frame.current, f"{which}_local") != wall:
        return None
    instant: datetime = getattr(frame.current, f"{which}_utc")
    return instant


def _moved(which: str, endpoint: _Endpoint, *, wall: datetime, frame: _Frame) -> _Endpoint:
    utc = endpoint.utc if wall == endpoint.wall else _kept(which, wall, frame)
    return _Endpoint(wall=wall, last_day=endpoint.last_day, utc=utc)


def _instant(name: str, endpoint: _Endpoint, zone: tzinfo) -> datetime:
    if endpoint.utc is not None:
        return endpoint.utc
    try:
        return dates.to_utc(endpoint.wall, zone)
    except dates.DateError as error:
        raise InvalidFields({name: f"cannot be used: {error}"}) from error
