"""Lists of venues and organizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Exists, OuterRef, Q

from calendar_events.models import EventOrganizer, EventVenue, Status, visibility
from calendar_events.models.visibility import EVENT, NOT_IN_TRASH, as_q
from calendar_events.store import lookups
from calendar_events.store.ordering import RECORD_COLUMNS, Order, order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from django.db.models import QuerySet

    from calendar_events.models.visibility import Viewer

LINKS: dict[str, type[EventVenue | EventOrganizer]] = {
    visibility.VENUE: EventVenue,
    visibility.ORGANIZER: EventOrganizer,
}


class RecordRow(NamedTuple):
    """What a list needs of a venue or an organizer."""

    id: int
    status: str
    published_at: datetime | None
    fragment: str


def by_ids(kind: str, ids: Sequence[int]) -> list[RecordRow]:
    """Return records in the given order."""
    rows = lookups.KINDS[kind].objects.filter(id__in=ids).values_list(*RecordRow._fields)
    found = {row[0]: RecordRow(*row) for row in rows}
    return [found[pk] for pk in ids if pk in found]


def record_query(
    values: Mapping[str, Any], *, kind: str, viewer: Viewer, now: datetime
) -> tuple[QuerySet[Any], Order, dict[str, str]]:
    """Return the records that parameters ask for, their order, what is wrong by name."""
    problems: dict[str, str] = {}
    records = lookups.KINDS[kind].objects.filter(
        _with_statuses(kind, values, viewer, now, problems)
    )
    if "event" in values:
        try:
            lookups.require(visibility.EVENT, [values["event"]], viewer, now)
        except lookups.Unknown as unknown:
            problems["event"] = str(unknown)
        # Its venues and organizers are among what an event's password protects.
        links = LINKS[kind].objects.filter(event=values["event"], event__password="")
        records = records.filter(id__in=links.values(kind))
    if "has_events" in values:
        has_events = _has_events(kind, viewer, now)
        records = records.filter(has_events if values["has_events"] else ~has_events)
    if values.get("only_with_upcoming"):
        records = records.filter(_has_events(kind, viewer, now, start_utc__gte=now))
    if "search" in values:
        records = records.filter(search_text__contains=values["search"])
    if "institution" in values:
        records = records.filter(institution=values["institution"])
    if "modified_after" in values:
        after = values["modified_after"].utc
        records = records.filter(
            Q(modified_at__gt=after)
            | (as_q(visibility.public(now)) & Q(published_at__gt=after))
        )
    newest_first = Order("published_at", descending=True)
    found = order(values, RECORD_COLUMNS, newest_first, descending_by_default=True)
    return records, found, problems


def _with_statuses(
    kind: str,
    values: Mapping[str, Any],
    viewer: Viewer,
    now: datetime,
    problems: dict[str, str],
) -> Q:
    """Return the condition for the statuses that are asked for and may be seen."""
    visible = as_q(visibility.visible(viewer, kind, now))
    if "status" not in values:
        return visible if viewer.sees_statuses(kind) else as_q(visibility.public(now))
    asked = values["status"]
    if unknown := sorted(set(asked) - set(Status.values)):
        problems["status"] = f"There is no status {', '.join(unknown)}."
    elif asked != [Status.PUBLISH] and not viewer.sees_statuses(kind):
        problems["status"] = "Only publish may be asked for."
    chosen = Q(pk__in=[])
    for status in set(asked):
        if status == Status.PUBLISH:
            chosen |= as_q(visibility.public(now))
        elif status == Status.FUTURE:
            chosen |= as_q(visibility.scheduled(now)) & visible
        elif status == Status.TRASH:
            chosen |= as_q(visibility.own(viewer, kind)) & Q(status=status)
        else:
            chosen |= Q(status=status) & visible
    return chosen


def _has_events(kind: str, viewer: Viewer, now: datetime, **conditions: Any) -> Exists:
    """Return the condition for being linked to an event that the viewer may see."""
    visible = Q(listed=True) & as_q(((visibility.come(now),),), "event__")
    own = visibility.own(viewer, EVENT)
    if own:
        # What a password protects, links included, does not count either.
        shown = Q(event__hide_from_listings=False, event__password="")
        visible |= shown & as_q(visibility.both(own, (NOT_IN_TRASH,)), "event__")
    linked = LINKS[kind].objects.filter(visible, **{kind: OuterRef("pk")}, **conditions)
    return Exists(linked)
