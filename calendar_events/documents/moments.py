"""Moments as documents write them: ``YYYY-MM-DD HH:MM:SS``, in UTC or the site's zone."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from calendar_events.conf import conf
from calendar_events.parsing import zones

if TYPE_CHECKING:
    from datetime import datetime

_SCHEMA = {"type": "string", "example": "2027-03-01 18:00:00"}


def moment(instant: datetime | None) -> str:
    """Return an instant in UTC as the wire writes it; ``""`` for none (decisions 7).

    A wall clock, which has no zone, is written as it stands.
    """
    return _written(_in_utc(instant)) if instant else ""


def site_moment(instant: datetime | None) -> str:
    """Return an instant in the site zone as the wire writes it; ``""`` for none."""
    return _written(zones.shown(instant, conf.site_zone)) if instant else ""


def _written(clock: datetime) -> str:
    return f"{clock:%Y-%m-%d %H:%M:%S}".zfill(19)


def _in_utc(clock: datetime) -> datetime:
    return clock.astimezone(UTC) if clock.tzinfo else clock


@extend_schema_field(_SCHEMA)
class Moment(serializers.Field):
    """An instant in UTC or a wall clock; empty for what was never published."""

    write = staticmethod(moment)

    def get_attribute(self, instance: Any) -> str:
        """Return the text; of a missing moment a serializer would make null."""
        return self.write(super().get_attribute(instance))

    def to_representation(self, written: str) -> str:
        return written


class SiteMoment(Moment):
    """An instant in the zone of the site; empty for what was never published."""

    write = staticmethod(site_moment)


@extend_schema_field(OpenApiTypes.STR)
class Digits(serializers.Field):
    """A number with zeros in front."""

    def __init__(self, width: int = 2, **kwargs: Any) -> None:
        """Write at least ``width`` digits."""
        super().__init__(**kwargs)
        self.width = width

    def to_representation(self, value: int) -> str:
        return str(value).zfill(self.width)


@extend_schema_serializer(component_name="DateDetails")
class DateDetails(serializers.Serializer):
    """The parts of a date, each zero-padded."""

    year = Digits(4)
    month = Digits()
    day = Digits()
    hour = Digits()
    minutes = Digits(source="minute")
    seconds = Digits(source="second")

    def to_representation(self, clock: datetime) -> dict[str, str]:
        """Return the parts of a wall clock, or of an instant in UTC."""
        return super().to_representation(_in_utc(clock))
