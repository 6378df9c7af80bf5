"""Documents that a project has made of the calendar's."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from calendar_events.documents.events import EventDocument


@extend_schema_serializer(component_name="SubtitledEvent")
class SubtitledEvent(EventDocument):
    """An event with a text more."""

    subtitle = serializers.CharField(source="title")

    class Meta(EventDocument.Meta):
        fields = (*EventDocument.Meta.fields, "subtitle")
