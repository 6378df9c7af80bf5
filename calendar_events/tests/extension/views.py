"""Viewsets that a project has made of the calendar's."""

from __future__ import annotations

from calendar_events.api.viewsets import EventViewSet, OrganizerViewSet, VenueViewSet
from calendar_events.serializers.fields import PlainText
from calendar_events.serializers.inputs import EventInput, OrganizerInput


class VenuesOfEvent(VenueViewSet):
    """``GET /events/{id}/venues``."""

    def get_queryset(self):
        return super().get_queryset().of_event(int(self.kwargs["pk"]))


class SecretEventInput(EventInput):
    """Events that callers may protect: a column that the calendar's own body leaves out."""

    password = PlainText(max_length=255)


class SecretEvents(EventViewSet):
    """``/secret/events``."""

    serializer_class = SecretEventInput


class MottoInput(OrganizerInput):
    """Organizers with a field that no column takes."""

    motto = PlainText(max_length=255)


class OrganizersWithMotto(OrganizerViewSet):
    """``/mottoes/organizers``."""

    serializer_class = MottoInput
