"""The words that lists of events, venues and organizers share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.db.models import F
from django.db.models.functions import Coalesce

from calendar_events.models import visibility
from calendar_events.models.querysets.base import ListQuerySet, Refused
from calendar_events.models.querysets.ordering import RECORD_COLUMNS, Order, order
from calendar_events.models.visibility import Status, as_q

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from calendar_events.models.visibility import Viewer

NEWEST_FIRST = Order("published_at", descending=True)


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
        rule = visibility.visible(viewer, self.kind, now)
        return self.seen_by(viewer, now)._replace("visibility", as_q(rule))

    def listed_for(self, viewer: Viewer, now: datetime) -> Self:
        """Keep what lists show the viewer at ``now``: nothing hidden, nothing trashed."""
        rule = visibility.listed(viewer, self.kind, now)
        return self.seen_by(viewer, now)._replace("visibility", as_q(rule)).by_default()

    def seen_by(self, viewer: Viewer, now: datetime) -> Self:
        """Say who looks, and when; nothing is left out yet."""
        return self.with_listing(viewer=viewer, now=now)

    def by_default(self) -> Self:
        """Sort as a list does that asks for no order."""
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
