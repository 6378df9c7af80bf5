"""Events near a place: a box that an index finds, then the distance on the sphere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calendar_events.models import visibility
from calendar_events.models.visibility import VENUE
from calendar_events.store import sql
from calendar_events.store.visibility import conditions_of

if TYPE_CHECKING:
    from datetime import datetime

    from calendar_events.models.visibility import Viewer
    from calendar_events.store.events.windows import Window

EARTH_RADIUS_KM = 6371.0088
KM_PER_DEGREE = EARTH_RADIUS_KM * math.pi / 180
DEFAULT_RADIUS_KM = 25.0

_VENUES = """e.id {operator} (SELECT x.event_id FROM calendar_events_eventvenue x
  JOIN calendar_events_venue v ON v.id = x.venue_id WHERE {conditions})"""
# The haversine formula, which stays exact for short distances. LEAST guards against a
# rounding error above 1; SQLite calls it MIN.
_DISTANCE = f"""2 * {EARTH_RADIUS_KM} * ASIN(SQRT({{least}}(1.0,
  POWER(SIN(RADIANS(v.geo_lat - %s) / 2), 2)
  + COS(RADIANS(%s)) * COS(RADIANS(v.geo_lat)) * POWER(SIN(RADIANS(v.geo_lng - %s) / 2), 2)
))) <= %s"""


def links_to_places(viewer: Viewer, now: datetime, window: Window) -> sql.Conditions:
    """Return the conditions for links to venues with coordinates.

    The links have copies of what most of their events fail, so that one index finds those
    of a venue which the list can show at all.
    """
    rule = visibility.visible(viewer, VENUE, now)
    conditions = conditions_of(rule, "v")
    conditions.add("v.geo_lat IS NOT NULL")
    if not viewer.is_user:
        conditions.add("x.listed")
    if window.start is not None and not window.overlaps:
        conditions.add("x.start_utc >= %s", sql.moment(window.start))
    return conditions


def located(links: sql.Conditions, *, wanted: bool) -> sql.Conditions:
    """Return the condition for a venue that has coordinates, or for none that has."""
    return _at_venues(links, "IN" if wanted else "NOT IN")


def near(
    links: sql.Conditions, latitude: float, longitude: float, radius: float
) -> sql.Conditions:
    """Return the condition for a venue within ``radius`` kilometres.

    ``links`` get more conditions.
    """
    _box(links, latitude, longitude, radius)
    least = "LEAST" if sql.is_postgres() else "MIN"
    links.add(_DISTANCE.format(least=least), latitude, latitude, longitude, radius)
    return _at_venues(links, "IN")


def _at_venues(links: sql.Conditions, operator: str) -> sql.Conditions:
    conditions = sql.Conditions()
    text = _VENUES.format(operator=operator, conditions=links)
    conditions.add(text, *links.params)
    return conditions


def _box(
    conditions: sql.Conditions, latitude: float, longitude: float, radius: float
) -> None:
    """Restrict to a box around the circle; across the date line it is two."""
    reach = radius / KM_PER_DEGREE
    south, north = latitude - reach, latitude + reach
    conditions.add("v.geo_lat BETWEEN %s AND %s", south, north)
    if south <= -90 or north >= 90:
        return  # the circle holds a pole, and so every longitude
    width = math.degrees(
        math.asin(
            min(1.0, math.sin(math.radians(reach)) / math.cos(math.radians(latitude)))
        )
    )
    west, east = longitude - width, longitude + width
    if west < -180:
        conditions.add("(v.geo_lng >= %s OR v.geo_lng <= %s)", west + 360, east)
    elif east > 180:
        conditions.add("(v.geo_lng >= %s OR v.geo_lng <= %s)", west, east - 360)
    else:
        conditions.add("v.geo_lng BETWEEN %s AND %s", west, east)
