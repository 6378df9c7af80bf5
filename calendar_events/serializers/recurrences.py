"""How an event repeats, as a body says it: a rule, dates besides, dates left out."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from calendar_events.models import Event
from calendar_events.parsing import recurrence as rules
from calendar_events.parsing import zones
from calendar_events.serializers.fields import KEPT, Clearable, Messages
from calendar_events.services import recurrence
from calendar_events.services.changesets import THIS, InvalidFields, Recurrence
from calendar_events.services.schedule import Schedule

LONGEST_DATE = 64
"""Characters of one date."""
MOST_DATES = 2000
FIELDS = ("rrule", "rdate", "exdate")

_LIST = {
    "oneOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}],
    "example": ["2031-01-13"],
}
_RULE = {"type": "string", "example": "FREQ=WEEKLY;BYDAY=MO;COUNT=10"}


@extend_schema_field(_RULE)
class RuleText(Clearable):
    """A rule; an empty one is none."""

    default_error_messages: ClassVar[Messages] = {
        "type": "must be a rule such as FREQ=WEEKLY;COUNT=10.",
        "length": f"must not be longer than {rules.LONGEST} characters.",
    }

    blanks = ([], {}, 0)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("type")
        if len(data) > rules.LONGEST:
            self.fail("length")
        return data


@extend_schema_field(_LIST)
class DateList(Clearable):
    """Dates, a list or separated by commas; one without a time has that of the start."""

    cleared = ()
    default_error_messages: ClassVar[Messages] = {
        "type": "must be a list of dates.",
        "many": f"must not have more than {MOST_DATES} dates.",
    }

    blanks = ({}, 0)

    def to_internal_value(self, data: Any) -> tuple[str, ...]:
        items = data.split(",") if isinstance(data, str) else data
        if not isinstance(items, list):
            self.fail("type")
        if len(items) > MOST_DATES:
            self.fail("many")
        if not all(isinstance(one, str) and len(one) <= LONGEST_DATE for one in items):
            self.fail("type")
        return tuple(one.strip() for one in items)


@extend_schema_field(
    {
        "type": "object",
        "properties": {"rrule": _RULE, "rdate": _LIST, "exdate": _LIST},
    }
)
class RecurrenceObject(Clearable):
    """The three in one object, also as an answer has them; or the rule alone."""

    cleared = KEPT
    default_error_messages: ClassVar[Messages] = {
        "type": "must be an object with rrule, rdate or exdate.",
        "inside": "cannot be used: {name} {reason}",
    }

    blanks = ([], {}, 0)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, str):
            data = {"rrule": data}
        if not isinstance(data, Mapping):
            self.fail("type")
        if not {*FIELDS, "rule"} & data.keys():
            if any(data.values()):
                self.fail("type")
            return {}  # as clients of other calendars send of an event that does not repeat
        members = {"rrule": data["rule"], **data} if "rule" in data else data
        read: dict[str, Any] = {}
        for name, field in zip(FIELDS, (RuleText(), DateList(), DateList()), strict=True):
            if name in members:
                field.bind(name, self.parent)
                try:
                    read[name] = field.run_validation(members[name])
                except serializers.ValidationError as error:
                    self.fail("inside", name=name, reason=next(iter(error.detail)))
        return read


def taken(current: Event | None, values: dict[str, Any]) -> Recurrence | None:
    """Take what a body says of recurrence out of its values; ``None`` for nothing new.

    What the series answers, sent back, is nothing new.
    """
    sent = {**values.pop("recurrence", {})}
    apart = {name: values.pop(name) for name in FIELDS if name in values}
    sent |= {name: value for name, value in apart.items() if value or name not in sent}
    series = current and current.series
    known: dict[str, Any] = dict.fromkeys(FIELDS, ())
    known["rrule"] = ""
    if sent and series:
        known["rrule"] = series.rule_text
        known["rdate"], known["exdate"] = tuple(series.rdates), tuple(series.exdates)
    new = {name: value for name, value in sent.items() if value != known[name]}
    return Recurrence(**new) if new else None


def check(
    sent: Recurrence,
    schedule: Schedule,
    *,
    current: Event | None,
    scope: str,
    now: datetime,
) -> None:
    """Require that an event can repeat as it is to. Raises ``InvalidFields``."""
    names = [name for name in FIELDS if getattr(sent, name) is not None]
    is_alone = current is None or current.series_id is None
    if not is_alone and scope == THIS:
        why = "can only be changed with scope=following or scope=all."
        raise InvalidFields(dict.fromkeys(names, why))
    if is_alone:
        zone = zones.zone(schedule.timezone)
        recurrence.pattern_of(sent, start=schedule.start_local, zone=zone, now=now)
