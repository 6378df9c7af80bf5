"""Viewsets that a project has made of the calendar's."""

from __future__ import annotations

from calendar_events.api.viewsets import VenueViewSet


class VenuesOfEvent(VenueViewSet):
    """``GET /events/{id}/venues``."""

    def get_queryset(self):
        return super().get_queryset().of_event(int(self.kwargs["pk"]))
