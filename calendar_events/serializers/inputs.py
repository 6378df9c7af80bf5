"""The bodies of creates and updates, field by field (spec 2.3 to spec 2.6)."""

from typing import Any, ClassVar, cast

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field

from calendar_events.conf import conf
from calendar_events.models import Event, Organizer, Venue
from calendar_events.models.visibility import ORGANIZER, VENUE
from calendar_events.parsing import costs, zones
from calendar_events.serializers import bodies, recurrences
from calendar_events.serializers.base import (
    Body,
    DateText,
    Errors,
    Input,
    RecordInput,
    Values,
    reason,
)
from calendar_events.serializers.fields import (
    Clearable,
    Coordinate,
    EmailAddress,
    Flag,
    Messages,
    PlainText,
    RichText,
    SafeText,
    SlugText,
)
from calendar_events.serializers.recurrences import (
    DateList,
    RecurrenceObject,
    RuleText,
)
from calendar_events.serializers.references import (
    AuthorReference,
    CategoryList,
    LinkedRecords,
    LinkField,
    ParentReference,
    TagList,
)
from calendar_events.serializers.standing import StandingInput
from calendar_events.services import references
from calendar_events.services.changesets import (
    THIS,
    InvalidFields,
    ScheduleChanges,
)
from calendar_events.services.schedule import Schedule, plan


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


_AMOUNT = {"oneOf": [{"type": "string"}, {"type": "number"}]}


@extend_schema_field({"oneOf": [*_AMOUNT["oneOf"], {"type": "array", "items": _AMOUNT}]})
class CostText(Clearable):
    """What an event costs, kept as it was written."""

    blanks = ([], 0, "0")  # contract events 2.1
    default_error_messages: ClassVar[Messages] = {"cost": "cannot be used: {reason}"}

    def to_internal_value(self, data: Any) -> str:
        if self.is_stored(data):
            return str(data)
        try:
            costs.parse(data, currency=conf.currency)
            return costs.source(data)
        except costs.CostError as error:
            self.fail("cost", reason=str(error))


class VenueInput(RecordInput):
    """A venue (spec 2.4)."""

    venue = PlainText(source="name", max_length=500, required=True, clearable=False)
    author = AuthorReference(model=Venue)
    show_map = Flag(cleared=True)
    show_map_link = Flag(cleared=True)
    address = PlainText(max_length=500)
    city = PlainText(max_length=255)
    country = PlainText(max_length=255)
    province = PlainText(max_length=255)
    state = PlainText(max_length=255)
    zip = PlainText(max_length=64)
    phone = PlainText(max_length=255)
    stateprovince = PlainText(
        max_length=255, help_text="Unless given, the state, else the province."
    )
    geo_lat = Coordinate(limit=90, help_text="Latitude; given together with geo_lng.")
    geo_lng = Coordinate(limit=180, help_text="Longitude; given together with geo_lat.")

    def combine(self, data: Body, values: Values, errors: Errors) -> None:
        """Require both coordinates or none."""
        super().combine(data, values, errors)
        current = self.instance
        known = {
            name: values.get(name, getattr(current, name, None))
            for name in ("geo_lat", "geo_lng")
        }
        lacking = [name for name, degrees in known.items() if degrees is None]
        if len(lacking) == 1:
            errors.setdefault(
                lacking[0], reason("must be given: there are both coordinates or none.")
            )


class VenueList(LinkedRecords):
    kind = VENUE
    serializer = VenueInput


class OrganizerInput(RecordInput):
    """An organizer (spec 2.5)."""

    organizer = PlainText(source="name", max_length=500, required=True, clearable=False)
    author = AuthorReference(model=Organizer)
    phone = PlainText(max_length=255)
    email = EmailAddress()


class OrganizerList(LinkedRecords):
    kind = ORGANIZER
    serializer = OrganizerInput


class EventInput(StandingInput, RecordInput):
    """An event (spec 2.3)."""

    title = PlainText(max_length=500, required=True, clearable=False)
    start_date = DateText(required=True, clearable=False)
    end_date = DateText(required=True, clearable=False)
    author = AuthorReference(model=Event)
    excerpt = RichText()
    timezone = ZoneName(help_text="Europe/Berlin, EST, UTC+2, +02:00; empty is the site's.")
    all_day = Flag(help_text="Whether the event lasts whole days.")
    cost = CostText(help_text="A text, a number, or a list of them, which is a range.")
    show_map = Flag(cleared=True)
    show_map_link = Flag(cleared=True)
    hide_from_listings = Flag()
    sticky = Flag()
    featured = Flag()
    ticketed = Flag()
    categories = CategoryList()
    tags = TagList()
    venue = VenueList()
    organizer = OrganizerList()
    rrule = RuleText(help_text="The rule by which the event repeats (RFC 5545 3.3.10).")
    rdate = DateList(help_text="Dates besides those of the rule.")
    exdate = DateList(help_text="Dates of the rule that are left out.")
    recurrence = RecurrenceObject(help_text="The same three in one object.")

    def to_internal_value(self, data: Body) -> Values:
        """Read the body; what a list blanked of a protected event was not sent."""
        current = self.instance
        if current is not None and current.password:
            data = bodies.without_blanks(data)
        return super().to_internal_value(data)

    def combine(self, data: Body, values: Values, errors: Errors) -> None:
        super().combine(data, values, errors)
        sent = recurrences.taken(self.instance, values)
        self._resolve_links(values, errors)
        if errors.keys() & {"start_date", "end_date", "timezone", "all_day"}:
            return
        current, now = self.instance, self.context["now"]
        try:
            schedule = plan(
                cast("ScheduleChanges", values),
                current=Schedule.of(current) if current else None,
                now=now,
                site_zone=conf.site_zone.key,
            )
            if sent is not None:
                recurrences.check(
                    sent, schedule, current=current, scope=self.scope, now=now
                )
                values["recurrence"] = sent
        except InvalidFields as error:
            errors.update({name: reason(why) for name, why in error.reasons.items()})

    @property
    def scope(self) -> str:
        """Return which occurrences of a series a change is for."""
        return str(self.context.get("scope") or THIS)

    def _resolve_links(self, values: Values, errors: Errors) -> None:
        sent = [
            field
            for field in self._writable_fields
            if isinstance(field, LinkField) and values.get(str(field.source))
        ]
        named = {
            field.kind: [pk for pk in values[str(field.source)] if isinstance(pk, int)]
            for field in sent
        }
        institution = self.context["actor"].institution
        rows = references.find(named, institution=institution)
        for field in sent:
            name = str(field.source)
            try:
                values[name] = field.resolve(values[name], rows)
            except references.BadReference as error:
                errors[name] = reason(str(error))


class TermInput(Input):
    """An event tag (spec 2.6)."""

    name = PlainText(max_length=200, required=True, clearable=False)
    description = SafeText()
    slug = SlugText(help_text="Made from the name when empty.")


class CategoryInput(TermInput):
    """An event category (spec 2.6)."""

    parent = ParentReference(  # type: ignore[assignment]  # DRF takes it off the class
        help_text="The category above; 0 is none."
    )
