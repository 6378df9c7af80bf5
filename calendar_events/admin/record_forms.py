"""Forms of events, with the tree of categories as boxes, of venues and of organizers."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib.admin.widgets import AdminTextInputWidget
from django.http import QueryDict

from calendar_events.admin import institutions, series_fields, series_scope
from calendar_events.admin.forms import OrderedChoices, PublishedForm, plain
from calendar_events.admin.series_fields import REPEATS, DatesField, is_version
from calendar_events.admin.series_scope import SCOPE_CHOICES
from calendar_events.admin.widgets import LocalDateTimeInput, RichTextArea, TimeZoneInput
from calendar_events.documents.fields import moment
from calendar_events.models import Event, Organizer, Status, Taxonomy, Term, Venue
from calendar_events.serializers.inputs import EventInput, OrganizerInput, VenueInput
from institution_admin import is_id

TERMS = ("in_categories", "in_terms")
WIDGETS = {"description": RichTextArea}


MOST = 300
"""Categories that a form shows; where there are more, they are searched for."""
DEEPEST = 6
"""The deepest indentation of a box."""


class TreeWidget(forms.CheckboxSelectMultiple):
    """Boxes, each as far from the edge as its category is from the top of the tree."""

    template_name = "admin/calendar_events/category_tree.html"
    depths: dict[int, int]

    def __init__(self) -> None:
        super().__init__()
        self.depths = {}

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Tell the template how deep a box stands."""
        option = super().create_option(name, value, *args, **kwargs)
        depth = self.depths.get(int(str(value)), 0)
        return {**option, "depth": min(depth, DEEPEST)}


class CategoryField(forms.ModelMultipleChoiceField):
    """Categories of one institution."""

    widget: Any = TreeWidget

    def __init__(self) -> None:
        """Offer nothing before the institution is known."""
        super().__init__(Term.objects.none(), required=False, label="Categories")

    def offer(self, institution: str) -> bool:
        """Offer the tree of an institution; return whether there is one to be shown."""
        rows = Term.objects.categories().filter(institution=institution)
        found = list(rows.order_by("sort_text", "id")[: MOST + 1]) if institution else []
        if not 0 < len(found) <= MOST:
            self.widget = forms.MultipleHiddenInput()
            return False
        self.queryset = rows
        branches = list(in_order(found))
        self.choices = [(term.pk, term.name) for term, _ in branches]
        self.widget.depths = {term.pk: depth for term, depth in branches}
        return True

    def clean(self, value: Any) -> Any:
        """Return the categories; what is no identifier names none."""
        if not all(map(is_id, value or [])):
            raise forms.ValidationError("Choose from the list.")
        return list(super().clean(value))


def in_order(terms: Sequence[Term]) -> Iterator[tuple[Term, int]]:
    """Yield every category once, each after its parent, with its depth from 0."""
    here = {term.pk for term in terms}
    children: dict[int | None, list[Term]] = {}
    for term in terms:
        parent = term.parent_id if term.parent_id in here else None
        children.setdefault(parent, []).append(term)
    seen: set[int] = set()
    # Rows that are their own ancestors hang on no root: they begin where nothing is left.
    for first in (None, *sorted(here)):
        left = [(term, 0) for term in reversed(children.get(first, []))]
        while left:
            term, depth = left.pop()
            if term.pk in seen:
                continue
            seen.add(term.pk)
            yield term, depth
            left += [(each, depth + 1) for each in reversed(children.get(term.pk, []))]


class EventForm(PublishedForm):
    """An event; its password and its parent are set only here (decisions 7)."""

    input = EventInput
    input_names: ClassVar = {"at_venues": "venue", "by_organizers": "organizer"}
    only_here = frozenset({"password", "post_parent"})
    copied: Event | None = None
    """The event that is saved as a new one."""
    to_confirm = ""
    """Which dates will be changed or made, before they are."""

    start_date = forms.CharField(
        label="Starts",
        widget=LocalDateTimeInput,
        help_text="In the time zone of the event.",
    )
    end_date = forms.CharField(label="Ends", widget=LocalDateTimeInput)
    timezone = forms.CharField(
        label="Time zone", widget=TimeZoneInput, help_text="A place, or an offset: +02:00."
    )
    rrule = forms.CharField(
        label="Repeats",
        required=False,
        widget=AdminTextInputWidget,
        help_text="A rule such as FREQ=WEEKLY;COUNT=10; each date becomes an event.",
    )
    rdate = DatesField(
        label="Extra dates",
        help_text="A line for each, such as 2031-01-13; without a time, that of the start.",
    )
    exdate = DatesField(
        label="Left-out dates",
        help_text="A line for each; what is taken away from here takes place again.",
    )
    scope = forms.ChoiceField(
        label="Change",
        choices=SCOPE_CHOICES,
        required=False,
        help_text="More than this one is shown before it is changed.",
    )
    confirmed = forms.CharField(required=False, widget=forms.HiddenInput)
    online_from_utc = forms.CharField(
        label="Online address from (UTC)",
        widget=LocalDateTimeInput,
        help_text="Until then only those who may change the event see it.",
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
            *("password", "post_parent", "event_status", "status_reason"),
            *("attendance_mode", "online_address", "online_audience"),
        ]

    def __init__(self, data: Any = None, *args: Any, **kwargs: Any) -> None:
        """Show categories as a tree, where an institution is known and has not too many."""
        super().__init__(data and self._as_draft(data), *args, **kwargs)
        if is_version(self.instance):
            for name in (*REPEATS, "scope", "confirmed"):
                del self.fields[name]
        tree: Any = self.fields["in_categories"]
        terms: Any = self.fields["in_terms"]
        event = self.copied or self.instance
        if not tree.offer(event.institution or institutions.own(self.request)):
            return
        linked = self.initial.get("in_terms") or []
        self.initial["in_categories"] = [
            each.pk for each in linked if each.taxonomy == Taxonomy.CATEGORY
        ]
        self.initial["in_terms"] = [
            each for each in linked if each.taxonomy != Taxonomy.CATEGORY
        ]
        terms.label = "Tags"

    def _as_draft(self, data: QueryDict) -> QueryDict:
        """Make a copy a draft of the user's, in the institution of the original."""
        if self.copied is None:
            return data
        sent = data.copy()
        sent["institution"], sent["status"] = self.copied.institution, Status.DRAFT
        sent["event_status"] = sent["status_reason"] = ""
        sent["author"] = sent["slug"] = sent["date_utc"] = sent["seen_version"] = ""
        for name in (*REPEATS, "scope"):
            sent[name] = ""
        return sent

    def shown(self) -> dict[str, Any]:
        event = self.copied or self.instance
        if not event.pk:
            return super().shown()
        return super().shown() | {
            "start_date": str(event.start_local),
            "end_date": str(event.end_local),
            **series_fields.shown(event),
            "online_from_utc": moment(event.online_from),
            "at_venues": self._linked("venues", "eventvenue__position"),
            "by_organizers": self._linked("organizers", "eventorganizer__position"),
            "in_terms": self._linked("terms", "eventterm__position"),
        }

    def _linked(self, name: str, position: str) -> list[Any]:
        event = self.copied or self.instance
        state = getattr(event, "_history", None)
        if state is None:
            return list(getattr(event, name).order_by(position))
        model: Any = Event._meta.get_field(name).related_model
        found = model.objects.in_bulk(state.linked.get(name, []))
        return list(found.values())

    def clean(self) -> dict[str, Any]:
        """Keep for a copy what its user may not set; show which dates there will be."""
        super().clean()
        if self.copied is not None:
            for name in self.only_here - self.fields.keys():
                self.changes[name] = plain(getattr(self.copied, name))
        if self.instance.pk and self.copied is None and not self.errors:
            series_scope.require_seen(self)
        return self.cleaned_data

    def body(self, *, is_new: bool) -> dict[str, Any]:
        """Tell categories from tags; leave what is in the trash off a copy."""
        body = super().body(is_new=is_new)
        for name in TERMS:
            body.pop(name, None)
        chosen = [each for name in TERMS for each in self.cleaned_data.get(name) or []]
        terms = {term.pk: term for term in chosen}.values()
        for name, taxonomy in (("categories", Taxonomy.CATEGORY), ("tags", Taxonomy.TAG)):
            body[name] = [term.pk for term in terms if term.taxonomy == taxonomy]
        if not is_new:
            body = series_fields.sent(self, body)
        if self.copied is not None:
            for ours, theirs in self.input_names.items():
                records = self.cleaned_data.get(ours, [])
                body[theirs] = [each.pk for each in records if each.status != Status.TRASH]
        return body

    def _require_version(self, stored: Any) -> None:
        super()._require_version(stored)
        if stored is not None:
            series_fields.require_same(self)

    def clean_post_parent(self) -> Event | None:
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
