"""What answers put around documents, and the namespace index, for the schema only.

The documents themselves are described by the serializers that render them (``documents``).
"""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.serializers import CharField, IntegerField, ListField

from calendar_events.documents.events import EventDocument
from calendar_events.documents.places import OrganizerDocument, VenueDocument
from calendar_events.documents.terms import TermDocument


class Page(serializers.Serializer):
    """What every list says about its pages."""

    rest_url = CharField(help_text="The query that was answered.")
    next_rest_url = CharField(required=False, help_text="If there is a next page.")
    previous_rest_url = CharField(required=False, help_text="If there is one before.")
    total = IntegerField()
    total_pages = IntegerField()


class EventList(Page):
    """A page of events."""

    events = EventDocument(many=True)


class VenueList(Page):
    """A page of venues."""

    venues = VenueDocument(many=True)


class OrganizerList(Page):
    """A page of organizers."""

    organizers = OrganizerDocument(many=True)


class CategoryList(Page):
    """A page of categories."""

    categories = TermDocument(many=True)


class TagList(Page):
    """A page of tags."""

    tags = TermDocument(many=True)


class Endpoint(serializers.Serializer):
    """Methods of a route that understand the same parameters."""

    methods = ListField(child=CharField())
    args = serializers.DictField(child=serializers.JSONField())


class Route(serializers.Serializer):
    """One route of the namespace."""

    namespace = CharField()
    methods = ListField(child=CharField())
    endpoints = Endpoint(many=True)


class Namespace(serializers.Serializer):
    """The namespace index."""

    namespace = CharField()
    routes = serializers.DictField(child=Route())
