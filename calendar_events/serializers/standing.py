"""Fields of bodies that say whether an event takes place, and where it is online."""

from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from calendar_events.models.standing import AttendanceMode, Audience, EventStatus
from calendar_events.serializers.base import PublicationDateInUtc
from calendar_events.serializers.fields import Clearable, Messages, PlainText, WebAddress


@extend_schema_field(OpenApiTypes.STR)
class Choice(Clearable, serializers.ChoiceField):
    """One of several words; empty is the usual one."""

    default_error_messages: ClassVar[Messages] = {
        "invalid_choice": "must be one of {words}.",
    }

    def __init__(self, *, words: list[str], cleared: str = "", **options: Any) -> None:
        self.cleared = cleared
        super().__init__(choices=words, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in self.choices:
            self.fail("invalid_choice", words=", ".join(map(str, self.choices)))
        return data


class StandingInput(serializers.Serializer[Any]):
    """What the body of an event takes over."""

    event_status = Choice(
        words=EventStatus.values,
        cleared=EventStatus.SCHEDULED.value,
        help_text="`scheduled`, `cancelled`, `postponed` or `moved_online`.",
    )
    status_reason = PlainText(max_length=500, help_text="For readers, without markup.")
    attendance_mode = Choice(
        words=AttendanceMode.values, help_text="`offline`, `online` or `mixed`."
    )
    online_address = WebAddress(help_text="Where it is online.")
    online_audience = Choice(
        words=Audience.values,
        cleared=Audience.EVERYBODY.value,
        help_text="Who sees the online address: `everybody` or `institution`.",
    )
    online_from_utc = PublicationDateInUtc(
        source="online_from", help_text="Since when they see it; in UTC."
    )
