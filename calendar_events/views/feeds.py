"""``/events.ics`` and the feeds of single events (decisions 7, "Feeds")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from django.http import HttpResponse, StreamingHttpResponse
from rest_framework.renderers import BaseRenderer

from calendar_events import answers, conditional, feeds, sql, viewers
from calendar_events.documents import addresses
from calendar_events.filters.echo import echo
from calendar_events.filters.events import FeedFilter
from calendar_events.queries import event_singles, pages
from calendar_events.views import lists
from calendar_events.views.base import EventsView
from calendar_events.views.events import event_list, event_texts, open_event

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from django.http.response import HttpResponseBase
    from rest_framework.request import Request
    from rest_framework.response import Response

    from calendar_events.queries.event_singles import EventSingle
    from calendar_events.queries.events import EventQuery

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
        response.content_type = answers.JSON
        return response

    def list(self, request: Request) -> HttpResponseBase:
        """Stream every event of a list; pages are ignored."""
        asked = lists.read(request, FeedFilter, now=self.now)
        query, window = event_list(asked)
        told = echo(FeedFilter, request.GET, asked.values, asked.context, window)
        etag = conditional.entity_tag(
            "feed", asked.fingerprint, asked.viewer.key, told, asked.values.get("password")
        )
        if conditional.is_not_modified(request, etag):
            response: HttpResponseBase = HttpResponse(status=304)
            del response["Content-Type"]
        else:
            password = asked.values.get("password", "")
            response = StreamingHttpResponse(
                _stream(query, password), content_type=feeds.CONTENT_TYPE
            )
        is_private = request.auth is not None or "password" in asked.values
        conditional.add_headers(response, etag=etag, is_private=is_private)
        return response

    def retrieve(self, request: Request, pk: str) -> HttpResponseBase:
        """Return one event as a calendar."""
        return self._single(request, event_singles.by_id(sql.identifier(pk), self.now))

    def retrieve_by_slug(self, request: Request, slug: str) -> HttpResponseBase:
        """Return one event by its slug as a calendar."""
        return self._single(request, event_singles.by_slug(slug, self.now))

    def _single(self, request: Request, found: EventSingle | None) -> HttpResponseBase:
        found, viewer = open_event(request, found, now=self.now)
        event = found.single
        version = answers.record_version(
            request,
            viewers.EVENT,
            event,
            viewer=viewer,
            now=self.now,
            form="ics",
            related=found.related(viewer, self.now),
        )
        if conditional.is_not_modified(request, version.etag, version.modified_at):
            return answers.not_modified(request, version)
        body = answers.record_body(viewers.EVENT, event, viewer=viewer, now=self.now)
        parts = feeds.components([(orjson.loads(body), event.version)])
        response = HttpResponse(
            b"".join([feeds.opening(NAME), *parts, feeds.closing()]),
            content_type=feeds.CONTENT_TYPE,
        )
        answers.add_headers(request, response, version)
        return response


def _stream(query: EventQuery, password: str) -> Iterator[bytes]:
    yield feeds.opening(NAME)
    yield from feeds.components(_documents(query, password))
    yield feeds.closing()


def _documents(query: EventQuery, password: str) -> Iterator[tuple[dict[str, Any], int]]:
    for rows in pages.each(query):
        for row, text in zip(rows, event_texts(rows, query, password), strict=True):
            yield orjson.loads(addresses.fill(text)), row.version
