"""The words in which lists of venues and organizers are asked for, and what is near."""

import math
from typing import Any, Self

from django.db.models import Exists, F, FloatField, OuterRef, Q, Value
from django.db.models.functions import ASin, Cos, Least, Power, Radians, Sin, Sqrt
from django.db.models.lookups import LessThanOrEqual

from calendar_events.models import visibility
from calendar_events.models.querysets.base import RecordQuerySet
from calendar_events.models.visibility import EVENT, as_q

EARTH_RADIUS_KM = 6371.0088
KM_PER_DEGREE = EARTH_RADIUS_KM * math.pi / 180
DEFAULT_RADIUS_KM = 25.0


def within(latitude: float, longitude: float, radius: float) -> Q:
    """Return the condition for ``geo_lat`` and ``geo_lng`` within ``radius`` kilometres."""
    distance = 2 * EARTH_RADIUS_KM * ASin(Sqrt(_haversine(latitude, longitude)))
    limit = Value(radius, output_field=FloatField())
    return _box(latitude, longitude, radius) & Q(LessThanOrEqual(distance, limit))


def _haversine(latitude: float, longitude: float) -> Any:
    """Return the haversine of the angle to a point, which is exact for short distances."""
    here = Value(math.cos(math.radians(latitude)), output_field=FloatField())
    to_north = Power(Sin(Radians(F("geo_lat") - _number(latitude)) / 2), 2)
    to_east = Power(Sin(Radians(F("geo_lng") - _number(longitude)) / 2), 2)
    haversine = to_north + here * Cos(Radians("geo_lat")) * to_east
    return Least(_number(1.0), haversine)  # rounding may lead above


def _number(value: float) -> Value:
    return Value(value, output_field=FloatField())


def _box(latitude: float, longitude: float, radius: float) -> Q:
    """Return a box around the circle; across the date line it is two."""
    reach = radius / KM_PER_DEGREE
    south, north = latitude - reach, latitude + reach
    box = Q(geo_lat__isnull=False, geo_lat__range=(south, north))
    if south <= -90 or north >= 90:
        return box  # the circle holds a pole, and so every longitude
    sine = math.sin(math.radians(reach)) / math.cos(math.radians(latitude))
    width = math.degrees(math.asin(min(1.0, sine)))
    west, east = longitude - width, longitude + width
    if west < -180:
        return box & (Q(geo_lng__gte=west + 360) | Q(geo_lng__lte=east))
    if east > 180:
        return box & (Q(geo_lng__gte=west) | Q(geo_lng__lte=east - 360))
    return box & Q(geo_lng__range=(west, east))


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
        viewer, now = self.listing.viewer, self.moment
        visible = Q(listed=True, event__published_at__lte=now)
        own = visibility.own(viewer, EVENT)
        if own:
            # What a password protects, links included, does not count either.
            shown = Q(event__hide_from_listings=False, event__password="")
            mine = visibility.restricted(own, (visibility.NOT_IN_TRASH,))
            visible |= shown & as_q(mine, "event__")
        links = self._links().filter(visible, **{self.kind: OuterRef("pk")}, **conditions)
        return Exists(links)
