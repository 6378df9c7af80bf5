"""Places near a point: a box that an index finds, then the distance on the sphere."""

import math
from typing import Any

from django.db.models import F, FloatField, Q, Value
from django.db.models.functions import ASin, Cos, Least, Power, Radians, Sin, Sqrt
from django.db.models.lookups import LessThanOrEqual

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
