"""What every body of a write has in common: all bad fields at once, only what was sent."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.fields import SkipField

from calendar_events.conf import conf
from calendar_events.parsing import dates
from calendar_events.serializers.calendar import PublicationDate, StatusName
from calendar_events.serializers.fields import RichText, SlugText, WebAddress, as_identifier
from calendar_events.serializers.references import ImageReference
from platform_errors.errors import writes

Errors = dict[str, list[ErrorDetail]]


class Input(serializers.Serializer):
    """The body of a write.

    ``instance`` is the stored record of a change; ``context`` holds ``actor`` (who writes)
    and ``now``. ``validated_data`` is what services take; fields that nobody knows are
    ignored.
    """

    def to_internal_value(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Read each field, then what several say together, and report everything."""
        values: dict[str, Any] = {}
        errors: Errors = {}
        for field in self._writable_fields:
            name, source = str(field.field_name), str(field.source)
            try:
                values[source] = field.run_validation(field.get_value(data))
            except serializers.ValidationError as error:
                errors[name] = cast("list[ErrorDetail]", error.detail)
            except SkipField:
                continue
        self.combine(data, values, errors)
        if errors:
            raise serializers.ValidationError(errors)
        return values

    def combine(
        self, data: Mapping[str, Any], values: dict[str, Any], errors: Errors
    ) -> None:
        """Check what fields say together; an answer's other members are ignored."""
        given, current = data.get("id"), self.instance
        if current is not None and given is not None and as_identifier(given) != current.pk:
            errors["id"] = reason(f"must be {current.pk}, as in the address, or left out.")
        if current is not None:
            self._read_modified(data.get("modified_utc"), errors)

    def _read_modified(self, given: Any, errors: Errors) -> None:
        """Require a date in ``modified_utc``; views compare it with the stored one."""
        if given in (None, ""):
            return
        try:
            dates.parse(given, now=self.context["now"], zone=UTC)
        except dates.DateError as error:
            errors["modified_utc"] = reason(f"cannot be used: {error}")


class RecordInput(Input):
    """What events, venues and organizers share (spec 2.3 to spec 2.5)."""

    date = PublicationDate(help_text="Publication date, in the zone of the site.")
    date_utc = PublicationDate(utc=True, help_text="Publication date in UTC.")
    description = RichText(help_text="HTML, or text that becomes paragraphs.")
    slug = SlugText(help_text="Made from the title when empty; unique by -2, -3, …")
    status = StatusName()
    website = WebAddress()
    image = ImageReference(help_text="An image's id, or the URL of a picture to fetch.")

    def combine(
        self, data: Mapping[str, Any], values: dict[str, Any], errors: Errors
    ) -> None:
        """Make one publication moment of ``date`` and ``date_utc``."""
        super().combine(data, values, errors)
        given = {name: values.pop(name) for name in ("date", "date_utc") if name in values}
        if not given:
            return
        current = self.instance
        stored = current.published_at if current else None
        # An answer that is sent back holds both; the one that was edited counts.
        changed = {
            name: instant for name, instant in given.items() if not same(instant, stored)
        }
        if len(set(changed.values())) > 1:
            errors["date_utc"] = reason("names another moment than date does.")
        elif changed:
            values["published_at"] = next(iter(changed.values()))


def same(given: datetime | None, stored: datetime | None) -> bool:
    """Return whether a given moment is the stored one, as far as a clock can show it."""
    if given is None or stored is None:
        return given is stored
    return dates.to_wall(given, conf.site_zone) == dates.to_wall(stored, conf.site_zone)


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
    """Return the first text of what may be nested."""
    while isinstance(reasons, list | dict):
        reasons = next(iter(reasons.values() if isinstance(reasons, dict) else reasons))
    return cast("ErrorDetail", reasons)
