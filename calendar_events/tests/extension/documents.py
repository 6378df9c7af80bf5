"""Documents that a project has made of the calendar's."""

from rest_framework import serializers

from calendar_events.documents.events import EventDocument


class SubtitledEvent(EventDocument):
    """An event with a text more."""

    subtitle = serializers.CharField(source="excerpt")

    class Meta(EventDocument.Meta):
        fields = (*EventDocument.Meta.fields, "subtitle")
