"""Viewsets that a project has made of the calendar's."""

from __future__ import annotations

import django_filters
from rest_framework.filters import BaseFilterBackend

from calendar_events.api.viewsets import EventViewSet, OrganizerViewSet, VenueViewSet
from calendar_events.filters.filtersets import EventFilter
from calendar_events.models import Event
from calendar_events.serializers.fields import PlainText
from calendar_events.serializers.inputs import EventInput, OrganizerInput


class VenuesOfEvent(VenueViewSet):
    """``GET /events/{id}/venues``."""

    def get_queryset(self):
        return super().get_queryset().of_event(int(self.kwargs["pk"]))


class SubtitledInput(EventInput):
    """Events with a text more, and with a password."""

    subtitle = PlainText(source="excerpt", max_length=255)
    password = PlainText(max_length=255)


class SubtitledEvents(EventViewSet):
    """``/subtitled/events``."""

    serializer_class = SubtitledInput


class MottoInput(OrganizerInput):
    """Organizers with a field that no column takes."""

    motto = PlainText(max_length=255)


class OrganizersWithMotto(OrganizerViewSet):
    """``/mottoes/organizers``."""

    serializer_class = MottoInput


class StickyFilter(EventFilter):
    """The parameters of ``GET /events`` and two more, as django-filter documents them."""

    sticky = django_filters.BooleanFilter(field_name="sticky", label="Only sticky ones.")
    author = django_filters.BaseInFilter(field_name="author_id", label="By one of these.")


class StickyEvents(EventViewSet):
    """``/sticky/events``."""

    filterset_class = StickyFilter


class OfInstitution(BaseFilterBackend):
    """Keeps what belongs to the institution that the query names as tenant."""

    def filter_queryset(self, request, queryset, view):
        tenant = request.query_params.get("tenant")
        return queryset.filter(institution=tenant) if tenant else queryset


class Nothing(BaseFilterBackend):
    """Keeps nothing."""

    def filter_queryset(self, request, queryset, view):
        return queryset.none()


def with_backend(viewset, backend):
    """Return the viewset with a second filter backend."""

    class Extended(viewset):
        filter_backends = [*viewset.filter_backends, backend]

    return Extended


class EventsOfNorthgate(EventViewSet):
    """``/northgate/events``: another QuerySet, narrowed before and after."""

    queryset = Event.objects.filter(institution="1002")

    def filter_queryset(self, queryset):
        return super().filter_queryset(queryset).exclude(title="Closed")
