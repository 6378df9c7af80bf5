"""How many events a default list has, exactly, without counting them.

Triggers keep the number of listed events that start on each day and in each month
(``models.DayCount``). The months inside the window are summed, then the days around them;
the two parts of days at its ends, events that outlast it and events that time has not
published yet are counted, which are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from calendar_events.models.visibility import LISTED
from calendar_events.store import sql
from calendar_events.store.visibility import text_of

if TYPE_CHECKING:
    from calendar_events.store.events.windows import Window
    from calendar_events.store.list_version import CountHints

FIRST_DAY = date(1, 1, 2)  # the day before holds the sum of all
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
MONTH = timedelta(days=31)
"""From the first of any month into the next."""
LATEST = datetime.max.replace(tzinfo=UTC, microsecond=0) - SECOND

NEAR = timedelta(days=300)
"""A window that ends sooner is counted: too many events may come after it."""

_LISTED = text_of(LISTED, "e")
# Events that begin in the window: on whole days (or in whole months), in parts of days, or
# found by links; …
_DAYS = """(SELECT COALESCE(SUM(d.number), 0) FROM calendar_events_daycount d
  WHERE d.scope = %s AND d.day >= %s AND d.day < %s)"""
_PART = f""" + (SELECT COUNT(*) FROM calendar_events_event e WHERE {_LISTED}
  AND e.start_utc >= %s AND e.start_utc < %s{{of_scope}})"""
_LINKED = """(SELECT COUNT(DISTINCT l.event_id) FROM calendar_events_event{name} l
  WHERE {linked} AND l.start_utc >= %s AND l.start_utc < %s)"""
# … less those that end after it, and those that time has not published yet.
_OUTLAST = f""" - (SELECT COUNT(*) FROM calendar_events_event e WHERE {_LISTED}
  AND e.end_utc > %s AND e.start_utc >= %s AND e.start_utc < %s{{of_scope}})"""
_SCHEDULED = f""" - (SELECT COUNT(*) FROM calendar_events_event e WHERE {_LISTED}
  AND e.published_at > %s AND e.end_utc <= %s AND e.start_utc >= %s{{of_scope}})"""
# Asked as maxima, which an index answers whatever the plan thinks of the parameter.
_LAST = "(SELECT MAX(e.{column}) FROM calendar_events_event e WHERE {listed}) > %s"


class Link(NamedTuple):
    """Terms, venues or organizers that events are linked to."""

    name: str
    """``term``, ``venue`` or ``organizer``."""
    ids: tuple[int, ...]

    def condition(self, alias: str) -> sql.Conditions:
        """Return the condition for a link that lists may find an event by."""
        conditions = sql.Conditions()
        conditions.any_of(f"{alias}.{self.name}_id", self.ids)
        conditions.add(f"{alias}.listed")
        return conditions

    def add_to(self, conditions: sql.Conditions) -> None:
        """Add that an event has one of the links."""
        found = sql.Conditions()
        found.any_of(f"x.{self.name}_id", self.ids)
        links = f"calendar_events_event{self.name} x"
        conditions.add(
            f"e.id IN (SELECT x.event_id FROM {links} WHERE {found})", *found.params
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Events that are counted without looking at them."""

    name: str = ""
    """Under which the counters are kept; empty when links are counted instead."""
    link: Link | None = None
    institution: str = ""

    def condition(self) -> tuple[str, list[Any]]:
        """Return what the few events that are looked at must fulfil."""
        if self.institution:
            return " AND e.institution = %s", [self.institution]
        if self.link is None:
            return "", []
        linked = self.link.condition("x")
        links = f"calendar_events_event{self.link.name} x"
        found = f"SELECT 1 FROM {links} WHERE x.event_id = e.id AND {linked}"
        return f" AND EXISTS ({found})", linked.params


EVERYTHING = Scope(name="all")


def of_institution(registry_id: str) -> Scope:
    """Return the scope of an institution's events."""
    return Scope(name=f"institution:{registry_id}", institution=registry_id)


def of_links(link: Link) -> Scope:
    """Return the scope of linked events; counters are kept for each term by itself."""
    is_kept = link.name == "term" and len(link.ids) == 1
    return Scope(name=f"term:{link.ids[0]}" if is_kept else "", link=link)


def is_kept(window: Window, now: datetime) -> bool:
    """Return whether the counters can tell how many events a window has."""
    relative = (
        window.starts_before,
        window.starts_after,
        window.ends_before,
        window.ends_after,
    )
    return (
        not window.overlaps
        and relative == (None,) * 4
        and (window.end is None or window.end >= now + NEAR)
        and (window.start is None or window.end is None or window.start < window.end)
    )


def total(
    scope: Scope, window: Window, now: datetime, hints: CountHints
) -> tuple[str, list[Any]]:
    """Return the expression for the number of public events in a window.

    What the hints say is not there is not looked for; ``hints_are_stale`` tells if it was.
    """
    start, end = _limits(window)
    after = end + SECOND  # limits are inclusive, and events begin at whole seconds
    moment = sql.moment
    condition, of_scope = scope.condition()
    if scope.name:
        text, params = _begun(scope, start, after, of_scope)
    else:
        link = cast("Link", scope.link)
        linked = link.condition("l")
        text = _LINKED.format(name=link.name, linked=linked)
        params = [*linked.params, moment(start), moment(after)]
    if hints.last_end > end:
        text += _OUTLAST
        params += [moment(end), moment(start), moment(after), *of_scope]
    if hints.has_scheduled:
        text += _SCHEDULED
        params += [moment(now), moment(end), moment(start), *of_scope]
    return text.format(of_scope=condition), params


def hints_are_stale(
    window: Window, now: datetime, hints: CountHints
) -> tuple[str, list[Any]]:
    """Return the condition that there is something beyond the hints after all."""
    _, end = _limits(window)
    found = sql.Conditions()
    if hints.last_end <= end:
        found.add(_LAST.format(column="end_utc", listed=_LISTED), sql.moment(end))
    if not hints.has_scheduled:
        found.add(_LAST.format(column="published_at", listed=_LISTED), sql.moment(now))
    return " OR ".join(found.texts) or "1 = 0", found.params


def _limits(window: Window) -> tuple[datetime, datetime]:
    start = window.start or datetime.min.replace(tzinfo=UTC)
    return start, min(window.end or LATEST, LATEST)


def _begun(
    scope: Scope, start: datetime, after: datetime, of_scope: list[Any]
) -> tuple[str, list[Any]]:
    (first, last), head, tail = _parts(start, after)
    # Links are counted by the day alone: a term's days are fewer.
    spans = [(scope.name, first, last)] if scope.link else _spans(scope.name, first, last)
    text = " + ".join([_DAYS] * len(spans))
    params: list[Any] = [param for span in spans for param in span]
    for begin, end in (head, tail):
        if begin < end:
            text += _PART
            params += [sql.moment(begin), sql.moment(end), *of_scope]
    return text, params


def _parts(
    start: datetime, after: datetime
) -> tuple[tuple[date, date], tuple[datetime, datetime], tuple[datetime, datetime]]:
    """Part a span into whole days (UTC), and what is before and after them."""
    start, after = start.astimezone(UTC), after.astimezone(UTC)
    first = start.replace(hour=0, minute=0, second=0, microsecond=0)
    if first < start:
        first += DAY
    last = after.replace(hour=0, minute=0, second=0, microsecond=0)
    if last <= first:
        return (FIRST_DAY, FIRST_DAY), (start, after), (after, after)
    begin = max(first.date(), FIRST_DAY)
    return (begin, last.date()), (start, first), (last, after)


def _spans(name: str, first: date, last: date) -> list[tuple[str, date, date]]:
    """Part whole days into the months among them and the days around those."""
    final = last.replace(day=1)
    if first >= final:
        return [(name, first, last)]
    month = first if first.day == 1 else (first.replace(day=1) + MONTH).replace(day=1)
    spans = [(name, first, month), (f"month:{name}", month, final), (name, final, last)]
    return [span for span in spans if span[1] < span[2]]
