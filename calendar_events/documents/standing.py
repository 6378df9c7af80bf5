"""The members of an event that say whether it takes place, and where it is online.

They are left out where they say nothing.
"""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from calendar_events.documents.addresses import ONLINE, Address
from calendar_events.documents.fields import Moment
from calendar_events.models import Event
from calendar_events.models.standing import AttendanceMode, Audience, EventStatus
from calendar_events.parsing import dates, zones

MEMBERS = (
    *("event_status", "status_reason", "previous_start_date", "previous_utc_start_date"),
    *("attendance_mode", "online_address", "online_audience", "online_from_utc"),
)
SHOWN = frozenset({"event_status", "previous_start_date", "previous_utc_start_date"})
"""Those that a protected event shows without its password."""


class Unusual(serializers.ChoiceField):
    """A choice that is left out while it is the usual one."""

    def __init__(self, *, usual: str, **options: Any) -> None:
        super().__init__(required=False, **options)
        self.usual = usual

    def to_representation(self, value: Any) -> str:
        return "" if value == self.usual else str(super().to_representation(value))


class OwnClock(Moment):
    """An instant, as the clock of the event's own zone shows it."""

    def get_attribute(self, instance: Event) -> str:
        """Return the text; empty for no instant."""
        instant = getattr(instance, str(self.source))
        if instant is None:
            return ""
        return dates.written(dates.localtime(instant, zones.zone(instance.timezone)))


@extend_schema_field(OpenApiTypes.URI)
class OnlineAddress(serializers.Field):
    """The online address, or a mark in its place for those who may see it."""

    def get_attribute(self, instance: Event) -> Event:
        return instance

    def to_representation(self, event: Event) -> str | Address:
        if event.is_online_address_open or not event.online_address:
            return event.online_address
        return Address(ONLINE, "")


class StandingMembers(serializers.Serializer[Any]):
    """What a document of events takes over."""

    event_status = Unusual(
        usual=EventStatus.SCHEDULED,
        choices=EventStatus.values,
        help_text="Left out while it takes place as planned.",
    )
    status_reason = serializers.CharField(required=False, help_text="For readers.")
    previous_start_date = OwnClock(
        source="previous_start_utc",
        required=False,
        help_text="Of a postponed event with a new date. In the event's own zone.",
    )
    previous_utc_start_date = Moment(source="previous_start_utc", required=False)
    attendance_mode = serializers.ChoiceField(AttendanceMode.values, required=False)
    online_address = OnlineAddress(
        required=False, help_text="Left out for those who may not see it."
    )
    online_audience = Unusual(
        usual=Audience.EVERYBODY,
        choices=Audience.values,
        help_text="Who sees the online address. Left out for everybody.",
    )
    online_from_utc = Moment(
        source="online_from", required=False, help_text="Since when they see it."
    )
