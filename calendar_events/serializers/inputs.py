"""The bodies of creates and updates, field by field (spec 2.3 to spec 2.6)."""

from collections.abc import Mapping
from typing import Any, cast

from calendar_events.conf import conf
from calendar_events.models import Event, Organizer, Taxonomy, Venue
from calendar_events.serializers import bodies
from calendar_events.serializers.base import Errors, Input, RecordInput, reason
from calendar_events.serializers.calendar import CostText, DateText, ZoneName
from calendar_events.serializers.fields import (
    Coordinate,
    EmailAddress,
    Flag,
    PlainText,
    RichText,
    SafeText,
    SlugText,
)
from calendar_events.serializers.references import (
    AuthorReference,
    LinkedRecords,
    ParentReference,
    TermList,
)
from calendar_events.services import references
from calendar_events.services.inputs import NewOrganizer, NewVenue
from calendar_events.services.refusals import InvalidFields
from calendar_events.services.schedule import Schedule, ScheduleChanges, plan


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

    def combine(
        self, data: Mapping[str, Any], values: dict[str, Any], errors: Errors
    ) -> None:
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


class OrganizerInput(RecordInput):
    """An organizer (spec 2.5)."""

    organizer = PlainText(source="name", max_length=500, required=True, clearable=False)
    author = AuthorReference(model=Organizer)
    phone = PlainText(max_length=255)
    email = EmailAddress()


RECURRENCE = ("recurrence", "rrule", "rdate", "exdate")
"""What would make several events of one: refused until it does (decisions 9)."""
NOTHING: tuple[Any, ...] = (None, "", [], {}, 0)


class EventInput(RecordInput):
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
    categories = TermList(taxonomy=Taxonomy.CATEGORY)
    tags = TermList(taxonomy=Taxonomy.TAG)
    venue = LinkedRecords(model=Venue, serializer=VenueInput, new=NewVenue)
    organizer = LinkedRecords(model=Organizer, serializer=OrganizerInput, new=NewOrganizer)

    def to_internal_value(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Read the body; what a list blanked of a protected event was not sent."""
        current = self.instance
        if current is not None and current.password:
            data = bodies.without_blanks(data)
        return super().to_internal_value(data)

    def combine(
        self, data: Mapping[str, Any], values: dict[str, Any], errors: Errors
    ) -> None:
        """Require that what is linked exists, and that the dates make a schedule."""
        super().combine(data, values, errors)
        for name in RECURRENCE:
            if data.get(name) not in NOTHING:
                errors[name] = reason("is not supported: send each date as an event.")
        self._settle_links(values, errors)
        if errors.keys() & {"start_date", "end_date", "timezone", "all_day"}:
            return
        current = self.instance
        try:
            plan(
                cast("ScheduleChanges", values),
                current=Schedule.of(current) if current else None,
                now=self.context["now"],
                site_zone=conf.site_zone.key,
            )
        except InvalidFields as error:
            errors.update({name: reason(why) for name, why in error.reasons.items()})

    def _settle_links(self, values: dict[str, Any], errors: Errors) -> None:
        """Look up all rows that the body names, in one statement."""
        sent = [
            field
            for field in self._writable_fields
            if isinstance(field, TermList | LinkedRecords) and values.get(str(field.source))
        ]
        found = references.find(
            {
                field.names: [pk for pk in values[str(field.source)] if isinstance(pk, int)]
                for field in sent
            },
            institution=self.context["actor"].institution,
        )
        for field in sent:
            name = str(field.source)
            try:
                values[name] = field.settled(values[name], found)
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
