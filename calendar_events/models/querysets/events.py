"""The words in which lists of events are asked for."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Self

from django.db.models import Case, F, Q, When
from django.db.models import Window as SqlWindow
from django.db.models.functions import RowNumber

from calendar_events.models import visibility
from calendar_events.models.querysets import places
from calendar_events.models.querysets.base import (
    EVENT_COLUMNS,
    Order,
    RecordQuerySet,
    Refused,
    Unknown,
)
from calendar_events.models.querysets.scopes import (
    ANY_TIME,
    Scope,
    Window,
    is_shown,
)
from calendar_events.models.standing import EventStatus
from calendar_events.models.visibility import Literal, Viewer, as_q
from calendar_events.parsing.slugs import Token
from calendar_events.parsing.text import SearchQuery

MAX_LINKS = 20
"""With more links than this a list is counted."""


_ASIDE = frozenset(
    {
        *("order_by", "extra_order_by", "default_ordering", "standard_ordering"),
        *("base_table", "used_aliases", "filter_is_sticky", "_annotation_select_cache"),
    }
)
"""Attributes of a query that do not decide which rows it finds."""


def _rows_of(query: Any) -> dict[str, Any]:
    """Return all of a query that decides which rows it finds; what is unknown does."""
    return {name: value for name, value in vars(query).items() if name not in _ASIDE}


class EventQuerySet(RecordQuerySet):
    """Events.

    A list that a password could tell something about leaves out protected events, unless
    the password is given: whatever it is filtered by, except for columns in
    ``protected.SHOWN``.
    """

    default_order = Order("start_utc")
    orders = EVENT_COLUMNS
    newest_first = False
    window = ANY_TIME
    known_scope: Scope | None = None
    carried = ("listing", "window", "known_scope")

    @property
    def scope(self) -> Scope | None:
        """Return the list as one whose total is known; ``None``: it has to be counted.

        Whatever has been done to the query by others than our words, it is counted.
        """
        scope = self.known_scope
        if scope is None or _rows_of(self.query) != _rows_of(scope.rows):
            return None
        return scope

    def listed_for(self, viewer: Viewer, now: datetime) -> Self:
        """Keep what lists show the viewer at ``now``: nothing hidden, nothing trashed."""
        is_whole = _rows_of(self.query) == _rows_of(type(self)(self.model).query)
        clone = super().listed_for(viewer, now)
        scope = Scope(beyond=visibility.beyond(viewer, self.kind, now))
        return clone.noting_scope(scope if is_whole else None)

    def dates_for(self, viewer: Viewer, now: datetime) -> Self:
        """Keep what series show the viewer: as lists, and what is hidden to its own."""
        condition = as_q(visibility.dated(viewer, now))
        return self.seen_by(viewer, now)._replace("visibility", condition)

    def with_statuses(self, statuses: Iterable[str]) -> Self:
        """Show what has one of these statuses, trash too; follows ``listed_for``.

        Raises ``Refused`` for statuses that are unknown or not for this viewer.
        """
        chosen = frozenset(statuses)
        scope = self.scope
        clone = super().with_statuses(chosen)
        if scope is None or visibility.Status.PUBLISH not in chosen:
            return clone
        beyond = visibility.beyond(self.listing.viewer, self.kind, self.moment, chosen)
        return clone.noting_scope(replace(scope, beyond=beyond))

    def in_window(self, window: Window) -> Self:
        """Keep what is on then."""
        scope = self.scope
        clone = super().filter(window.as_q())  # what a protected event shows
        clone.window = window
        if scope is None or scope.window != ANY_TIME:
            return clone
        return clone.noting_scope(replace(scope, window=window))

    def of_institution(self, registry_id: str) -> Self:
        """Keep what belongs to an institution."""
        scope = self.scope
        clone = super().of_institution(registry_id)
        if scope is None or scope.institution or scope.link:
            return clone
        return clone.noting_scope(replace(scope, institution=registry_id))

    def matching(self, search: SearchQuery) -> Self:
        """Keep what has these words in title, excerpt or description."""
        events = self
        for term in search.wanted:
            events = events.filter(search_text__contains=term)
        for term in search.excluded:
            events = events.exclude(search_text__contains=term)
        return events

    def in_categories(self, tokens: Sequence[Token]) -> Self:
        """Keep what is in one of these or under them. Raises ``Unknown``."""
        terms = self._model_of("term").objects.categories()
        return self._linked("term", sorted(terms.named(tokens)))

    def with_tags(self, tokens: Sequence[Token]) -> Self:
        """Keep what has one of these tags. Raises ``Unknown``."""
        terms = self._model_of("term").objects.tags()
        return self._linked("term", sorted(terms.named(tokens)))

    def at_venues(self, ids: Sequence[int]) -> Self:
        """Keep what is at one of these venues. Raises ``Unknown``."""
        self._visible("venue").require(ids)
        return self._linked("venue", ids)

    def by_organizers(self, ids: Sequence[int]) -> Self:
        """Keep what one of these organizers holds. Raises ``Unknown``."""
        self._visible("organizer").require(ids)
        return self._linked("organizer", ids)

    def children_of(self, pk: int) -> Self:
        """Keep the children of an event. Raises ``Unknown``."""
        self._visible("event").require([pk])
        return self.filter(post_parent=pk)

    def of_series(self, pk: int) -> Self:
        """Keep the occurrences of a series. Raises ``Unknown``."""
        shown = self.model.objects.dates_for(self.listing.viewer, self.moment)
        if not shown.filter(series=pk).exists():
            raise Unknown([pk])
        return self.filter(series=pk)

    def once_for_each_series(self) -> Self:
        """Keep one occurrence of each series: the next, where all are over the last.

        Of those that the list shows so far; filters that follow leave out more.
        """
        ahead = Case(When(end_utc__gte=self.moment, then=F("start_utc")))
        rank = SqlWindow(
            RowNumber(),
            partition_by=F("series"),
            order_by=[ahead.asc(nulls_last=True), F("start_utc").desc(), F("pk").asc()],
        )
        series: Any = self.filter(series__isnull=False).order_by().annotate(rank=rank)
        series.query.add_q(Q(rank=1))
        chosen = Q(pk__in=series.values("pk"))
        return self._replace("series", Q(series__isnull=True) | chosen)

    def featured(self, *, wanted: bool) -> Self:
        return self.filter(featured=wanted)

    def ticketed(self, *, wanted: bool) -> Self:
        """Keep what has tickets, or what has none."""
        return self.filter(ticketed=wanted)

    def with_event_statuses(self, statuses: Iterable[str]) -> Self:
        """Keep what is as planned, cancelled, postponed or moved. Raises ``Refused``."""
        chosen = frozenset(statuses)
        if unknown := sorted(chosen - set(EventStatus.values)):
            raise Refused(f"There is no event status {', '.join(unknown)}.")
        events = self.filter(event_status__in=sorted(chosen))
        if EventStatus.SCHEDULED in chosen:
            return events
        # Said in the words of the index of those few.
        return events.exclude(event_status=Literal(EventStatus.SCHEDULED.value))

    def located(self, *, wanted: bool) -> Self:
        """Keep what is at a venue with coordinates, or what is not."""
        venues = self._visible("venue").filter(geo_lat__isnull=False)
        there = Q(pk__in=self._links("venue").filter(venue__in=venues).values("event"))
        return self.filter(there if wanted else ~there)

    def near(self, latitude: float, longitude: float, radius: float) -> Self:
        """Keep what is within ``radius`` kilometres of a place in degrees."""
        there = places.within(latitude, longitude, radius)
        venues = self._visible("venue").filter(there)
        return self.filter(
            pk__in=self._links("venue").filter(venue__in=venues).values("event")
        )

    def among(self, ids: Sequence[int]) -> Self:
        """Keep these events, sorted by publication unless another order is asked for."""
        by_publication = Order("published_at")
        events = self.filter(pk__in=ids).with_listing(order=by_publication)
        return events.in_order(by_publication)

    def changed_after(self, moment: datetime) -> Self:
        """Keep what has changed since, itself or in what it embeds.

        An event changes when it is written, when time publishes it, and when either
        happens to a venue, an organizer or a term of it. Each way is a query by itself,
        for which an index finds the few that are new.
        """
        events = self.model._base_manager
        published = Q(published_at__gt=moment) & as_q(((*visibility.LISTED,),))
        ways = [
            events.filter(modified_at__gt=moment).values("pk"),
            events.filter(published, published_at__lte=self.moment).values("pk"),
            events.filter(
                online_from__gt=moment, online_from__lte=self.moment, password=""
            ).values("pk"),
        ]
        for name in ("venue", "organizer", "term"):
            records = self._model_of(name).objects
            fresh = [records.filter(modified_at__gt=moment)]
            if name != "term":
                since = records.public(self.moment).filter(published_at__gt=moment)
                fresh.append(since)
            for one in fresh:
                links = self._links(name).filter(**{f"{name}__in": one.values("pk")})
                if not self._is_everybodys:
                    # What an event embeds is among what its password protects.
                    links = links.filter(event__password__in=["", self.listing.password])
                ways.append(links.values("event"))
        first, *others = ways
        changed = first.union(*others, all=True)
        return super().filter(pk__in=changed)

    def opened_with(self, password: str) -> Self:
        """Show what this password protects, also by the filters that follow."""
        if password == self.listing.password:
            return self
        clone = self.with_listing(password=password)
        return clone.without_protected() if "password" in self.listing.relaxable else clone

    def continued(self, after: Q) -> Self:
        """Keep what comes after the last row of a walk; replaces the one before."""
        return self._replace("continued", after)

    def filter(self, *args: Any, **kwargs: Any) -> Self:
        """Filter; by what a password hides, only what it does not protect."""
        is_closed = self._is_closed(args, kwargs)
        events = super().filter(*args, **kwargs)
        return events.without_protected() if is_closed else events

    def exclude(self, *args: Any, **kwargs: Any) -> Self:
        """Exclude; by what a password hides, also all that one protects."""
        is_closed = self._is_closed(args, kwargs)
        events = super().exclude(*args, **kwargs)
        return events.without_protected() if is_closed else events

    def extra(self, *args: Any, **kwargs: Any) -> Self:
        """Add SQL of one's own; nobody knows what it is about."""
        is_closed = self._is_closed(("SQL",), {})
        events: Any = super().extra(*args, **kwargs)
        return events.without_protected() if is_closed else events

    def _is_closed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Return whether conditions would tell what a password hides."""
        is_list = self.listing.now is not None and "password" not in self.listing.relaxable
        return is_list and not is_shown([*args, *kwargs.items()])

    def without_protected(self) -> Self:
        given = self.listing.password
        condition = Q(password__in=["", given]) if given else Q(password="")
        return self._replace("password", condition)

    def _linked(self, name: str, ids: Sequence[int]) -> Self:
        scope = self.scope
        chosen = tuple(dict.fromkeys(ids))
        which = {name: chosen[0]} if len(chosen) == 1 else {f"{name}__in": chosen}
        clone = self.filter(pk__in=self._links(name).filter(**which).values("event"))
        if scope is None or scope.link or scope.institution or self.listing.password:
            return clone
        if not 0 < len(chosen) <= MAX_LINKS:
            return clone
        return clone.noting_scope(replace(scope, link=(name, chosen)))

    def _links(self, name: str) -> Any:
        """Return the links to venues, organizers or terms that the list may look at.

        They have copies of what most of their events fail, so that one index finds those
        which the list can show at all.
        """
        links = self._through(name)._base_manager.filter(self.window.of_links())
        return links.filter(listed=True) if self._is_everybodys else links

    @property
    def _is_everybodys(self) -> bool:
        """Whether the list shows this viewer what it shows everybody, and no more."""
        return not self.listing.viewer.is_user and not self.listing.password

    def _visible(self, name: str) -> Any:
        records = self.model if name == "event" else self._model_of(name)
        return records.objects.visible_to(self.listing.viewer, self.moment)

    def _through(self, name: str) -> Any:
        return self.model._meta.get_field(f"{name}s").remote_field.through

    def _model_of(self, name: str) -> Any:
        return self.model._meta.get_field(f"{name}s").related_model

    def noting_scope(self, scope: Scope | None) -> Self:
        """Note in a fresh copy that its total is known, unless it is changed later."""
        self.known_scope = scope and replace(scope, rows=self.query.clone())
        return self
