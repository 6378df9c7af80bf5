"""Viewsets that a project has made of the calendar's."""

import django_filters
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.permissions import SAFE_METHODS, BasePermission

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


class Closed(BasePermission):
    """Lets nobody write."""

    message = "The season is over."

    def has_permission(self, request, view):
        return request.method in SAFE_METHODS

    def has_object_permission(self, request, view, obj):
        return request.method in SAFE_METHODS


class ClosedVenues(VenueViewSet):
    """``/closed/venues``: a permission more."""

    permission_classes = [*VenueViewSet.permission_classes, Closed]


class HookedVenues(VenueViewSet):
    """``/hooked/venues``: what DRF's hooks are documented for."""

    def perform_create(self, serializer):
        if serializer.validated_data["name"] == "Nowhere":
            raise ValidationError({"venue": ["must be somewhere."]})
        serializer.validated_data["city"] = "Rome"
        super().perform_create(serializer)

    def perform_update(self, serializer):
        serializer.validated_data["city"] = "Oslo"
        super().perform_update(serializer)

    def perform_destroy(self, instance):
        if instance.city == "Oslo":
            raise ValidationError("Oslo stays.")
        super().perform_destroy(instance)
