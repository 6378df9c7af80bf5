"""The exact total of a list of events, without counting them (PostgreSQL).

Triggers keep the number of listed events that start on each day and in each month
(``models.DayCount``). The months inside the window are summed, then the days around them;
the two parts of days at its ends, events that outlast it and events that time has not
published yet are counted, which are few.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from calendar_events.models import Event
from calendar_events.models.querysets.base import ListQuerySet
from calendar_events.models.querysets.scopes import Scope, Window
from calendar_events.models.visibility import LISTED, as_q
from calendar_events.store import sql
from calendar_events.store.sql import text_of

FIRST_DAY = date(1, 1, 2)  # the day before holds the sum of all
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
MONTH = timedelta(days=31)
"""From the first of any month into the next."""
LATEST = datetime.max.replace(tzinfo=UTC, microsecond=0) - SECOND
NEAR = timedelta(days=300)
"""A window that ends sooner is counted: too many events may come after it."""
SPREAD = frozenset({"published_at", "modified_at"})
"""Orders in which the events of a window may be far apart."""

_LISTED = text_of(LISTED, "e")
# Events that begin in the window: on whole days (or in whole months), in parts of days, or
# found by links; …
_DAYS = """(SELECT COALESCE(SUM(d.number), 0) FROM calendar_events_daycount d
  WHERE d.scope = %s AND d.day >= %s AND d.day < %s)"""
_PART = f""" + (SELECT COUNT(*) FROM calendar_events_event e WHERE {_LISTED}
  AND e.start_utc >= %s AND e.start_utc < %s{{of_scope}})"""
_LINKED = """(SELECT COUNT(DISTINCT l.event_id) FROM calendar_events_event{name} l
  WHERE l.{name}_id = ANY(%s) AND l.listed AND l.start_utc >= %s AND l.start_utc < %s)"""
# … less those that end after it, and those that time has not published yet. Both are looked
# for only where the last of all is such an event, which an index tells at once. OFFSET 0
# is an optimisation barrier: PostgreSQL takes start and end for independent, and would read
# the whole window.
_OUTLAST = f""" - CASE WHEN (SELECT MAX(e.end_utc) FROM calendar_events_event e
    WHERE {_LISTED}) > %s
  THEN (SELECT COUNT(*) FROM (SELECT e.id, e.start_utc{{column}}
      FROM calendar_events_event e WHERE {_LISTED} AND e.end_utc > %s OFFSET 0) e
    WHERE e.start_utc >= %s AND e.start_utc < %s{{of_scope}}) ELSE 0 END"""
_SCHEDULED = f""" - CASE WHEN (SELECT MAX(e.published_at) FROM calendar_events_event e
    WHERE {_LISTED}) > %s
  THEN (SELECT COUNT(*) FROM calendar_events_event e WHERE {_LISTED}
    AND e.published_at > %s AND e.end_utc <= %s AND e.start_utc >= %s{{of_scope}})
  ELSE 0 END"""


class Total(NamedTuple):
    """An expression for the number of rows of a list."""

    text: str
    params: list[Any]
    is_frequent: bool
    """Whether its plan is worth keeping: the same for whatever is asked for."""


def total_of(queryset: ListQuerySet) -> Total | None:
    """Return the total of a list of events that is kept; ``None``: it has to be counted."""
    if not sql.is_postgres():
        return None
    scope: Scope | None = getattr(queryset, "scope", None)
    now = queryset.listing.now
    if scope is None or now is None:
        return None
    if not _is_kept(scope.window, now) or (scope.window.start and _is_spread(queryset)):
        return None
    text, params = _everybodys(scope, now)
    if scope.beyond:
        own, own_params = _own(scope)
        text, params = f"{text} + {own}", [*params, *own_params]
    return Total(text, params, is_frequent=scope.link is None)


def _is_spread(queryset: ListQuerySet) -> bool:
    first = next(iter(queryset.query.order_by), None)
    key = getattr(first, "expression", first)
    inside: list[Any] = getattr(key, "get_source_expressions", list)()
    names = {getattr(one, "name", one) for one in (key, *inside)}
    return not SPREAD.isdisjoint(str(name).lstrip("-") for name in names)


def _is_kept(window: Window, now: datetime) -> bool:
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


def _own(scope: Scope) -> tuple[str, list[Any]]:
    """Return the number of what only this viewer sees, which is few."""
    events = Event.objects.filter(as_q(scope.beyond), scope.window.as_q())
    if scope.institution:
        events = events.filter(institution=scope.institution)
    if scope.link:
        name, ids = scope.link
        events = events.filter(**{f"event{name}__{name}__in": ids}, password="").distinct()
    query = events.order_by().values("pk").query
    text, params = query.get_compiler(sql.connection().alias).as_sql()
    return f"(SELECT COUNT(*) FROM ({text}) own)", list(params)


def _everybodys(scope: Scope, now: datetime) -> tuple[str, list[Any]]:
    start = scope.window.start or datetime.min.replace(tzinfo=UTC)
    end = min(scope.window.end or LATEST, LATEST)
    after = end + SECOND  # limits are inclusive, and events begin at whole seconds
    condition, of_scope = _condition(scope)
    name = _name(scope)
    if name:
        text, params = _begun(name, scope, start, after, of_scope)
    else:
        kind, ids = scope.link or ("", ())
        text, params = _LINKED.format(name=kind), [list(ids), start, after]
    text += _OUTLAST + _SCHEDULED
    params += [end, end, start, after, *of_scope, now, now, end, start, *of_scope]
    column = ", e.institution" if scope.institution else ""
    return text.format(of_scope=condition, column=column), params


def _name(scope: Scope) -> str:
    """Return under which name the counters are kept; empty where links are counted."""
    if scope.link is None:
        return f"institution:{scope.institution}" if scope.institution else "all"
    kind, ids = scope.link
    return f"term:{ids[0]}" if kind == "term" and len(ids) == 1 else ""


def _condition(scope: Scope) -> tuple[str, list[Any]]:
    """Return what the few events that are looked at must fulfil."""
    if scope.institution:
        return " AND e.institution = %s", [scope.institution]
    if scope.link is None:
        return "", []
    kind, ids = scope.link
    return (
        f" AND EXISTS (SELECT 1 FROM calendar_events_event{kind} x "
        f"WHERE x.event_id = e.id AND x.listed AND x.{kind}_id = ANY(%s))"
    ), [list(ids)]


def _begun(
    name: str, scope: Scope, start: datetime, after: datetime, of_scope: list[Any]
) -> tuple[str, list[Any]]:
    (first, last), head, tail = _parts(start, after)
    # Links are counted by the day alone: a term's days are fewer.
    spans = [(name, first, last)] if scope.link else _spans(name, first, last)
    text = " + ".join([_DAYS] * len(spans))
    params: list[Any] = [param for span in spans for param in span]
    for begin, end in (head, tail):
        if begin < end:
            text += _PART
            params += [begin, end, *of_scope]
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
