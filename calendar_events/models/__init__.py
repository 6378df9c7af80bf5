"""Events, venues, organizers, terms and images, and the rows that keep lists fast.

``save()``, ``objects.create()`` and ``delete()`` keep every invariant of this package in
one transaction (``rendered``): the version, the modification moment, the fragment, the
search text, the history, and the copies in the link rows.
"""

from calendar_events.models.change import Change
from calendar_events.models.event import Event, EventOrganizer, EventTerm, EventVenue
from calendar_events.models.fields import WallClockField
from calendar_events.models.image import Image
from calendar_events.models.internals import DayCount, IdempotentAnswer
from calendar_events.models.places import Organizer, Venue
from calendar_events.models.querysets.base import RecordQuerySet
from calendar_events.models.querysets.terms import TermQuerySet
from calendar_events.models.record import Record
from calendar_events.models.rendered import Rendered
from calendar_events.models.series import Series
from calendar_events.models.term import Term
from calendar_events.models.visibility import Status, Taxonomy
from calendar_events.models.webhooks import (
    WebhookAttempt,
    WebhookDelivery,
    WebhookSubscription,
)

__all__ = [
    "Change",
    "DayCount",
    "Event",
    "EventOrganizer",
    "EventTerm",
    "EventVenue",
    "IdempotentAnswer",
    "Image",
    "Organizer",
    "Record",
    "RecordQuerySet",
    "Rendered",
    "Series",
    "Status",
    "Taxonomy",
    "Term",
    "TermQuerySet",
    "Venue",
    "WallClockField",
    "WebhookAttempt",
    "WebhookDelivery",
    "WebhookSubscription",
]
