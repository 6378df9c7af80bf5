"""``/events.ics`` and the feeds of single events (decisions 7, "Feeds")."""

from collections.abc import Generator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import lru_cache
from typing import Any

import orjson
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from icalendar import Calendar
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from calendar_events.api import access, conditional, responses, series_calendar
from calendar_events.api.reading import EventReads
from calendar_events.api.streams import FeedResponse, chunks
from calendar_events.conf import conf
from calendar_events.documents import addresses
from calendar_events.documents.ical import (
    MARK,
    STATUSES,
    UNDECIDED,
    EventText,
    escape,
    fold,
    line,
)
from calendar_events.documents.recurring import InSeries, placed
from calendar_events.documents.timezones import ZonesOfFeed
from calendar_events.filters.filtersets import FeedFilter
from calendar_events.models import Event, Series, Status
from calendar_events.models.querysets.events import EventQuerySet
from calendar_events.models.visibility import EVENT, Viewer, password_matches
from calendar_events.store import feeds as event_feeds
from calendar_events.store.feeds import NOTHING, Embedded, FeedRow
from calendar_events.store.singles import Single

CONTENT_TYPE = "text/calendar; charset=utf-8"
PRODUCT = "-//Calendar Events//events/v1//EN"
CLOSING = "END:VCALENDAR\r\n"
REFRESH = "PT1H"
"""The refresh interval that feeds ask of calendars; an unchanged one is a 304."""
PUBLISHED = line("STATUS", STATUSES[Status.PUBLISH])
SCHEDULED = line("STATUS", UNDECIDED)


def opening(name: str) -> str:
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", name)
    calendar.add("x-wr-timezone", conf.site_zone.key)
    begun = calendar.to_ical().decode().removesuffix(CLOSING)
    # RFC 7986 5.7, and what others read.
    refresh = line("REFRESH-INTERVAL;VALUE=DURATION", REFRESH)
    return begun + refresh + line("X-PUBLISHED-TTL", REFRESH)


# The same few names come again and again.
_escaped = lru_cache(maxsize=4096)(escape)


class Composer:
    """Puts the events of one calendar together, each zone before its first event."""

    def __init__(self, zones: ZonesOfFeed) -> None:
        self._zones = zones
        self._described: set[str] = set()
        self._host = conf.public_host
        self._fillings = (
            (addresses.SITE, conf.public_url),
            (addresses.ROOT, conf.root_url),
        )

    def event(
        self,
        pk: int,
        text: str,
        embedded: Embedded = NOTHING,
        *,
        is_scheduled: bool,
        place: InSeries | None = None,
    ) -> str:
        """Return an event; ``embedded`` is what its viewer sees of other rows.

        With a ``place`` it is one of the VEVENTs of a series. Without a text there is none.
        """
        if not text:
            return ""
        pieces = EventText(*text.split(MARK))
        uid, component = f"event-{pk}", ""
        if place is not None:
            pieces, uid = placed(pieces, place), place.uid
            component = self._once(place.component)
        geo, _, location = "".join(embedded.places[:1]).partition(MARK)
        terms = ",".join(map(_escaped, embedded.categories + embedded.tags))
        return "".join(
            (
                self._zones.describe(pieces.zone),
                component,
                pieces.head,
                fold(f"UID:{uid}@{self._host}"),
                "\r\n",
                pieces.sequence,
                self._open(pieces.attach) if pieces.attach else "",
                line("CATEGORIES", terms) if terms else "",
                pieces.described,
                geo,
                pieces.modified,
                location,
                *embedded.organizers[:1],
                SCHEDULED if is_scheduled and pieces.status == PUBLISHED else pieces.status,
                self._open(pieces.url),
                "END:VEVENT\r\n",
            )
        )

    def _once(self, component: str) -> str:
        """Return the description of a zone when it is the first of its kind."""
        is_new = component not in self._described
        self._described.add(component)
        return component if is_new else ""

    def _open(self, text: str) -> str:
        for marker, address in self._fillings:
            if marker in text:
                text = text.replace(marker, address)
        return f"{fold(text)}\r\n"


NAME = "Events"


class CalendarRenderer(BaseRenderer):
    """Lets ``Accept: text/calendar`` through; the views write calendars themselves."""

    media_type = "text/calendar"
    format = "ics"
    charset = "utf-8"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return orjson.dumps(data)


class EventFeeds(EventReads):
    """Events for other calendars, with the filters and the window of the list."""

    renderer_classes = [CalendarRenderer]
    filterset_class = FeedFilter

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """Describe the route, in JSON."""
        response = super().options(request, *args, **kwargs)
        response.content_type = responses.JSON
        return response

    def list(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Stream every event of a list; pages are ignored.

        Raises ``Unavailable`` when too many feeds are being sent.
        """
        queryset: Any = self.filter_queryset(self.get_queryset())

        def feed() -> HttpResponseBase:
            if request.method == "HEAD":
                return StreamingHttpResponse((), content_type=CONTENT_TYPE)
            is_expanded = self.filterset.values.get("expand", True)
            make = _texts if is_expanded else _texts_by_series
            steps = chunks(make(queryset, self.state.last_end))
            return FeedResponse(steps, content_type=CONTENT_TYPE)

        if self.is_extended:  # a stream has no tag of its body
            response = feed()
            conditional.add_cache_headers(response, is_private=True)
            return response
        return conditional.respond(request, self.list_version(), feed)

    def document(self, record: Single) -> HttpResponse:
        """Return one event as a calendar."""
        body = single_calendar(record.id, viewer=self.viewer, now=self.now)
        return HttpResponse(body, content_type=CONTENT_TYPE)


def single_calendar(pk: int, *, viewer: Viewer, now: datetime) -> str:
    """Return one event as a calendar, with what the viewer sees of its venue and others.

    Raises ``RecordNotFound`` when there is no such event.
    """
    row = event_feeds.single(pk, now)
    if row is None:  # deleted since it was found
        raise access.RecordNotFound(EVENT)
    composer = Composer(ZonesOfFeed())
    return "".join(
        (
            opening(NAME),
            _events(composer, [row], {row.id}, viewer=viewer, now=now),
            CLOSING,
        )
    )


def _texts(events: EventQuerySet, last_end: datetime) -> Generator[str]:
    """Yield a feed; between two texts nothing is held but what is yet to be sent."""
    listing, now = events.listing, events.moment
    composer = Composer(ZonesOfFeed(_reach(events, last_end)))
    yield opening(NAME)
    for rows in event_feeds.batches(events):
        open_ids = {
            row.id for row in rows if password_matches(row.password, listing.password)
        }
        yield _events(composer, rows, open_ids, viewer=listing.viewer, now=now)
    yield CLOSING


def _texts_by_series(events: EventQuerySet, last_end: datetime) -> Generator[str]:
    """Yield a feed in which a series is one VEVENT with its rule."""
    listing, now = events.listing, events.moment
    composer = Composer(ZonesOfFeed(_reach(events, last_end)))
    shown: Any = Event.objects.listed_for(listing.viewer, now)
    shown = shown.opened_with(listing.password)
    yield opening(NAME)
    for rows in event_feeds.batches(events):
        of_series = {
            event.pk: event.series
            for event in Event.objects.filter(
                pk__in=[row.id for row in rows], series__isnull=False
            )
            .select_related("series")
            .only("series")
        }
        alone = [row for row in rows if row.id not in of_series]
        open_ids = {
            row.id for row in alone if password_matches(row.password, listing.password)
        }
        yield _events(composer, alone, open_ids, viewer=listing.viewer, now=now)
        several = [series for series in of_series.values() if series is not None]
        yield from series_calendar.components(several, shown, composer)
    yield CLOSING


def series_text(series: Series, occurrences: EventQuerySet) -> str:
    """Return a series as a calendar, with what may be seen of its occurrences."""
    composer = Composer(ZonesOfFeed())
    events = series_calendar.components([series], occurrences, composer)
    return "".join((opening(NAME), *events, CLOSING))


def _events(
    composer: Composer,
    rows: Sequence[FeedRow],
    open_ids: AbstractSet[int],
    *,
    viewer: Viewer,
    now: datetime,
) -> str:
    """Return events; those that are not open are shown as without their password."""
    embedded = event_feeds.embedded(sorted(open_ids), viewer, now)
    return "".join(
        composer.event(
            row.id,
            event_feeds.text_of(row, is_open=row.id in open_ids),
            embedded.get(row.id, event_feeds.NOTHING),
            is_scheduled=row.is_scheduled,
        )
        for row in rows
    )


def _reach(events: EventQuerySet, last_end: datetime) -> tuple[int, int]:
    """Return the years that the events of a list begin and end in, as far as is known."""
    window = events.window
    start = window.start or window.starts_after or events.moment
    end = min(window.end or last_end, last_end)
    return start.year, max(start, end).year
