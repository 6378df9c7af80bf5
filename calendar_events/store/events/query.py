"""What a list of events asks for, and the parts of the calendar in which it is found.

A list is made of *parts* that do not overlap: what everybody sees, and what only this
viewer sees. Each part walks an index of its own, so page one costs the same however many
events there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Q
from django.db.models.expressions import RawSQL

from calendar_events.models import Status
from calendar_events.models.visibility import EVENT, LISTED, UNPUBLISHED, come, own, to_come
from calendar_events.store import sql
from calendar_events.store.changes import Change, changed
from calendar_events.store.events import geography, totals
from calendar_events.store.events.windows import Window
from calendar_events.store.list_version import NO_HINTS
from calendar_events.store.lists import Asked
from calendar_events.store.ordering import Order
from calendar_events.store.search_conditions import EVENTS, Part, Source, searched
from calendar_events.store.visibility import conditions_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from calendar_events.models.visibility import Alternative, Viewer
    from calendar_events.parsing.text import SearchQuery
    from calendar_events.store.list_version import CountHints

BY_START = Order("start_utc")
ANY_TIME = Window()
MAX_STREAMS = 20
"""More links than this are looked up, not walked."""


class Near(NamedTuple):
    """A circle on the sphere; degrees and kilometres."""

    latitude: float
    longitude: float
    radius: float


@dataclass(frozen=True, kw_only=True)
class EventQuery(Asked):
    """One list of events: who sees it, how it is filtered and sorted."""

    viewer: Viewer
    now: datetime
    hints: CountHints = NO_HINTS
    trusts_hints: bool = False
    """Whether what the hints say is not there is not looked for."""
    window: Window = ANY_TIME
    statuses: frozenset[str] = frozenset({Status.PUBLISH})
    order: Order = BY_START
    institution: str | None = None
    ids: Sequence[int] | None = None
    parent: int | None = None
    featured: bool | None = None
    ticketed: bool | None = None
    links: tuple[totals.Link, ...] = ()
    """Of each an event must have one."""
    located: bool | None = None
    """Whether one of its venues has coordinates."""
    near: Near | None = None
    search: SearchQuery | None = None
    """What their text must contain; a filter like the others, but expensive."""
    changed_after: datetime | None = None
    password: str = ""
    """Of protected events; others are not found by what their password protects."""

    @property
    def change(self) -> Change | None:
        """Since when events must have changed; ``None`` where that does not matter."""
        if self.changed_after is None:
            return None
        return Change(
            after=self.changed_after,
            now=self.now,
            start=None if self.window.overlaps else self.window.start,
            password=self.password,
        )

    @property
    def _is_guarded(self) -> bool:
        """Whether a filter could tell what protected events do not show."""
        return (
            bool(self.links)
            or self.featured is not None
            or self.ticketed is not None
            or self.located is not None
            or self.near is not None
        )

    @property
    def scope(self) -> totals.Scope | None:
        """How the public part is counted without looking at it; ``None``: it is not."""
        is_counted = (
            self.ids is None
            and self.parent is None
            and self.featured is None
            and self.ticketed is None
            and self.located is None
            and self.near is None
            and self.search is None
            and self.changed_after is None
        )
        if not is_counted:
            return None
        if not self.links:
            if self.institution is None:
                return totals.EVERYTHING
            return totals.of_institution(self.institution)
        link, *others = self.links
        if others or self.institution is not None or self.password:
            return None
        return totals.of_links(link) if len(link.ids) <= MAX_STREAMS else None

    @property
    def is_walked(self) -> bool:
        """Whether the page can be walked to, for its total is known otherwise."""
        return (
            self.scope is not None
            and Status.PUBLISH in self.statuses
            and totals.is_kept(self.window, self.now)
        )

    def condition(self) -> Q:
        """Return the whole list as a condition, for what is no page."""
        parts = self.searched(Source.EVENTS)
        union = " UNION ".join(f"SELECT id FROM ({part.text}) p" for part in parts)
        params = [param for part in parts for param in part.conditions.params]
        return Q(pk__in=RawSQL(union, params)) if parts else Q(pk__in=[])  # noqa: S611

    def searched(self, source: Source) -> list[Part]:
        """Return all of the list's parts, with the words that are searched for.

        With a ``change`` an event can be in several of them.
        """
        public = self.public_part()
        parts = [*([public] if public else []), *self.own_parts()]
        if self.change is not None:
            parts = [one for part in parts for one in changed(part, self.change)]
        return [found for part in parts for found in searched(part, self.search, source)]

    def public_part(self) -> Part | None:
        """Return what everybody sees."""
        if Status.PUBLISH not in self.statuses:
            return None
        return self._part(self._public())._replace(is_public=True)

    def walked(self) -> list[Part]:
        """Return ``streams`` without the conditions that the hints say all events fulfil.

        They are for a statement that also asks ``totals.hints_are_stale``. Of a condition
        whose value a kept plan does not know, PostgreSQL expects a third to fulfil it; with
        three of them it rather made a new plan for each page of fifty.
        """
        return self.but(trusts_hints=True).streams()

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

    def streams(self) -> list[Part]:
        """Return the public part as walks through indexes, one for each link.

        An event with two of the links is in two streams.
        """
        if not self.links:
            public = self.public_part()
            return [public] if public else []
        return [self._stream(self.links[0].name, pk) for pk in self.links[0].ids]

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
        if self.trusts_hints and not self.hints.has_scheduled:
            return LISTED
        return (*LISTED, come(self.now))

    @property
    def _window(self) -> Window:
        end = self.window.end
        if self.trusts_hints and end is not None and self.hints.last_end <= end:
            return replace(self.window, end=None)
        return self.window

    def _own_part(self, conditions: Alternative, *, is_published: bool = True) -> Part:
        part = self._part(conditions, is_published=is_published)
        part.conditions.extend(conditions_of(own(self.viewer, EVENT), "e"))
        return part

    def _part(self, which: Alternative, *, is_published: bool = True) -> Part:
        conditions = self._conditions(which)
        for link in self.links:
            link.add_to(conditions)
        key = f"e.{self.order.column}"
        if self.order.column == "published_at" and not is_published:
            key = "COALESCE(e.published_at, e.created_at)"
        return Part(key, conditions)

    def _conditions(self, which: Alternative) -> sql.Conditions:
        conditions = conditions_of((which,), "e")
        self._window.add_to(conditions)
        for name, is_set in (("featured", self.featured), ("ticketed", self.ticketed)):
            if is_set is not None:
                conditions.add(f"e.{name}" if is_set else f"NOT e.{name}")
        if self.ids is not None:
            conditions.any_of("e.id", self.ids)
        if self.institution is not None:
            conditions.add("e.institution = %s", self.institution)
        if self.parent is not None:
            conditions.add("e.post_parent_id = %s", self.parent)
        if self.located is not None:
            places = geography.links_to_places(self.viewer, self.now, self.window)
            conditions.extend(geography.located(places, wanted=self.located))
        if self.near is not None:
            places = geography.links_to_places(self.viewer, self.now, self.window)
            conditions.extend(geography.near(places, *self.near))
        if self._is_guarded and self.password:
            conditions.add("e.password IN ('', %s)", self.password)
        elif self._is_guarded:
            conditions.add("e.password = ''")
        return conditions
