"""The document, the body, the parameters and the viewset."""

import django_filters
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from calendar_events.api.reading import RecordReads
from calendar_events.api.viewsets import RecordWrites
from calendar_events.documents.base import PUBLICATION, Published
from calendar_events.documents.fields import PageAddress
from calendar_events.filters.filtersets import ChangeParameters, ListFilterSet
from calendar_events.serializers.base import RecordInput
from calendar_events.serializers.fields import PlainText
from calendar_events.serializers.references import AuthorReference
from calendar_events.tests.extension.rooms.models import Room


@extend_schema_serializer(component_name="Room")
class RoomDocument(Published):
    """A room."""

    url = PageAddress("/rooms")

    class Meta:
        model = Room
        fields = ("id", *PUBLICATION, "name", "slug", "description", "seats")


class RoomInput(RecordInput):
    """What is sent of a room."""

    name = PlainText(max_length=100, required=True, clearable=False)
    author = AuthorReference(model=Room)
    seats = serializers.IntegerField(min_value=0, required=False)


class RoomFilter(ListFilterSet, ChangeParameters):
    """The parameters of ``GET /rooms``."""

    seats = django_filters.NumberFilter(lookup_expr="gte", label="With so many seats.")


class RoomViewSet(RecordWrites, RecordReads):
    """Rooms."""

    resource = "rooms"
    kind = archive = "room"
    model = Room
    queryset = Room.objects.all()
    serializer_class = RoomInput
    filterset_class = RoomFilter
