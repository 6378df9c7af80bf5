"""The viewsets: each is its reading and its writing half; the routes are in ``urls.py``."""

from __future__ import annotations

from calendar_events.api.events import EventReads
from calendar_events.api.places import OrganizerReads, VenueReads
from calendar_events.api.terms import CategoryReads, TagReads
from calendar_events.api.writing import (
    EventWrites,
    OrganizerWrites,
    TermWrites,
    VenueWrites,
)


class EventViewSet(EventWrites, EventReads):
    """Events (spec 4.3)."""


class VenueViewSet(VenueWrites, VenueReads):
    """Venues (spec 4.3)."""


class OrganizerViewSet(OrganizerWrites, OrganizerReads):
    """Organizers (spec 4.3)."""


class CategoryViewSet(TermWrites, CategoryReads):
    """Categories (spec 4.3)."""


class TagViewSet(TermWrites, TagReads):
    """Tags (spec 4.3)."""
