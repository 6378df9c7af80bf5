"""The base of the bodies of writes: all bad fields at once, only what was sent."""

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, ClassVar, cast

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.fields import SkipField

from calendar_events.conf import conf
from calendar_events.parsing import dates
from calendar_events.serializers.fields import (
    Clearable,
    Messages,
    RichText,
    SlugText,
    StatusName,
    WebAddress,
    as_identifier,
)
from calendar_events.serializers.references import ImageReference
from calendar_events.services.references import BadReference
from platform_errors.errors import writes

Body = Mapping[str, Any]
Values = dict[str, Any]
Errors = dict[str, list[ErrorDetail]]


class Input(serializers.Serializer):
    """The body of a write.

    ``instance`` is the stored record of a change; ``context`` holds ``actor`` (who writes)
    and ``now``. ``validated_data`` is what services take; fields that nobody knows are
    ignored.
    """

    def to_internal_value(self, data: Body) -> Values:
        """Read each field, then what several say together, and report everything."""
        values: Values = {}
        errors: Errors = {}
        for field in self._writable_fields:
            name, source = str(field.field_name), str(field.source)
            try:
                values[source] = field.run_validation(field.get_value(data))
            except serializers.ValidationError as error:
                errors[name] = cast("list[ErrorDetail]", error.detail)
            except BadReference as error:
                errors[name] = reason(str(error))
            except SkipField:
                continue
        self.combine(data, values, errors)
        if errors:
            raise serializers.ValidationError(errors)
        return values

    def combine(self, data: Body, values: Values, errors: Errors) -> None:
        """Check what fields say together; an answer's other members are ignored."""
        current, pk = self.instance, data.get("id")
        if current is None:
            return
        if pk is not None and as_identifier(pk) != current.pk:
            errors["id"] = reason(f"must be {current.pk}, as in the address, or left out.")
        # Views compare it with the stored one.
        if (modified := data.get("modified_utc")) not in (None, ""):
            try:
                dates.parse(modified, now=self.context["now"], zone=UTC)
            except dates.DateError as error:
                errors["modified_utc"] = reason(f"cannot be used: {error}")


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "integer"}]})
class DateInput(Clearable):
    """A date in any form that the interface reads (decisions 7, "Date words")."""

    cleared = None
    default_error_messages: ClassVar[Messages] = {
        "type": "must be a date such as 2031-01-15 09:00:00.",
        "date": "cannot be used: {reason}",
    }

    @property
    def zone(self) -> tzinfo:
        """The zone of naive texts: the one that the request names, else the site's."""
        return self.context.get("zone") or conf.site_zone

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, bool) or not isinstance(data, str | int):
            self.fail("type")
        try:
            return dates.parse(data, now=self.context["now"], zone=self.zone)
        except dates.DateError as error:
            self.fail("date", reason=str(error))


class PublicationDate(DateInput):
    """``date``: an instant."""

    def to_internal_value(self, data: Any) -> datetime:
        moment: dates.Moment = super().to_internal_value(data)
        return moment.utc


class PublicationDateInUtc(PublicationDate):
    """``date_utc``: an instant, naive texts are UTC."""

    zone = UTC  # whatever the request names


class DateText(DateInput):
    """The start or end of an event; it stays text until the zone of the event is known."""

    def to_internal_value(self, data: Any) -> str:
        """Return the text of a date that can be read.

        A wall clock in a zone that the request named is an instant; a day stays a day.
        """
        moment: dates.Moment = super().to_internal_value(data)
        if self.context.get("zone") and moment.has_time and not moment.has_offset:
            return f"{dates.written(moment.utc, separator='T')}Z"
        return str(data)


class RecordInput(Input):
    """What events, venues and organizers share (spec 2.3 to spec 2.5)."""

    date = PublicationDate(help_text="Publication date, in the zone of the site.")
    date_utc = PublicationDateInUtc(help_text="Publication date in UTC.")
    description = RichText(help_text="HTML, or text that becomes paragraphs.")
    slug = SlugText(help_text="Made from the title when empty; unique by -2, -3, …")
    status = StatusName()
    website = WebAddress()
    image = ImageReference(help_text="An image's id, or the URL of a picture to fetch.")

    def combine(self, data: Body, values: Values, errors: Errors) -> None:
        """Make one publication moment of ``date`` and ``date_utc``."""
        super().combine(data, values, errors)
        sent = [values.pop(name) for name in ("date", "date_utc") if name in values]
        # An answer that is sent back holds both; the one that was edited counts.
        stored = self.instance.published_at if self.instance else None
        changed = {instant for instant in sent if not same(instant, stored)}
        if len(changed) > 1:
            errors["date_utc"] = reason("names another moment than date does.")
        elif changed:
            values["published_at"] = changed.pop()


def same(sent: datetime | None, stored: datetime | None) -> bool:
    """Return whether a moment is the stored one, as far as a clock can show it."""
    if sent is None or stored is None:
        return sent is stored
    return dates.to_wall(sent, conf.site_zone) == dates.to_wall(stored, conf.site_zone)


def reason(text: str) -> list[ErrorDetail]:
    """Return a reason in the form of DRF."""
    return [ErrorDetail(text, code="invalid")]


def refusal(errors: Mapping[str, Any]) -> writes.BadBody:
    """Return the refusal that names every bad field with its reason (spec 7.5)."""
    reasons = {name: _first(nested) for name, nested in errors.items()}
    missing = [name for name, why in reasons.items() if why.code == "required"]
    if not missing:
        return writes.InvalidParameters(reasons, in_body=True)
    invalid = {name: why for name, why in reasons.items() if name not in missing}
    return writes.MissingParameters(missing, invalid=invalid)


def _first(reasons: Any) -> ErrorDetail:
    while isinstance(reasons, list | dict):
        reasons = next(iter(reasons.values() if isinstance(reasons, dict) else reasons))
    return cast("ErrorDetail", reasons)
