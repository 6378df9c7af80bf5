"""From the parameters of ``GET /events`` to the list that they ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calendar_events.models import Status, Taxonomy, visibility
from calendar_events.store import geography, lookups, sql
from calendar_events.store.changes import Change
from calendar_events.store.events import totals
from calendar_events.store.events.query import BY_START, EventQuery, linked
from calendar_events.store.list_version import NO_HINTS
from calendar_events.store.ordering import EVENT_COLUMNS, Order, order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from calendar_events.models.visibility import Viewer
    from calendar_events.store.events.windows import Window
    from calendar_events.store.list_version import CountHints

DEFAULT_STATUSES = frozenset(Status.values) - {Status.TRASH}
MAX_STREAMS = 20
"""More links than this are looked up, not walked."""
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


def event_query(
    values: Mapping[str, Any],
    *,
    viewer: Viewer,
    now: datetime,
    window: Window,
    hints: CountHints = NO_HINTS,
) -> tuple[EventQuery, dict[str, str]]:
    """Return the list that parameters ask for, and what is wrong with them by name."""
    query = EventQuery(viewer=viewer, now=now, window=window, hints=hints)
    problems: dict[str, str] = {}
    _statuses(query, values, problems)
    _within(query.filters, window)
    _columns(query, values)
    _change(query, values)
    _links(query, values, problems)
    _places(query, values, problems)
    _protect(query, values)
    default = Order("published_at") if "include" in values else BY_START
    query.order = order(values, EVENT_COLUMNS, default)
    return query, problems


def _statuses(
    query: EventQuery, values: Mapping[str, Any], problems: dict[str, str]
) -> None:
    sees_all = query.viewer.sees_statuses(visibility.EVENT)
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
    if "include" in values:
        filters.any_of("e.id", values["include"])
    query.search = values.get("search")
    if len(filters.texts) > before or query.search is not None:
        query.scope = None
    if "institution" in values:
        filters.add("e.institution = %s", values["institution"])
        if query.scope:
            query.scope = totals.of_institution(values["institution"])


def _change(query: EventQuery, values: Mapping[str, Any]) -> None:
    """Filter by the last change, of the event or of what it embeds."""
    if "modified_after" not in values:
        return
    query.scope = None
    query.change = Change(
        after=values["modified_after"].utc,
        now=query.now,
        start=None if query.window.overlaps else query.window.start,
        password=values.get("password", ""),
    )


def _protect(query: EventQuery, values: Mapping[str, Any]) -> None:
    """Leave out protected events where a filter would tell what they do not show."""
    if not any(name in values for name in PROTECTED_BY_PASSWORD):
        return
    if "password" in values:
        query.scope = None
        query.filters.add("e.password IN ('', %s)", values["password"])
    else:
        query.filters.add("e.password = ''")


def _links(query: EventQuery, values: Mapping[str, Any], problems: dict[str, str]) -> None:
    """Filter by terms, venues, organizers and the parent; unknown ones are problems."""
    for name, taxonomy in (("categories", Taxonomy.CATEGORY), ("tags", Taxonomy.TAG)):
        if name in values:
            try:
                ids = lookups.term_ids(taxonomy, values[name])
            except lookups.Unknown as unknown:
                problems[name] = str(unknown)
            else:
                _link(query, "term", sorted(ids))
    for name, kind in (
        ("venue", visibility.VENUE),
        ("organizer", visibility.ORGANIZER),
        ("post_parent", visibility.EVENT),
    ):
        if name in values:
            wanted = values[name] if isinstance(values[name], list) else [values[name]]
            try:
                lookups.require(kind, wanted, query.viewer, query.now)
            except lookups.Unknown as unknown:
                problems[name] = str(unknown)
                continue
            if name == "post_parent":
                query.scope = None
                query.filters.any_of("e.post_parent_id", wanted)
            else:
                _link(query, name, list(dict.fromkeys(wanted)))


def _link(query: EventQuery, name: str, ids: Sequence[int]) -> None:
    """Walk the links of the first such filter; more of them are conditions."""
    if query.scope is totals.EVERYTHING and len(ids) <= MAX_STREAMS:
        query.link = totals.Link(name, tuple(ids))
        query.scope = totals.of_links(query.link)
    else:
        query.scope = None
        linked(query.filters, name, ids)


def _places(query: EventQuery, values: Mapping[str, Any], problems: dict[str, str]) -> None:
    """Filter by where it is."""
    if "geoloc" in values:
        query.scope = None
        geography.located(query, wanted=values["geoloc"])
    given = [name for name in ("geoloc_lat", "geoloc_lng") if name in values]
    if len(given) == 1:
        missing = "geoloc_lng" if given == ["geoloc_lat"] else "geoloc_lat"
        problems[missing] = f"This must be sent with {given[0]}."
    elif given:
        query.scope = None
        geography.near(
            query,
            latitude=values["geoloc_lat"],
            longitude=values["geoloc_lng"],
            radius=values.get("radius", geography.DEFAULT_RADIUS_KM),
        )
