"""Lists of events: the words in which they are asked for, and their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from calendar_events.documents import composition
from calendar_events.models import Status, Taxonomy
from calendar_events.models.visibility import EVENT, ORGANIZER, VENUE, opens
from calendar_events.store import lookups, relations, sql
from calendar_events.store.events import pages, searches
from calendar_events.store.events.query import BY_START, EventQuery, Near
from calendar_events.store.events.totals import Link
from calendar_events.store.lists import ListQuerySet, Page
from calendar_events.store.ordering import EVENT_COLUMNS, Order, order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from calendar_events.documents.related import Related
    from calendar_events.models.visibility import Viewer
    from calendar_events.parsing.text import SearchQuery
    from calendar_events.parsing.values import Token
    from calendar_events.store.events.pages import EventRow
    from calendar_events.store.events.windows import Window
    from calendar_events.store.list_version import CountHints

NOT_IN_TRASH = frozenset(Status.values) - {Status.TRASH}


class ListedEvents(ListQuerySet):
    """Events as lists show them.

    Each word gathers what is asked for in ``EventQuery``; ``page`` answers it by prepared
    statements and kept counters. Conditions of ``filter``, built and compiled anew for
    every request, cost three times as much (``docs/decisions/0007``).
    """

    asked: EventQuery

    def listed_for(self, viewer: Viewer, now: datetime) -> Self:
        """Keep what lists show the viewer at ``now``: nothing hidden, nothing trashed."""
        query = EventQuery(viewer=viewer, now=now)
        if viewer.sees_statuses(EVENT):
            query = query.but(statuses=NOT_IN_TRASH)
        return self.asking(query)

    def counted_with(self, hints: CountHints) -> Self:
        """Count with what is known already of the calendar's far end."""
        return self._with(hints=hints)

    def with_statuses(self, statuses: Sequence[str]) -> Self:
        """Keep what has one of these statuses. Raises ``lookups.Refused``."""
        lookups.require_statuses(statuses, EVENT, self.asked.viewer)
        return self._with(statuses=frozenset(statuses))

    def in_window(self, window: Window) -> Self:
        """Keep what is on then."""
        return self._with(window=window)

    def matching(self, search: SearchQuery) -> Self:
        """Keep what has these words in title, excerpt or description."""
        return self._with(search=search)

    def in_categories(self, tokens: Sequence[Token]) -> Self:
        """Keep what is in one of these or under them. Raises ``lookups.Unknown``."""
        return self._linked("term", sorted(lookups.term_ids(Taxonomy.CATEGORY, tokens)))

    def with_tags(self, tokens: Sequence[Token]) -> Self:
        """Keep what has one of these tags. Raises ``lookups.Unknown``."""
        return self._linked("term", sorted(lookups.term_ids(Taxonomy.TAG, tokens)))

    def at_venues(self, ids: Sequence[int]) -> Self:
        """Keep what is at one of these venues. Raises ``lookups.Unknown``."""
        lookups.require(VENUE, ids, self.asked.viewer, self.asked.now)
        return self._linked("venue", ids)

    def by_organizers(self, ids: Sequence[int]) -> Self:
        """Keep what one of these organizers holds. Raises ``lookups.Unknown``."""
        lookups.require(ORGANIZER, ids, self.asked.viewer, self.asked.now)
        return self._linked("organizer", ids)

    def children_of(self, pk: int) -> Self:
        """Keep the children of an event. Raises ``lookups.Unknown``."""
        lookups.require(EVENT, [pk], self.asked.viewer, self.asked.now)
        return self._with(parent=pk)

    def featured(self, *, wanted: bool) -> Self:
        """Keep what is featured, or what is not."""
        return self._with(featured=wanted)

    def ticketed(self, *, wanted: bool) -> Self:
        """Keep what has tickets, or what has none."""
        return self._with(ticketed=wanted)

    def located(self, *, wanted: bool) -> Self:
        """Keep what is at a venue with coordinates, or what is not."""
        return self._with(located=wanted)

    def near(self, latitude: float, longitude: float, radius: float) -> Self:
        """Keep what is within ``radius`` kilometres of a place in degrees."""
        return self._with(near=Near(latitude, longitude, radius))

    def of_institution(self, registry_id: str) -> Self:
        """Keep what belongs to an institution."""
        return self._with(institution=registry_id)

    def among(self, ids: Sequence[int]) -> Self:
        """Keep these events."""
        return self._with(ids=ids)

    def changed_after(self, moment: datetime) -> Self:
        """Keep what has changed since, itself or in what it embeds."""
        return self._with(changed_after=moment)

    def opened_with(self, password: str) -> Self:
        """Show what this password protects."""
        return self._with(password=password)

    def sorted_by(self, values: Mapping[str, Any]) -> Self:
        """Sort as ``orderby`` and ``order`` ask for; chosen ones by publication."""
        default = BY_START if self.asked.ids is None else Order("published_at")
        found = order(values, EVENT_COLUMNS, default)
        return self if found == self.asked.order else self._with(order=found)

    def page(self, *, limit: int, offset: int) -> Page:
        """Return a page of documents; without their password some are blank."""
        search = self.asked.search
        if search is not None and sql.is_postgres():
            found = searches.fetch(self.asked, search, limit=limit, offset=offset)
        else:
            found = pages.fetch(self.asked, limit=limit, offset=offset)
        return Page(_documents(found.rows, self.asked), found.total)

    def _linked(self, name: str, ids: Sequence[int]) -> Self:
        link = Link(name, tuple(dict.fromkeys(ids)))
        return self._with(links=(*self.asked.links, link))

    def _with(self, **changes: Any) -> Self:
        return self.asking(self.asked.but(**changes))


def _documents(rows: list[EventRow], query: EventQuery) -> list[str]:
    open_ids = [
        row.id for row in rows if not row.password or opens(row.password, query.password)
    ]
    related: dict[int, list[Related]] = {pk: [] for pk in open_ids}
    found = relations.of_events(
        open_ids, query.viewer, query.now, has_scheduled=query.hints.has_scheduled
    )
    for one in found:
        related[one.event].append(one)
    return [
        composition.event(
            composition.effective(row.fragment, is_scheduled=row.is_scheduled),
            related[row.id],
        )
        if row.id in related
        else composition.protected_event(
            composition.effective(row.protected_fragment, is_scheduled=row.is_scheduled)
        )
        for row in rows
    ]
