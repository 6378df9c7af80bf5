"""The words in which lists of venues and organizers are asked for."""

from typing import Any, Self

from django.db.models import Exists, OuterRef, Q

from calendar_events.models import visibility
from calendar_events.models.querysets.base import RecordQuerySet
from calendar_events.models.visibility import EVENT, as_q


class PlaceQuerySet(RecordQuerySet):
    """Venues or organizers."""

    def of_event(self, pk: int) -> Self:
        """Keep those of an event. Raises ``Unknown``."""
        links = self._links()
        events = links.model._meta.get_field("event").related_model.objects
        events.visible_to(self.listing.viewer, self.moment).require([pk])
        # Its venues and organizers are among what an event's password protects.
        linked = links.filter(event=pk, event__password="")
        return self.filter(pk__in=linked.values(self.kind))

    def with_events(self, *, wanted: bool) -> Self:
        """Keep those with events that the viewer may see, or those without."""
        has_events = self._has_events()
        return self.filter(has_events if wanted else ~has_events)

    def with_upcoming(self, *, wanted: bool) -> Self:
        """Keep those with events to come that the viewer may see; else keep all."""
        if not wanted:
            return self
        return self.filter(self._has_events(start_utc__gte=self.moment))

    def _links(self) -> Any:
        return self.model.events.through._base_manager.all()

    def _has_events(self, **conditions: Any) -> Exists:
        """Return the condition for being linked to an event that the viewer may see."""
        viewer, now = self.listing.viewer, self.moment
        visible = Q(listed=True, event__published_at__lte=now)
        own = visibility.own(viewer, EVENT)
        if own:
            # What a password protects, links included, does not count either.
            shown = Q(event__hide_from_listings=False, event__password="")
            mine = visibility.both(own, (visibility.NOT_IN_TRASH,))
            visible |= shown & as_q(mine, "event__")
        links = self._links().filter(visible, **{self.kind: OuterRef("pk")}, **conditions)
        return Exists(links)
