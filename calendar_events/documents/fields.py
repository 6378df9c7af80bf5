"""The fields of documents: what records share, and what answers join to a document.

Moments are written ``YYYY-MM-DD HH:MM:SS``, in UTC or in the zone of the site.
"""

from datetime import UTC, datetime
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from calendar_events.conf import conf
from calendar_events.documents import addresses
from calendar_events.documents.addresses import HOST, ROOT, Address
from calendar_events.models import Record, Status
from calendar_events.parsing import dates, text


class Html(serializers.CharField):
    """Markup that is safe to show, whatever is stored."""

    def to_representation(self, value: str) -> str:
        return text.html(value)


class PlainText(serializers.CharField):
    """Text without markup, whatever is stored."""

    def to_representation(self, value: str) -> str:
        return text.plain(value)


@extend_schema_field(OpenApiTypes.STR)
class AddressField(serializers.Field):
    """An address that is made of the whole record; its beginning is left open."""

    marker = ROOT

    def __init__(self, path: str, **kwargs: Any) -> None:
        """Take what follows the beginning: ``/events/{0.id}``, where 0 is the record."""
        super().__init__(**kwargs)
        self.path = path

    def get_attribute(self, instance: Any) -> Any:
        return instance

    def to_representation(self, record: Any) -> Address:
        return Address(self.marker, self.path.format(record))


class GlobalId(AddressField):
    """An address that names a record among all hosts."""

    marker = HOST


class Lineage(serializers.ListField):
    """The global identifiers of a record, of which there is one."""

    def get_attribute(self, instance: Any) -> list[Any]:
        """Return the record, of which the child makes its address."""
        return [instance]


class PageAddress(AddressField):
    """The public page: by slug once the record may be read by anybody, else by id."""

    def to_representation(self, record: Record) -> Address:
        is_public = record.status in {Status.PUBLISH, Status.PRIVATE} and record.slug
        name = f"by-slug/{record.slug}" if is_public else record.pk
        return Address(self.marker, f"{self.path}/{name}")


@extend_schema_field(OpenApiTypes.STR)
class FileAddress(serializers.Field):
    """The address of a stored file, given its name."""

    def to_representation(self, name: str) -> Address | str:
        return addresses.of_file(name)


class Constant:
    """Before another field: it says the same of every record."""

    def __init__(self, constant: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.constant = constant

    def get_attribute(self, instance: Any) -> Any:
        return self.constant


class ConstantInteger(Constant, serializers.IntegerField):
    """A number."""


class ConstantText(Constant, serializers.CharField):
    """A text."""


class ConstantList(Constant, serializers.ListField):
    """A list."""


class Joined:
    """Before another field: what it describes belongs to other rows, or to single answers.

    It is not stored with the document. ``composition`` joins it when the document is
    answered.
    """

    def get_attribute(self, instance: Any) -> Any:
        raise serializers.SkipField


class JoinedList(Joined, serializers.ListField):
    """The documents of what a record is linked to."""


class JsonLd(Joined, serializers.DictField):
    """A description for search engines (``jsonld``)."""

    child = serializers.JSONField()


_SCHEMA = {"type": "string", "example": "2027-03-01 18:00:00"}


def moment(instant: datetime | None) -> str:
    """Return an instant in UTC as the wire writes it; ``""`` for none (decisions 7).

    A wall clock, which has no zone, is written as it stands.
    """
    # Said again in ``dates.written``, of which an event would ask ten times.
    return (
        _in_utc(instant).replace(tzinfo=None).isoformat(" ", "seconds") if instant else ""
    )


def site_moment(instant: datetime | None) -> str:
    """Return an instant in the site zone as the wire writes it; ``""`` for none."""
    return dates.written(dates.localtime(instant, conf.site_zone)) if instant else ""


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
        return super().to_representation(_in_utc(clock))
