"""What the first page of admin says of events: which are next, and which wait."""

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from calendar_events.models import Event, Status
from calendar_events.models.event import LISTED
from institution_admin.dashboard import ROWS, Block, Row, capped

LIST = "admin:calendar_events_event_changelist"
SHOWN = ("id", "title", "start_local", "timezone")


def of_events(events: QuerySet[Event]) -> list[Block]:
    now = timezone.now()
    upcoming = events.filter(LISTED, start_utc__gte=now, published_at__lte=now)
    # Said in full, so that SQLite sees that its index of what is not published will do.
    waiting = events.exclude(status=Status.PUBLISH).filter(status=Status.PENDING)
    page = reverse(LIST)
    return [
        Block("Upcoming events", _rows(upcoming), page),
        Block(
            "Waiting for review",
            _rows(waiting),
            f"{page}?status__exact={Status.PENDING}",
            f"{capped(waiting)} in all",
        ),
    ]


def _rows(events: QuerySet[Event]) -> list[Row]:
    return [
        Row(
            event.title,
            f"{event.start_local:%d %B %Y, %H:%M} {event.timezone}",
            reverse("admin:calendar_events_event_change", args=[event.pk]),
        )
        for event in events.only(*SHOWN).order_by("start_utc", "id")[:ROWS]
    ]
