"""Series as they are answered: the rule, and a page of the dates."""

from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from calendar_events.documents.base import Document
from calendar_events.documents.fields import AddressField, Moment
from calendar_events.documents.standing import Unusual
from calendar_events.models import Event, Series
from calendar_events.models.standing import EventStatus

_WALL = "In the zone of the series."


@extend_schema_serializer(component_name="Occurrence")
class OccurrenceDocument(Document):
    """A date of a series; its event is at ``rest_url``."""

    rest_url = AddressField("/events/{0.id}")
    original_start = Moment(source="original_start_local", help_text=_WALL)
    start_date = Moment(source="start_local", help_text="In the event's own zone.")
    utc_start_date = Moment(source="start_utc")
    event_status = Unusual(
        usual=EventStatus.SCHEDULED,
        choices=EventStatus.values,
        help_text="Left out while it takes place as planned.",
    )
    overridden = serializers.SerializerMethodField(
        help_text="The fields in which it differs from the series."
    )

    class Meta:
        model = Event
        fields = (
            *("id", "rest_url", "title", "event_status", "position"),
            *("original_start", "start_date", "utc_start_date", "overridden"),
        )

    def get_overridden(self, event: Event) -> list[str]:
        return sorted(event.overrides)


@extend_schema_serializer(component_name="Series")
class SeriesDocument(serializers.ModelSerializer):
    """An event that repeats."""

    rest_url = AddressField("/series/{0.id}")
    ical_url = AddressField("/series/{0.id}.ics")
    rule = serializers.CharField(
        source="rule_text", help_text="RFC 5545; empty for single dates."
    )
    words = serializers.CharField(help_text="The rule in words.")
    rdate = serializers.ListField(
        source="rdates", child=serializers.CharField(), help_text=_WALL
    )
    exdate = serializers.ListField(
        source="exdates", child=serializers.CharField(), help_text=_WALL
    )
    start_date = Moment(source="start_local", help_text="Of the first date.")
    end_date = Moment(source="end_local", help_text="Of the first date.")
    total = serializers.IntegerField(
        allow_null=True,
        help_text="How many dates there are, those left out too; null without an end.",
    )
    horizon = Moment(help_text="As far as this there are occurrences, in UTC.")
    notice = serializers.CharField(help_text="Which dates do not exist yet, and why.")

    class Meta:
        model = Series
        fields = (
            *("id", "rest_url", "ical_url", "institution", "rule", "words", "rdate"),
            *("exdate", "timezone", "all_day", "start_date", "end_date", "total"),
            *("horizon", "notice"),
        )


@extend_schema_serializer(component_name="SeriesPage")
class SeriesPage(SeriesDocument):
    """An event that repeats, and a page of its occurrences that the caller may see."""

    occurrences = OccurrenceDocument(many=True)
    occurrences_total = serializers.IntegerField()
    total_pages = serializers.IntegerField()
    next_rest_url = serializers.CharField(required=False)
    previous_rest_url = serializers.CharField(required=False)

    class Meta(SeriesDocument.Meta):
        fields = (  # type: ignore[assignment]  # more of them
            *SeriesDocument.Meta.fields,
            *("occurrences", "occurrences_total", "total_pages"),
            *("next_rest_url", "previous_rest_url"),
        )


def document(
    series: Series, occurrences: list[Event], unseen: frozenset[datetime]
) -> dict[str, Any]:
    """Return a series and some of its occurrences, addresses left open.

    Of single dates that are ``unseen`` it tells nothing.
    """
    rows = OccurrenceDocument(many=True).to_representation(occurrences)
    rdates = [one for one in series.rdates if datetime.fromisoformat(one) not in unseen]
    told = {"rdate": rdates, "occurrences": rows}
    return {**SeriesDocument().to_representation(series), **told}
