"""The bases of all list QuerySets: who looks, and when; what records have in common.

Every word returns an ordinary QuerySet: ``filter``, ``exclude``, ``order_by``, slices,
``count`` and another filter backend work before and after it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self

from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.db.models.sql.where import AND

from calendar_events.models import visibility
from calendar_events.models.rendered import RenderedQuerySet
from calendar_events.models.visibility import ANONYMOUS, Status, Viewer, as_q
from calendar_events.parsing.slugs import MAX_ID


@dataclass(frozen=True, slots=True)
class Order:
    """A column and a direction; the identifier breaks ties in the same direction."""

    column: str
    descending: bool = False


EVENT_COLUMNS = {
    "start_date": "start_utc",
    "event_date": "start_utc",
    "end_date": "end_utc",
    "date": "published_at",
    "modified": "modified_at",
    "title": "sort_text",
    "id": "id",
}
RECORD_COLUMNS = {
    "date": "published_at",
    "modified": "modified_at",
    "title": "sort_text",
    "id": "id",
}
TERM_COLUMNS = {"name": "sort_text", "id": "id", "slug": "slug", "count": "number"}


def order(
    values: Mapping[str, Any],
    columns: Mapping[str, str],
    default: Order,
    *,
    descending_by_default: bool = False,
) -> Order:
    """Return the order that ``orderby`` and ``order`` ask for.

    Without ``orderby`` the direction of the default holds; with one it is ascending, except
    where newest first is the list's habit.
    """
    column = columns.get(str(values.get("orderby", "")).strip().lower())
    direction = str(values.get("order", "")).strip().lower()
    if column is None:
        descending = default.descending
    else:
        descending = descending_by_default and column in {"published_at", "modified_at"}
    if direction in {"asc", "desc"}:
        descending = direction == "desc"
    return Order(column or default.column, descending)


NEWEST_FIRST = Order("published_at", descending=True)


class Refused(ValueError):
    """A list cannot be filtered by this; the message says why."""


class Unknown(Refused):
    """Nothing has one of the identifiers or slugs; the message names them."""

    def __init__(self, names: Iterable[object]) -> None:
        super().__init__(f"There is no {', '.join(map(str, names))}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The state of a list besides its query."""

    viewer: Viewer = ANONYMOUS
    now: datetime | None = None
    """When it is looked at; ``None`` until somebody is named who looks."""
    password: str = ""
    order: Order = field(default_factory=lambda: Order("id"))
    """Unless another is asked for."""
    relaxable: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Conditions of the query that a later word may replace, by name."""


class ListQuerySet(RenderedQuerySet):
    """A QuerySet of a list."""

    listing = Listing()
    carried: tuple[str, ...] = ("listing",)
    """Attributes that a copy takes over."""

    def of_institution(self, registry_id: str) -> Self:
        """Keep what belongs to an institution."""
        return self.filter(institution=registry_id)

    def containing(self, folded: str) -> Self:
        """Keep those with a folded text in what ``search`` looks in."""
        return self.filter(search_text__contains=folded)

    def require(self, ids: Sequence[int]) -> None:
        """Raise ``Unknown`` unless all of these rows are there."""
        possible = {pk for pk in ids if pk <= MAX_ID}
        known = set(self.filter(pk__in=possible).values_list("pk", flat=True))
        if missing := [pk for pk in dict.fromkeys(ids) if pk not in known]:
            raise Unknown(missing)

    def with_listing(self, **changes: Any) -> Self:
        """Return a copy that knows something else."""
        clone: Self = self.all()
        clone.listing = replace(self.listing, **changes)
        return clone

    def _replace(self, name: str, condition: Q) -> Self:
        """Filter by a condition, in place of the one that had the name before.

        Where the query has been joined to another with OR, the one before stays.
        """
        clone: Self = self.all()
        where = clone.query.where
        before = self.listing.relaxable.get(name, ())
        if where.connector == AND and all(one in where.children for one in before):
            for one in before:
                where.children.remove(one)
        # Joined with OR, all that there is becomes one condition.
        known = len(where.children) if where.connector == AND else 1
        clone.query.add_q(condition)
        added = tuple(clone.query.where.children[known:])
        relaxable = {**self.listing.relaxable, name: added}
        clone.listing = replace(self.listing, relaxable=relaxable)
        return clone

    def _clone(self) -> Self:
        clone: Self = super()._clone()  # type: ignore[misc]  # not in the stubs
        for name in self.carried:
            setattr(clone, name, getattr(self, name))
        return clone


class RecordQuerySet(ListQuerySet):
    """Events, venues or organizers."""

    default_order = NEWEST_FIRST
    """The order of a list that asks for none."""
    orders: Mapping[str, str] = RECORD_COLUMNS
    """Columns by the words of ``orderby``."""
    newest_first = True
    """Whether an order by a moment begins with the latest."""

    @property
    def kind(self) -> str:
        """``event``, ``venue`` or ``organizer``."""
        return str(self.model._meta.model_name)

    def public(self, now: datetime) -> Self:
        """Keep what anybody may read at ``now``."""
        return self.filter(as_q(visibility.public(now)))

    def visible_to(self, viewer: Viewer, now: datetime) -> Self:
        """Keep what the viewer may read at ``now``, the trash left out."""
        condition = as_q(visibility.visible(viewer, self.kind, now))
        return self.seen_by(viewer, now)._replace("visibility", condition)

    def listed_for(self, viewer: Viewer, now: datetime) -> Self:
        """Keep what lists show the viewer at ``now``: nothing hidden, nothing trashed."""
        condition = as_q(visibility.listed(viewer, self.kind, now))
        return self.seen_by(viewer, now)._replace("visibility", condition).by_default()

    def seen_by(self, viewer: Viewer, now: datetime) -> Self:
        """Say who looks, and when; nothing is left out yet."""
        return self.with_listing(viewer=viewer, now=now)

    def by_default(self) -> Self:
        return self.with_listing(order=self.default_order).in_order(self.default_order)

    def with_statuses(self, statuses: Iterable[str]) -> Self:
        """Show what has one of these statuses, trash too; follows ``listed_for``.

        Raises ``Refused`` for statuses that are unknown or not for this viewer.
        """
        chosen, viewer = frozenset(statuses), self.listing.viewer
        if unknown := sorted(chosen - set(Status.values)):
            raise Refused(f"There is no status {', '.join(unknown)}.")
        if chosen != {Status.PUBLISH} and not viewer.sees_statuses(self.kind):
            raise Refused("Only publish may be asked for.")
        rule = visibility.listed(viewer, self.kind, self.moment, chosen)
        return self._replace("visibility", as_q(rule))

    def changed_after(self, moment: datetime) -> Self:
        """Keep what was written, or published by time, since."""
        published = as_q(visibility.public(self.moment)) & Q(published_at__gt=moment)
        return self.filter(Q(modified_at__gt=moment) | published)

    def sorted_by(self, values: Mapping[str, Any]) -> Self:
        """Sort as ``orderby`` and ``order`` ask for; without them the order stays."""
        if not values.get("orderby") and not values.get("order"):
            return self
        chosen = order(
            values,
            self.orders,
            self.listing.order,
            descending_by_default=self.newest_first,
        )
        return self.in_order(chosen)

    def in_order(self, chosen: Order) -> Self:
        """Sort by a column, then by the identifier."""
        column: Any = F(chosen.column)
        if chosen.column == "published_at" and self.listing.viewer.is_user:
            # What was never published counts from its creation.
            column = Coalesce("published_at", "created_at")
        key = F("pk")
        if chosen.descending:
            return self.order_by(column.desc(), key.desc())
        return self.order_by(column.asc(), key.asc())

    @property
    def moment(self) -> datetime:
        """When the list is looked at. Raises ``TypeError`` before anybody is named."""
        if self.listing.now is None:
            raise TypeError("Say first who looks at the list: visible_to, listed_for.")
        return self.listing.now
