"""Events, venues, organizers, terms and images, and the rows that keep lists fast.

How a writer saves: set the plain fields on an instance and hand it to
``store.saving.save`` (or ``delete``), never to ``Model.save``. That one
function keeps every invariant of this package together, in one transaction: the version,
the modification moment, the fragment, the search text, and the copies in the link rows.
"""

from calendar_events.models.event import Event, EventOrganizer, EventTerm, EventVenue
from calendar_events.models.fields import WallClockField
from calendar_events.models.image import Image
from calendar_events.models.internals import DayCount, IdempotentAnswer
from calendar_events.models.organizer import Organizer
from calendar_events.models.querysets.records import RecordQuerySet
from calendar_events.models.querysets.terms import TermQuerySet
from calendar_events.models.record import Record, Rendered
from calendar_events.models.taxonomy import Taxonomy
from calendar_events.models.term import Term
from calendar_events.models.venue import Venue
from calendar_events.models.visibility import Status

__all__ = [
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
    "Status",
    "Taxonomy",
    "Term",
    "TermQuerySet",
    "Venue",
    "WallClockField",
]
