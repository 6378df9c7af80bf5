"""Values of the calendar itself: zones, dates, statuses, costs."""

from datetime import UTC, datetime, tzinfo
from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from calendar_events.conf import conf
from calendar_events.models import Status
from calendar_events.parsing import costs, dates, zones
from calendar_events.serializers.fields import KEPT, Clearable, Messages


@extend_schema_field(OpenApiTypes.STR)
class ZoneName(Clearable):
    """A time zone; empty is the site's."""

    default_error_messages: ClassVar[Messages] = {"zone": "{reason}"}

    @property
    def cleared(self) -> str:
        return conf.site_zone.key

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or len(data) > 64:
            self.fail("zone", reason="must be the name of a time zone.")
        try:
            return zones.name(data)
        except zones.ZoneError as error:
            self.fail("zone", reason=f"cannot be used: {error}")


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "integer"}]})
class DateInput(Clearable):
    """A date in any form that the interface reads (decisions 7, "Date words")."""

    cleared = None
    default_error_messages: ClassVar[Messages] = {
        "type": "must be a date such as 2031-01-15 09:00:00.",
        "date": "cannot be used: {reason}",
    }

    def read(self, data: Any, zone: tzinfo) -> dates.Moment:
        if isinstance(data, bool) or not isinstance(data, str | int):
            self.fail("type")
        try:
            return dates.parse(data, now=self.context["now"], zone=zone)
        except dates.DateError as error:
            self.fail("date", reason=str(error))


class DateText(DateInput):
    """The start or end of an event; it stays text until the zone of the event is known."""

    def to_internal_value(self, data: Any) -> str:
        """Return the text of a date that can be read.

        A wall clock in a zone that the request named is an instant; a day stays a day.
        """
        zone = self.context.get("zone")
        moment = self.read(data, zone or conf.site_zone)
        if zone is not None and moment.has_time and not moment.has_offset:
            return f"{dates.written(moment.utc, separator='T')}Z"
        return str(data)


class PublicationDate(DateInput):
    """``date`` or ``date_utc``: an instant, naive texts read in the zone of the field."""

    def __init__(self, *, utc: bool = False, **options: Any) -> None:
        """Take whether naive texts are UTC and not the site's wall clock."""
        self.utc = utc
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> datetime:
        zone = self.context.get("zone") or conf.site_zone
        return self.read(data, UTC if self.utc else zone).utc


@extend_schema_field(OpenApiTypes.STR)
class StatusName(Clearable, serializers.ChoiceField):
    """The status; empty leaves it as it is."""

    cleared = KEPT
    default_error_messages: ClassVar[Messages] = {
        "invalid_choice": f"must be one of {', '.join(Status.values)}.",
    }

    def __init__(self, **options: Any) -> None:
        """Take DRF's options."""
        super().__init__(choices=Status.choices, **options)


_AMOUNT = {"oneOf": [{"type": "string"}, {"type": "number"}]}


@extend_schema_field({"oneOf": [*_AMOUNT["oneOf"], {"type": "array", "items": _AMOUNT}]})
class CostText(Clearable):
    """What an event costs, kept as it was written."""

    default_error_messages: ClassVar[Messages] = {"cost": "cannot be used: {reason}"}

    def is_blank(self, data: Any) -> bool:
        """Take ``0`` and an empty list, too, for no cost (contract events 2.1)."""
        return super().is_blank(data) or data in ([], 0, "0")

    def to_internal_value(self, data: Any) -> str:
        if isinstance(data, bool):
            self.fail("cost", reason="A cost is a text, a number or a list of them.")
        if self.is_stored(data):
            return str(data)
        try:
            costs.parse(data, currency=conf.currency)
            return costs.source(data)
        except costs.CostError as error:
            self.fail("cost", reason=str(error))
