"""Lists of events: from read parameters to one statement with the page and its total.

A list is made of *parts* that do not overlap: what everybody sees, and what only this
viewer sees. Each part walks an index of its own, so page one costs the same however many
events there are. The page and the total come from one statement, hence from one moment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calendar_events.models import Status
from calendar_events.models.visibility import EVENT, LISTED, UNPUBLISHED, come, own, to_come
from calendar_events.store import sql
from calendar_events.store.changes import changed
from calendar_events.store.events import totals
from calendar_events.store.list_version import NO_HINTS
from calendar_events.store.ordering import Order
from calendar_events.store.search_conditions import EVENTS, Part, Source, searched
from calendar_events.store.visibility import conditions_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from calendar_events.models.visibility import Alternative, Viewer
    from calendar_events.parsing.text import SearchQuery
    from calendar_events.store.changes import Change
    from calendar_events.store.events.windows import Window
    from calendar_events.store.list_version import CountHints

BY_START = Order("start_utc")


@dataclass(kw_only=True)
class EventQuery:
    """One list of events: who sees it, its parts, how it is filtered and sorted."""

    viewer: Viewer
    now: datetime
    window: Window
    filters: sql.Conditions = field(default_factory=sql.Conditions)
    statuses: frozenset[str] = frozenset({Status.PUBLISH})
    order: Order = BY_START
    link: totals.Link | None = None
    """The terms, venues or organizers whose links the list can walk."""
    search: SearchQuery | None = None
    """What their text must contain; a filter like the others, but expensive."""
    change: Change | None = None
    """Since when events must have changed; ``None`` where that does not matter."""
    hints: CountHints = NO_HINTS
    scope: totals.Scope | None = totals.EVERYTHING
    """How the public part is counted without looking at it; ``None``: it is not."""

    def public_part(self) -> Part | None:
        """Return what everybody sees."""
        if Status.PUBLISH not in self.statuses:
            return None
        return self._part(self._public())._replace(is_public=True)

    def own_parts(self) -> list[Part]:
        """Return what only this viewer sees; no event is in two parts."""
        if not self.viewer.is_user:
            return []
        parts = []
        if Status.FUTURE in self.statuses:
            parts.append(self._own_part((*LISTED, to_come(self.now))))
        stored = sorted(self.statuses - {Status.PUBLISH, Status.FUTURE})
        if stored:
            parts.append(self._own_part(UNPUBLISHED, is_published=False))
            marks = ", ".join(["%s"] * len(stored))
            parts[-1].conditions.add(f"e.status IN ({marks})", *stored)
        return parts

    def from_start(self) -> sql.Conditions:
        """Return the conditions of what anybody sees from the beginning of the window."""
        conditions = sql.Conditions()
        conditions.extend(conditions_of((self._public(),), "e"))
        if self.window.start is not None:
            conditions.add("e.start_utc >= %s", sql.moment(self.window.start))
        return conditions

    def searched(self, source: Source) -> list[Part]:
        """Return all of the list's parts, with the words that are searched for.

        With a ``change`` an event can be in several of them.
        """
        public = self.public_part()
        parts = [*([public] if public else []), *self.own_parts()]
        if self.change is not None:
            parts = [one for part in parts for one in changed(part, self.change)]
        return [found for part in parts for found in searched(part, self.search, source)]

    def streams(self) -> list[Part]:
        """Return the public part as walks through indexes, one for each link.

        An event with two of the links is in two streams.
        """
        if self.link is None:
            public = self.public_part()
            return [public] if public else []
        return [self._stream(self.link.name, pk) for pk in self.link.ids]

    def _stream(self, name: str, pk: int) -> Part:
        conditions = self._conditions(self._public())
        conditions.add(f"l.{name}_id = %s", pk)
        conditions.add("l.listed")
        key, column = f"e.{self.order.column}", "e.id"
        if self.order.column == BY_START.column:
            # The copies in the link are the head of one index.
            key, column = "l.start_utc", "l.event_id"
            if self.window.start is not None:
                conditions.add("l.start_utc >= %s", sql.moment(self.window.start))
        table = f"calendar_events_event{name} l JOIN {EVENTS} ON e.id = l.event_id"
        return Part(key, conditions, table, column)

    def _public(self) -> Alternative:
        return (*LISTED, come(self.now))

    def _own_part(self, conditions: Alternative, *, is_published: bool = True) -> Part:
        part = self._part(conditions, is_published=is_published)
        part.conditions.extend(conditions_of(own(self.viewer, EVENT), "e"))
        return part

    def _part(self, which: Alternative, *, is_published: bool = True) -> Part:
        conditions = self._conditions(which)
        if self.link is not None:
            linked(conditions, self.link.name, self.link.ids)
        key = f"e.{self.order.column}"
        if self.order.column == "published_at" and not is_published:
            key = "COALESCE(e.published_at, e.created_at)"
        return Part(key, conditions)

    def _conditions(self, which: Alternative) -> sql.Conditions:
        conditions = conditions_of((which,), "e")
        conditions.extend(self.filters)
        return conditions

    @property
    def is_walked(self) -> bool:
        """Whether the page can be walked to, for its total is known otherwise."""
        return (
            self.scope is not None
            and Status.PUBLISH in self.statuses
            and totals.is_kept(self.window, self.now)
        )


def linked(filters: sql.Conditions, name: str, ids: Sequence[int]) -> None:
    """Add that an event is linked to one of these."""
    found = sql.Conditions()
    found.any_of(f"x.{name}_id", ids)
    filters.add(
        f"e.id IN (SELECT x.event_id FROM calendar_events_event{name} x WHERE {found})",
        *found.params,
    )
