"""Lists of venues and organizers: how they are asked for, and their pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce

from calendar_events.documents import composition
from calendar_events.models import EventOrganizer, EventVenue, Status, visibility
from calendar_events.models.visibility import EVENT, NOT_IN_TRASH, as_q
from calendar_events.store import lookups, sql
from calendar_events.store.lists import Asked, ListQuerySet, Page
from calendar_events.store.ordering import RECORD_COLUMNS, Order, order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from calendar_events.models.visibility import Viewer

LINKS: dict[str, type[EventVenue | EventOrganizer]] = {
    visibility.VENUE: EventVenue,
    visibility.ORGANIZER: EventOrganizer,
}
EVERYTHING = Q()
NEWEST_FIRST = Order("published_at", descending=True)
_STATEMENT = """WITH found AS MATERIALIZED ({found})
SELECT t.number, p.id FROM (SELECT COUNT(*) AS number FROM found) t
LEFT JOIN (SELECT id, k FROM found
  ORDER BY k {direction}, id {direction} LIMIT {limit} OFFSET {offset}) p ON 1 = 1
ORDER BY p.k {direction}, p.id {direction}"""


@dataclass(frozen=True, kw_only=True)
class PlaceQuery(Asked):
    """Who sees a list of venues or organizers, in which statuses and what order."""

    kind: str
    viewer: Viewer
    now: datetime
    statuses: frozenset[str] | None = None
    """``None``: all that the viewer sees, but not the trash."""
    where: Q = EVERYTHING
    order: Order = NEWEST_FIRST

    def condition(self) -> Q:
        """Return the whole list as a condition."""
        return self._visible() & self.where

    def _visible(self) -> Q:
        visible = as_q(visibility.visible(self.viewer, self.kind, self.now))
        public = as_q(visibility.public(self.now))
        if self.statuses is None:
            return visible if self.viewer.sees_statuses(self.kind) else public
        chosen = Q(pk__in=[])
        for status in sorted(self.statuses):
            if status == Status.PUBLISH:
                chosen |= public
            elif status == Status.FUTURE:
                chosen |= as_q(visibility.scheduled(self.now)) & visible
            elif status == Status.TRASH:
                own = as_q(visibility.own(self.viewer, self.kind))
                chosen |= own & Q(status=status)
            else:
                chosen |= Q(status=status) & visible
        return chosen


class _Row(NamedTuple):
    id: int
    status: str
    published_at: datetime | None
    fragment: str


class ListedPlaces(ListQuerySet):
    """Venues or organizers as lists show them."""

    asked: PlaceQuery

    def listed_for(self, viewer: Viewer, now: datetime) -> Self:
        """Keep what lists show the viewer at ``now``."""
        kind = str(self.model._meta.model_name)
        return self.asking(PlaceQuery(kind=kind, viewer=viewer, now=now))

    def with_statuses(self, statuses: Sequence[str]) -> Self:
        """Keep what has one of these statuses. Raises ``lookups.Refused``."""
        lookups.require_statuses(statuses, self.asked.kind, self.asked.viewer)
        return self.asking(self.asked.but(statuses=frozenset(statuses)))

    def of_event(self, pk: int) -> Self:
        """Keep those of an event. Raises ``lookups.Unknown``."""
        lookups.require(EVENT, [pk], self.asked.viewer, self.asked.now)
        # Its venues and organizers are among what an event's password protects.
        links = LINKS[self.asked.kind].objects.filter(event=pk, event__password="")
        return self._where(Q(id__in=links.values(self.asked.kind)))

    def with_events(self, *, wanted: bool) -> Self:
        """Keep those with events that the viewer may see, or those without."""
        return self._where(Q(self._has_events()) if wanted else ~Q(self._has_events()))

    def with_upcoming(self, *, wanted: bool) -> Self:
        """Keep those with events to come that the viewer may see; else keep all."""
        if not wanted:
            return self
        return self._where(Q(self._has_events(start_utc__gte=self.asked.now)))

    def containing(self, folded: str) -> Self:
        """Keep those with a text in name, description, address or contact."""
        return self._where(Q(search_text__contains=folded))

    def changed_after(self, moment: datetime) -> Self:
        """Keep what was written, or published by time, since."""
        published = as_q(visibility.public(self.asked.now)) & Q(published_at__gt=moment)
        return self._where(Q(modified_at__gt=moment) | published)

    def of_institution(self, registry_id: str) -> Self:
        """Keep what belongs to an institution."""
        return self._where(Q(institution=registry_id))

    def sorted_by(self, values: Mapping[str, Any]) -> Self:
        """Sort as ``orderby`` and ``order`` ask for, else the newest first."""
        found = order(values, RECORD_COLUMNS, NEWEST_FIRST, descending_by_default=True)
        return self.asking(self.asked.but(order=found))

    def page(self, *, limit: int, offset: int) -> Page:
        """Return a page of documents."""
        asked = self.asked
        ids, total = _slice(self, asked.order, limit=limit, offset=offset)
        records = lookups.KINDS[asked.kind].objects.filter(id__in=ids)
        found = {row[0]: _Row(*row) for row in records.values_list(*_Row._fields)}
        return Page([_document(found[pk], asked.now) for pk in ids if pk in found], total)

    def _where(self, condition: Q) -> Self:
        return self.asking(self.asked.but(where=self.asked.where & condition))

    def _has_events(self, **conditions: Any) -> Exists:
        """Return the condition for being linked to an event that the viewer may see."""
        kind, viewer, now = self.asked.kind, self.asked.viewer, self.asked.now
        visible = Q(listed=True) & as_q(((visibility.come(now),),), "event__")
        own = visibility.own(viewer, EVENT)
        if own:
            # What a password protects, links included, does not count either.
            shown = Q(event__hide_from_listings=False, event__password="")
            visible |= shown & as_q(visibility.both(own, (NOT_IN_TRASH,)), "event__")
        linked = LINKS[kind].objects.filter(visible, **{kind: OuterRef("pk")}, **conditions)
        return Exists(linked)


def _document(row: _Row, now: datetime) -> str:
    is_scheduled = visibility.holds(visibility.scheduled(now), row)
    return composition.record(row.fragment, is_scheduled=is_scheduled)


def _slice(
    places: ListedPlaces, order: Order, *, limit: int, offset: int
) -> tuple[list[int], int]:
    """Return a page of identifiers and the exact total, as of one moment."""
    keyed = places.order_by().annotate(k=_key(order.column)).values_list("id", "k")
    found, params = keyed.query.get_compiler(sql.connection().alias).as_sql()
    statement = _STATEMENT.format(
        found=found, direction=order.direction, limit=limit, offset=offset
    )
    rows = sql.rows(statement, params, prepare=False)
    return [pk for _, pk in rows if pk is not None], rows[0][0]


def _key(column: str) -> Any:
    """Return what is sorted by; what was never published counts from its creation."""
    return Coalesce("published_at", "created_at") if column == "published_at" else F(column)
