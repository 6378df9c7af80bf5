"""Forms of events, venues and organizers."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms

from calendar_events.admin import institutions
from calendar_events.admin.categories import CategoryField, is_category
from calendar_events.admin.forms import OrderedChoices, PublishedForm
from calendar_events.admin.widgets import LocalDateTimeInput, RichTextArea, TimeZoneInput
from calendar_events.models import Event, Organizer, Taxonomy, Venue
from calendar_events.serializers.inputs import EventInput, OrganizerInput, VenueInput

TERMS = ("in_categories", "in_terms")
WIDGETS = {"description": RichTextArea}


class EventForm(PublishedForm):
    """An event; its password and its parent are set only here (decisions 7)."""

    input = EventInput
    input_names: ClassVar = {"at_venues": "venue", "by_organizers": "organizer"}
    only_here = frozenset({"password", "post_parent"})

    start_date = forms.CharField(
        label="Starts",
        widget=LocalDateTimeInput,
        help_text="In the time zone of the event.",
    )
    end_date = forms.CharField(label="Ends", widget=LocalDateTimeInput)
    timezone = forms.CharField(
        label="Time zone", widget=TimeZoneInput, help_text="A place, or an offset: +02:00."
    )
    at_venues = OrderedChoices(Event, "venues", label="Venues")
    by_organizers = OrderedChoices(Event, "organizers", label="Organizers")
    in_categories = CategoryField()
    in_terms = OrderedChoices(Event, "terms", label="Categories and tags")

    class Meta:
        model = Event
        widgets = WIDGETS
        fields = [
            *("institution", "title", "slug", "status", "author", "description"),
            *("excerpt", "timezone", "all_day", "cost", "website", "image", "show_map"),
            *("show_map_link", "hide_from_listings", "sticky", "featured", "ticketed"),
            *("password", "post_parent"),
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Show categories as a tree, where an institution is known and has not too many."""
        super().__init__(*args, **kwargs)
        tree: Any = self.fields["in_categories"]
        terms: Any = self.fields["in_terms"]
        if not tree.offer(self.instance.institution or institutions.own(self.request)):
            return
        linked = self.initial.get("in_terms") or []
        self.initial["in_categories"] = [each.pk for each in linked if is_category(each)]
        self.initial["in_terms"] = [each for each in linked if not is_category(each)]
        terms.label = "Tags"

    def shown(self) -> dict[str, Any]:
        """Return the dates and the links, too."""
        event = self.instance
        if not event.pk:
            return super().shown()
        return super().shown() | {
            "start_date": str(event.start_local),
            "end_date": str(event.end_local),
            "at_venues": self._linked("venues", "eventvenue__position"),
            "by_organizers": self._linked("organizers", "eventorganizer__position"),
            "in_terms": self._linked("terms", "eventterm__position"),
        }

    def _linked(self, name: str, position: str) -> list[Any]:
        """Return what is linked now, or was in the state that is looked at."""
        state = getattr(self.instance, "_history", None)
        if state is None:
            return list(getattr(self.instance, name).order_by(position))
        model: Any = Event._meta.get_field(name).related_model
        found = model.objects.in_bulk(state.linked.get(name, []))
        return list(found.values())

    def body(self, *, is_new: bool) -> dict[str, Any]:
        """Tell categories from tags."""
        body = super().body(is_new=is_new)
        for name in TERMS:
            body.pop(name, None)
        chosen = [each for name in TERMS for each in self.cleaned_data.get(name) or []]
        terms = {term.pk: term for term in chosen}.values()
        for name, taxonomy in (("categories", Taxonomy.CATEGORY), ("tags", Taxonomy.TAG)):
            body[name] = [term.pk for term in terms if term.taxonomy == taxonomy]
        return body

    def clean_post_parent(self) -> Event | None:
        """Require that the parent is another event of the institution."""
        parent: Event | None = self.cleaned_data["post_parent"]
        if parent is None:
            return None
        institution = self.cleaned_data.get("institution") or self.instance.institution
        if parent.pk == self.instance.pk or parent.institution != institution:
            raise forms.ValidationError("Choose another event of the same institution.")
        return parent


class VenueForm(PublishedForm):
    """A venue."""

    input = VenueInput
    input_names: ClassVar = {"name": "venue"}

    class Meta:
        model = Venue
        widgets = WIDGETS
        fields = [
            *("institution", "name", "slug", "status", "author", "description", "address"),
            *("city", "country", "province", "state", "stateprovince", "zip", "phone"),
            *("website", "image", "show_map", "show_map_link", "geo_lat", "geo_lng"),
        ]


class OrganizerForm(PublishedForm):
    """An organizer."""

    input = OrganizerInput
    input_names: ClassVar = {"name": "organizer"}

    class Meta:
        model = Organizer
        widgets = WIDGETS
        fields = [
            *("institution", "name", "slug", "status", "author", "description", "phone"),
            *("website", "email", "image"),
        ]
