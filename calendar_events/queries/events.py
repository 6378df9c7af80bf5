"""Lists of events: from read parameters to one statement with the page and its total.

A list is made of *parts* that do not overlap: what everybody sees, and what only this
viewer sees. Each part walks an index of its own, so page one costs the same however many
events there are. The page and the total come from one statement, hence from one moment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from calendar_events import sql, viewers
from calendar_events.models import Status, Taxonomy
from calendar_events.queries import geography, lookups, totals
from calendar_events.queries.ordering import EVENT_COLUMNS, Order, order

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from calendar_events.queries.windows import Window
    from calendar_events.text import SearchQuery
    from calendar_events.viewers import Viewer

BY_START = Order("start_utc")
PUBLIC = "NOT e.hide_from_listings AND e.status = 'publish' AND e.published_at <= %s"
SCHEDULED = "NOT e.hide_from_listings AND e.status = 'publish' AND e.published_at > %s"
UNPUBLISHED = "NOT e.hide_from_listings AND NOT (e.status = 'publish')"
EVENTS = "calendar_events_event e"
PROTECTED_BY_PASSWORD = (
    "categories",
    "tags",
    "venue",
    "organizer",
    "featured",
    "ticketed",
    "geoloc",
    "geoloc_lat",
)
"""What a protected event does not show, it is not found by."""
DEFAULT_STATUSES = frozenset(Status.values) - {Status.TRASH}


class Part(NamedTuple):
    """Some of a list's events; no event is in two parts."""

    select: str
    conditions: sql.Conditions

    @property
    def text(self) -> str:
        """The statement that finds them."""
        return f"{self.select} WHERE {self.conditions}"


@dataclass(kw_only=True)
class EventQuery:
    """One list of events: who sees it, its parts, how it is filtered and sorted."""

    viewer: Viewer
    now: datetime
    window: Window
    filters: sql.Conditions = field(default_factory=sql.Conditions)
    statuses: frozenset[str] = frozenset({Status.PUBLISH})
    order: Order = BY_START
    scope: totals.Scope | None = totals.EVERYTHING
    """What the kept counters can count; ``None`` when a filter makes that impossible."""
    term: int | None = None
    """The one term whose links the list walks."""

    def parts(self) -> list[Part]:
        """Return the parts of the list, the public one first."""
        moment = sql.moment(self.now)
        parts = []
        if Status.PUBLISH in self.statuses:
            parts.append(self._part(PUBLIC, moment))
        if not self.viewer.is_user:
            return parts
        if Status.FUTURE in self.statuses:
            parts.append(self._own_part(SCHEDULED, moment))
        stored = sorted(self.statuses - {Status.PUBLISH, Status.FUTURE})
        if stored:
            parts.append(self._own_part(UNPUBLISHED, is_listed=False))
            marks = ", ".join(["%s"] * len(stored))
            parts[-1].conditions.add(f"e.status IN ({marks})", *stored)
        return parts

    def _own_part(self, text: str, *params: Any, is_listed: bool = True) -> Part:
        part = self._part(text, *params, is_listed=is_listed)
        viewers.own_part(part.conditions, self.viewer, viewers.EVENT, "e")
        return part

    def _part(self, text: str, *params: Any, is_listed: bool = True) -> Part:
        """Return one part: where its identifiers come from and what they are sorted by."""
        conditions = sql.Conditions()
        conditions.add(text, *params)
        conditions.extend(self.filters)
        pk, key, source = "e.id", f"e.{self.order.column}", EVENTS
        if self.order.column == "published_at" and not is_listed:
            key = "COALESCE(e.published_at, e.created_at)"
        if self.term is not None:
            source = f"calendar_events_eventterm l JOIN {EVENTS} ON e.id = l.event_id"
            conditions.add("l.term_id = %s", self.term)
            if is_listed and self.order.column == BY_START.column:
                # The copies in the link are the head of one index.
                pk, key = "l.event_id", "l.start_utc"
                conditions.add("l.listed")
                if self.window.start is not None and not self.window.overlaps:
                    conditions.add("l.start_utc >= %s", sql.moment(self.window.start))
        return Part(f"SELECT {pk} AS id, {key} AS k FROM {source}", conditions)

    @property
    def is_counted_by_triggers(self) -> bool:
        """Whether the total is known without counting."""
        return (
            self.scope is not None
            and Status.PUBLISH in self.statuses
            and totals.is_kept(self.window, self.now)
        )


def event_query(
    values: Mapping[str, Any], *, viewer: Viewer, now: datetime, window: Window
) -> tuple[EventQuery, dict[str, str]]:
    """Return the list that parameters ask for, and what is wrong with them by name."""
    query = EventQuery(viewer=viewer, now=now, window=window)
    problems: dict[str, str] = {}
    _statuses(query, values, problems)
    _within(query.filters, window)
    _columns(query, values)
    _links(query, values, problems)
    _places(query, values, problems)
    _protect(query, values)
    default = Order("published_at") if "include" in values else BY_START
    query.order = order(values, EVENT_COLUMNS, default)
    return query, problems


def _statuses(
    query: EventQuery, values: Mapping[str, Any], problems: dict[str, str]
) -> None:
    sees_all = query.viewer.sees_statuses(viewers.EVENT)
    if "status" not in values:
        query.statuses = DEFAULT_STATUSES if sees_all else query.statuses
        return
    asked = set(values["status"])
    if unknown := sorted(asked - set(Status.values)):
        problems["status"] = f"There is no status {', '.join(unknown)}."
    elif values["status"] != [Status.PUBLISH] and not sees_all:
        problems["status"] = "Only publish may be asked for."
    else:
        query.statuses = frozenset(asked)


def _within(filters: sql.Conditions, window: Window) -> None:
    """Add the date conditions; an event that overlaps may begin before and end after."""
    moment = sql.moment
    if window.overlaps:
        if window.end is not None:
            filters.add("e.start_utc <= %s", moment(window.end))
        if window.start is not None:
            # What ended exactly then is over; what begins and ends then is not.
            start = moment(window.start)
            filters.add("(e.end_utc > %s OR e.start_utc >= %s)", start, start)
    else:
        if window.start is not None:
            filters.add("e.start_utc >= %s", moment(window.start))
        if window.end is not None:
            filters.add("e.end_utc <= %s", moment(window.end))
    for column, operator, limit in (
        ("start_utc", "<", window.starts_before),
        ("start_utc", ">", window.starts_after),
        ("end_utc", "<", window.ends_before),
        ("end_utc", ">", window.ends_after),
    ):
        if limit is not None:
            filters.add(f"e.{column} {operator} %s", moment(limit))


def _columns(query: EventQuery, values: Mapping[str, Any]) -> None:
    """Filter by what stands in the event's own row."""
    filters = query.filters
    before = len(filters.texts)
    for name in ("featured", "ticketed"):
        if name in values:
            filters.add(f"e.{name}" if values[name] else f"NOT e.{name}")
    if "modified_after" in values:
        filters.add("e.modified_at > %s", sql.moment(values["modified_after"].utc))
    if "include" in values:
        filters.any_of("e.id", values["include"])
    if "search" in values:
        _search(filters, values["search"])
    if len(filters.texts) > before:
        query.scope = None
    if "institution" in values:
        filters.add("e.institution = %s", values["institution"])
        if query.scope:
            query.scope = totals.of_institution(values["institution"])


def _protect(query: EventQuery, values: Mapping[str, Any]) -> None:
    """Leave out protected events where a filter would tell what they do not show."""
    if not any(name in values for name in PROTECTED_BY_PASSWORD):
        return
    if "password" in values:
        query.scope = None
        query.filters.add("e.password IN ('', %s)", values["password"])
    else:
        query.filters.add("e.password = ''")


def _search(filters: sql.Conditions, search: SearchQuery) -> None:
    for word in search.wanted:
        filters.contains("e.search_text", word)
    for word in search.excluded:
        filters.contains("e.search_text", word, negated=True)


def _links(query: EventQuery, values: Mapping[str, Any], problems: dict[str, str]) -> None:
    """Filter by terms, venues, organizers and the parent; unknown ones are problems."""
    for name, taxonomy in (("categories", Taxonomy.CATEGORY), ("tags", Taxonomy.TAG)):
        if name in values:
            try:
                ids = lookups.term_ids(taxonomy, values[name])
            except lookups.Unknown as unknown:
                problems[name] = str(unknown)
            else:
                _in_terms(query, ids, shows_protected="password" in values)
    for name, kind in (
        ("venue", viewers.VENUE),
        ("organizer", viewers.ORGANIZER),
        ("post_parent", viewers.EVENT),
    ):
        if name in values:
            wanted = values[name] if isinstance(values[name], list) else [values[name]]
            try:
                lookups.require(kind, wanted, query.viewer, query.now)
            except lookups.Unknown as unknown:
                problems[name] = str(unknown)
                continue
            query.scope = None
            if name == "post_parent":
                query.filters.any_of("e.post_parent_id", wanted)
            else:
                _linked(query.filters, name, wanted)


def _in_terms(query: EventQuery, ids: set[int], *, shows_protected: bool) -> None:
    """Walk the links of a single term; several would find an event more than once."""
    is_plain = query.scope is totals.EVERYTHING and query.term is None
    if len(ids) == 1 and is_plain and not shows_protected:
        (query.term,) = ids
        query.scope = totals.of_term(query.term)
    else:
        query.scope = None
        _linked(query.filters, "term", sorted(ids))


def _linked(filters: sql.Conditions, name: str, ids: list[int]) -> None:
    linked = sql.Conditions()
    linked.any_of(f"x.{name}_id", ids)
    filters.add(
        f"e.id IN (SELECT x.event_id FROM calendar_events_event{name} x WHERE {linked})",
        *linked.params,
    )


def _places(query: EventQuery, values: Mapping[str, Any], problems: dict[str, str]) -> None:
    """Filter by where it is."""
    if "geoloc" in values:
        query.scope = None
        geography.located(query.filters, query.viewer, query.now, wanted=values["geoloc"])
    given = [name for name in ("geoloc_lat", "geoloc_lng") if name in values]
    if len(given) == 1:
        missing = "geoloc_lng" if given == ["geoloc_lat"] else "geoloc_lat"
        problems[missing] = f"This must be sent with {given[0]}."
    elif given:
        query.scope = None
        geography.near(
            query.filters,
            query.viewer,
            query.now,
            latitude=values["geoloc_lat"],
            longitude=values["geoloc_lng"],
            radius=values.get("radius", geography.DEFAULT_RADIUS_KM),
        )
