"""``/events.ics`` and the feeds of single events (decisions 7, "Feeds")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from django.http import HttpResponse, StreamingHttpResponse
from rest_framework.renderers import BaseRenderer

from calendar_events.api import access, conditional, lists, responses
from calendar_events.api.base import EventsView
from calendar_events.api.events import event_list, is_open, open_event
from calendar_events.api.feeds import calendar
from calendar_events.api.feeds.streams import FeedResponse, chunks
from calendar_events.documents.ical.timezones import ZonesOfFeed
from calendar_events.filters.echo import echo
from calendar_events.filters.events import FeedFilter
from calendar_events.models import visibility
from calendar_events.parsing.identifiers import identifier
from calendar_events.store.events import feeds as event_feeds
from calendar_events.store.events import singles

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from django.http.response import HttpResponseBase
    from rest_framework.request import Request
    from rest_framework.response import Response

    from calendar_events.models.visibility import Viewer
    from calendar_events.store.events.feeds import FeedRow
    from calendar_events.store.events.query import EventQuery
    from calendar_events.store.events.singles import EventSingle

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
        """Return what an OPTIONS answer holds."""
        return orjson.dumps(data)


class EventFeeds(EventsView):
    """Events for other calendars, with the filters and the window of the list."""

    renderer_classes = [CalendarRenderer]
    resource = "events"

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """Describe the route, in JSON."""
        response = super().options(request, *args, **kwargs)
        response.content_type = responses.JSON
        return response

    def list(self, request: Request) -> HttpResponseBase:
        """Stream every event of a list; pages are ignored.

        Raises ``Unavailable`` when too many feeds are being sent.
        """
        asked = lists.read(request, FeedFilter, now=self.now)
        query, window = event_list(asked)
        told = echo(FeedFilter, request.GET, asked.values, asked.context, window)
        etag = conditional.entity_tag(
            "feed", asked.fingerprint, asked.viewer.key, told, asked.values.get("password")
        )
        is_private = request.auth is not None or "password" in asked.values
        if conditional.is_not_modified(request, etag):
            return conditional.not_modified(etag=etag, is_private=is_private)
        response: HttpResponseBase
        if request.method == "HEAD":
            response = StreamingHttpResponse((), content_type=calendar.CONTENT_TYPE)
        else:
            steps = _stream(query, asked.values.get("password", ""))
            response = FeedResponse(steps, content_type=calendar.CONTENT_TYPE)
        conditional.add_headers(response, etag=etag, is_private=is_private)
        return response

    def retrieve(self, request: Request, pk: str) -> HttpResponseBase:
        """Return one event as a calendar."""
        return self._single(request, singles.by_id(identifier(pk), self.now))

    def retrieve_by_slug(self, request: Request, slug: str) -> HttpResponseBase:
        """Return one event by its slug as a calendar."""
        return self._single(request, singles.by_slug(slug, self.now))

    def _single(self, request: Request, found: EventSingle | None) -> HttpResponseBase:
        found, viewer = open_event(request, found, now=self.now)
        event = found.single
        version = responses.record_version(
            request,
            visibility.EVENT,
            event,
            viewer=viewer,
            now=self.now,
            form="ics",
            related=found.related(viewer, self.now),
        )
        if conditional.is_not_modified(request, version.etag, version.modified_at):
            return responses.unchanged(version, is_private=responses.is_private(request))
        row = event_feeds.single(event.id, self.now)
        if row is None:  # deleted since it was found
            raise access.RecordNotFound(visibility.EVENT)
        composer = calendar.Composer(ZonesOfFeed())
        body = (
            calendar.opening(NAME),
            _events(composer, [row], {row.id}, viewer=viewer, now=self.now),
            calendar.closing(),
        )
        response = HttpResponse("".join(body), content_type=calendar.CONTENT_TYPE)
        responses.add_headers(request, response, version)
        return response


def _stream(query: EventQuery, password: str) -> Generator[bytes]:
    """Yield a feed; between two chunks nothing is held but what is yet to be sent."""
    yield from chunks(_texts(query, password))


def _texts(query: EventQuery, password: str) -> Iterator[str]:
    composer = calendar.Composer(ZonesOfFeed(_reach(query)))
    yield calendar.opening(NAME)
    for rows in event_feeds.batches(query):
        open_ids = {row.id for row in rows if is_open(row, password)}
        yield _events(composer, rows, open_ids, viewer=query.viewer, now=query.now)
    yield calendar.closing()


def _events(
    composer: calendar.Composer,
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


def _reach(query: EventQuery) -> tuple[int, int]:
    """Return the years that the events of a list begin and end in, as far as is known."""
    window = query.window
    start = window.start or window.starts_after or query.now
    end = min(window.end or query.hints.last_end, query.hints.last_end)
    return start.year, max(start, end).year
