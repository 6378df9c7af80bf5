"""Events, and the rows that link them to venues, organizers and terms."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q
from simple_history.models import HistoricalRecords

from calendar_events.models.fields import SubstringIndex, WallClockField
from calendar_events.models.guard import GuardedQuerySet, require_store
from calendar_events.models.places import Organizer, Venue
from calendar_events.models.querysets.events import EventQuerySet
from calendar_events.models.record import (
    LinkedHistory,
    Record,
    StateManager,
    reason_field,
    record_permissions,
)
from calendar_events.models.series import Series
from calendar_events.models.standing import EventStatus, Standing
from calendar_events.models.term import Term
from calendar_events.models.visibility import Status, Taxonomy
from calendar_events.parsing import text

LISTED = Q(hide_from_listings=False) & Q(status=Status.PUBLISH.value)


class Event(Standing, Record):
    """Something that happens (spec 2.3)."""

    title = models.CharField(max_length=500)
    excerpt = models.TextField(blank=True, default="")
    start_local = WallClockField()
    end_local = WallClockField()
    start_utc = models.DateTimeField()
    end_utc = models.DateTimeField()
    timezone = models.CharField(max_length=64)
    """As it was given: an IANA name, an abbreviation or an offset."""
    all_day = models.BooleanField(default=False)
    cost = models.CharField(max_length=500, blank=True, default="")
    """As it was given; ``costs`` parses it when the event is rendered."""
    password = models.CharField(max_length=255, blank=True, default="")
    show_map = models.BooleanField(default=True)
    show_map_link = models.BooleanField(default=True)
    hide_from_listings = models.BooleanField(default=False)
    sticky = models.BooleanField(default=False)
    featured = models.BooleanField(default=False)
    ticketed = models.BooleanField(default=False)
    post_parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="children"
    )
    series = models.ForeignKey(
        Series,
        null=True,
        editable=False,
        # Without a constraint, which would have to look at all rows of a table in use: a
        # series is deleted after its last occurrence, in the same transaction.
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="occurrences",
    )
    """What the event is an occurrence of."""
    original_start_local = WallClockField(null=True, editable=False)
    original_start_utc = models.DateTimeField(null=True, editable=False)
    """The date of the series that the event stands for, wherever it was moved."""
    position = models.PositiveIntegerField(null=True, editable=False)
    """Which date of the series that is, from 1 on."""
    overridden = models.TextField(editable=False, blank=True, default="", db_default="")
    """The fields in which an occurrence differs from its series, between blanks."""
    protected_fragment = models.TextField(editable=False, blank=True, default="")
    """The document without its protected fields; empty when there is no password."""
    protected_feed_text = models.TextField(
        editable=False, blank=True, default="", db_default=""
    )
    """The event in feeds without the password; empty when there is none."""
    venues = models.ManyToManyField(Venue, through="EventVenue", related_name="events")
    organizers = models.ManyToManyField(
        Organizer, through="EventOrganizer", related_name="events"
    )
    terms = models.ManyToManyField(Term, through="EventTerm", related_name="events")

    rendered_fields: ClassVar[list[str]] = [
        *Record.rendered_fields,
        "protected_fragment",
        "protected_feed_text",
    ]
    history = HistoricalRecords(
        excluded_fields=rendered_fields,
        bases=[LinkedHistory],
        history_manager=StateManager,
        history_change_reason_field=reason_field(),
    )

    objects = EventQuerySet.as_manager()

    linked: dict[str, list[int]]
    """What it is linked to, while it is being written; kept by the history."""

    class Meta(Record.Meta):
        constraints = [
            *Record.Meta.constraints,
            models.CheckConstraint(condition=~Q(title=""), name="event_has_title"),
            models.CheckConstraint(
                condition=Q(end_utc__gte=F("start_utc")),
                name="event_ends_after_it_starts",
            ),
            models.CheckConstraint(
                condition=Q(post_parent__isnull=True) | ~Q(post_parent=F("id")),
                name="event_is_not_its_own_parent",
            ),
        ]
        indexes = [
            SubstringIndex("event_search"),
            # The default list and its total: page one is the head of this index.
            models.Index(
                fields=["start_utc", "id", "published_at", "end_utc"],
                condition=LISTED,
                name="event_listed",
            ),
            # Everybody's and one's own together, in one order.
            models.Index(
                fields=["start_utc", "id"],
                condition=Q(hide_from_listings=False),
                name="event_not_hidden",
            ),
            models.Index(
                fields=["start_utc", "id"],
                condition=LISTED & Q(featured=True),
                name="event_featured",
            ),
            models.Index(
                fields=["start_utc", "id"],
                condition=LISTED & Q(ticketed=True),
                name="event_ticketed",
            ),
            models.Index(
                fields=["sort_text", "id"], condition=LISTED, name="event_listed_title"
            ),
            models.Index(
                fields=["institution", "start_utc", "id"],
                condition=LISTED,
                name="event_listed_institution",
            ),
            # What only the institution's own people may see.
            models.Index(
                fields=["institution", "start_utc", "id"],
                condition=~Q(status=Status.PUBLISH),
                name="event_unpublished",
            ),
            # By their end; what overlaps a window is found in it without the table.
            models.Index(
                fields=["end_utc", "id", "start_utc"],
                condition=LISTED,
                name="event_listed_end",
            ),
            # Also answers "what has time not published yet?".
            models.Index(
                fields=["published_at", "id"],
                condition=LISTED,
                name="event_listed_published",
            ),
            # Those that do not take place as planned are few.
            models.Index(
                fields=["start_utc", "id"],
                condition=~Q(event_status=EventStatus.SCHEDULED),
                name="event_not_as_planned",
            ),
            # Whose online address has time shown since?
            models.Index(
                fields=["online_from"],
                condition=Q(online_from__isnull=False),
                name="event_online_from",
            ),
            models.Index(fields=["author", "status"], name="event_author_status"),
            models.Index(fields=["modified_at", "id"], name="event_modified"),
            # A month of admin, whatever the status: what begins in it, what goes on.
            models.Index(fields=["start_local", "id"], name="event_start_local"),
            models.Index(fields=["end_local", "start_local"], name="event_end_local"),
            models.Index(
                fields=["series", "original_start_local"],
                condition=Q(series__isnull=False),
                name="event_series",
            ),
            # Lists of admin are counted, filtered and sorted in this index alone: the
            # table is three times as wide. The longest values fit in an entry.
            models.Index(
                fields=[
                    *("institution", "status", "published_at", "author", "password"),
                    *("featured", "sticky", "hide_from_listings"),
                    *("sort_text", "timezone", "start_local", "id"),
                ],
                name="event_in_admin",
            ),
        ]
        permissions = record_permissions("event")

    @property
    def overrides(self) -> frozenset[str]:
        """The fields in which an occurrence differs from its series."""
        return frozenset(self.overridden.split())

    @overrides.setter
    def overrides(self, names: Iterable[str]) -> None:
        self.overridden = " ".join(sorted(names))

    @property
    def display_name(self) -> str:
        return self.title

    def linked_rows(self) -> dict[str, models.QuerySet[Any]]:
        return {
            "parent": Event.objects.filter(pk=self.post_parent_id or 0),
            "venues": self.venues.all(),
            "organizers": self.organizers.all(),
            "categories": self.terms.filter(taxonomy=Taxonomy.CATEGORY),
            "tags": self.terms.filter(taxonomy=Taxonomy.TAG),
            "child events": self.children.all(),
            **super().linked_rows(),
        }

    def searched_texts(self) -> list[str]:
        """Return title, excerpt and description; of a protected event the title alone."""
        if self.password:
            return [self.title]
        return [self.title, *map(text.strip_html, (self.excerpt, self.description))]

    def __str__(self) -> str:
        return f"{self.title} ({self.pk})"


class EventLink(models.Model):
    """A link of an event, with a copy of what lists filter and sort by.

    The copy makes "the events of this category from then on" the head of one index. Written
    by ``calendar_events.store.saving`` together with the event.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE)
    position = models.PositiveSmallIntegerField(default=0)
    start_utc = models.DateTimeField()
    listed = models.BooleanField()
    """Whether lists may find the event by this link: it is published (perhaps later), not
    hidden, and not protected, for the link is among what a password protects."""

    objects = GuardedQuerySet.as_manager()

    write_instead = (
        "Call event.save(links=Links(venues=[…], organizers=[…], terms=[…])), with Links "
        "from calendar_events.store.links."
    )

    class Meta:
        abstract = True
        base_manager_name = "objects"

    def save_base(self, *args: Any, **options: Any) -> None:
        """Refuse ``save`` and ``create``. Raises ``WrittenPastTheStore``."""
        require_store(type(self))
        super().save_base(*args, **options)

    def delete(self, *args: Any, **options: Any) -> tuple[int, dict[str, int]]:
        """Refuse. Raises ``WrittenPastTheStore``."""
        require_store(type(self))
        return super().delete(*args, **options)


class EventVenue(EventLink):
    """An event takes place at a venue."""

    venue = models.ForeignKey(Venue, on_delete=models.CASCADE)

    class Meta(EventLink.Meta):
        constraints = [
            models.UniqueConstraint(fields=["event", "venue"], name="event_venue_once"),
        ]
        indexes = [
            models.Index(
                fields=["venue", "start_utc", "event"],
                condition=Q(listed=True),
                name="event_venue_listed",
            ),
        ]

    def __str__(self) -> str:
        return f"event {self.event_id} at venue {self.venue_id} ({self.pk})"


class EventOrganizer(EventLink):
    """An event is held by an organizer."""

    organizer = models.ForeignKey(Organizer, on_delete=models.CASCADE)

    class Meta(EventLink.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["event", "organizer"], name="event_organizer_once"
            ),
        ]
        indexes = [
            models.Index(
                fields=["organizer", "start_utc", "event"],
                condition=Q(listed=True),
                name="event_organizer_listed",
            ),
        ]

    def __str__(self) -> str:
        return f"event {self.event_id} by organizer {self.organizer_id} ({self.pk})"


class EventTerm(EventLink):
    """An event is in a category or has a tag."""

    term = models.ForeignKey(Term, on_delete=models.CASCADE)

    class Meta(EventLink.Meta):
        constraints = [
            models.UniqueConstraint(fields=["event", "term"], name="event_term_once"),
        ]
        indexes = [
            models.Index(
                fields=["term", "start_utc", "event"],
                condition=Q(listed=True),
                name="event_term_listed",
            ),
        ]

    def __str__(self) -> str:
        return f"event {self.event_id} in term {self.term_id} ({self.pk})"
