"""How an event repeats, as a body says it: a rule, dates besides, dates left out."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field

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

    cleared = KEPT
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

    cleared = KEPT
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
        "type": "must be an object with rrule, rdate and exdate.",
        "inside": "has a member that cannot be used: {name} {reason}",
    }

    blanks = ([], {}, 0)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, str):
            data = {"rrule": data}
        if not isinstance(data, Mapping):
            self.fail("type")
        members = {**data, "rrule": data.get("rrule", data.get("rule"))}
        read: dict[str, Any] = {}
        for name, field in (
            ("rrule", RuleText()),
            ("rdate", DateList()),
            ("exdate", DateList()),
        ):
            if not field.is_empty(members.get(name)):
                field.bind(name, self.parent)
                read[name] = field.run_validation(members[name])
        return read


def taken(current: Event | None, values: dict[str, Any]) -> Recurrence | None:
    """Take what a body says of recurrence out of its values; ``None`` for nothing new.

    The rule of its own answer, sent back, is nothing new.
    """
    sent = {**values.pop("recurrence", {})}
    sent |= {name: values.pop(name) for name in FIELDS if name in values}
    if not sent:
        return None
    series = current and current.series
    if series and sent.get("rrule"):
        rule = series.pattern.rule
        written = rule and rule.rfc(zones.zone(series.timezone), all_day=series.all_day)
        if sent["rrule"] == written:
            del sent["rrule"]
    if not any(value or series for value in sent.values()):
        return None
    return Recurrence(**sent)


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
    if current is not None and current.series_id is None:
        raise InvalidFields(dict.fromkeys(names, "can only be given to a new event."))
    if current is not None and scope == THIS:
        why = "can only be changed with scope=following or scope=all."
        raise InvalidFields(dict.fromkeys(names, why))
    if current is None:
        zone = zones.zone(schedule.timezone)
        recurrence.pattern_of(sent, start=schedule.start_local, zone=zone, now=now)
