"""Reading events: the list, singles by identifier and by slug."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calendar_events.api import access, conditional, lists, responses, revalidation
from calendar_events.api.base import EventsView
from calendar_events.api.viewer import credentials_of, viewer_of
from calendar_events.documents import composition
from calendar_events.filters.events import EventFilter
from calendar_events.models import visibility
from calendar_events.parsing.identifiers import identifier
from calendar_events.store import relations
from calendar_events.store.events import pages, singles
from calendar_events.store.events.filters import event_query
from calendar_events.store.events.windows import window as window_of

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpResponse
    from rest_framework.request import Request

    from calendar_events.api.pagination import PageRequest
    from calendar_events.documents.related import Related
    from calendar_events.models.visibility import Viewer
    from calendar_events.store.events.feeds import FeedRow
    from calendar_events.store.events.page_statements import EventRow
    from calendar_events.store.events.query import EventQuery
    from calendar_events.store.events.singles import EventSingle
    from calendar_events.store.events.windows import Window
    from calendar_events.store.singles import Single


class EventReads(EventsView):
    """``GET /events``, ``/events/{id}`` and ``/events/by-slug/{slug}``."""

    resource = "events"

    @classmethod
    def as_view(cls, actions: Any = None, **initkwargs: Any) -> Any:
        """Return the view of a route; of one event, it may be spared most questions."""
        view = super().as_view(actions, **initkwargs)
        if actions.get("get") != "retrieve":
            return view
        served = {*actions, "head", "options"}
        methods = [name.upper() for name in cls.http_method_names if name in served]
        return revalidation.with_early_304(view, methods)

    def list(self, request: Request) -> HttpResponse:
        """List events."""
        asked = lists.read(request, EventFilter, now=self.now)
        query, window = event_list(asked)

        def find(wanted: PageRequest) -> lists.Found:
            page = pages.fetch(query, limit=wanted.size, offset=wanted.offset)
            items = event_texts(page.rows, query, asked.values.get("password", ""))
            return lists.Found(items=items, total=page.total)

        return lists.answer(asked, "events", visibility.EVENT, find, window)

    def retrieve(
        self, request: Request, pk: str, found: EventSingle | None = None
    ) -> HttpResponse:
        """Read an event; ``found`` is one that was read already."""
        found = found or singles.by_id(identifier(pk), self.now)
        return self._single(request, found)

    def retrieve_by_slug(self, request: Request, slug: str) -> HttpResponse:
        """Read an event by its slug."""
        return self._single(request, singles.by_slug(slug, self.now))

    def _single(self, request: Request, found: EventSingle | None) -> HttpResponse:
        event, viewer = open_event(request, found, now=self.now)
        return single_answer(
            request,
            visibility.EVENT,
            event.single,
            viewer=viewer,
            now=self.now,
            related=event.related(viewer, self.now),
        )


def open_event(
    request: Request, found: EventSingle | None, *, now: datetime
) -> tuple[EventSingle, Viewer]:
    """Return an event that may be shown, and to whom.

    Raises what ``access`` raises: 404, or 403 for what is not for this caller.
    """
    if found is None:
        raise access.RecordNotFound(visibility.EVENT)
    viewer = viewer_of(request, now=now)
    credentials = credentials_of(request)
    access.require_readable(
        visibility.EVENT, found.single, viewer=viewer, credentials=credentials, now=now
    )
    access.require_password(
        found.single,
        request.GET.get("password", ""),
        viewer=viewer,
        editing=request.GET.get("context") == "edit",
    )
    return found, viewer


def single_answer(  # noqa: PLR0913 -- a record, who looks, and when
    request: Request,
    kind: str,
    record: Single,
    *,
    viewer: Viewer,
    now: datetime,
    related: list[Related] | None = None,
) -> HttpResponse:
    """Answer with one record: 304, 412 or its document with ``json_ld``.

    ``related`` is what an event carries, as far as its entity tag is made of it.
    """
    version = responses.record_version(
        request, kind, record, viewer=viewer, now=now, related=related
    )
    conditional.check(request, version.etag, version.modified_at)
    if conditional.is_not_modified(request, version.etag, version.modified_at):
        return responses.unchanged(version, is_private=responses.is_private(request))
    body = responses.single_body(kind, record, viewer=viewer, now=now)
    return responses.respond(request, body, version)


def event_list(asked: lists.ListRequest) -> tuple[EventQuery, Window]:
    """Return the list of events that was asked for.

    Raises ``InvalidParameters`` naming everything that cannot be used.
    """
    window, problems = window_of(asked.values, asked.context)
    query, more = event_query(
        asked.values,
        viewer=asked.viewer,
        now=asked.now,
        window=window,
        hints=asked.hints,
    )
    asked.require_no({**problems, **more})
    return query, window


def event_texts(rows: list[EventRow], query: EventQuery, password: str) -> list[str]:
    """Return the documents of a page; without their password some are blank."""
    open_ids = [row.id for row in rows if is_open(row, password)]
    related: dict[int, list[Related]] = {pk: [] for pk in open_ids}
    found = relations.of_events(
        open_ids,
        query.viewer,
        query.now,
        has_scheduled=query.hints.has_scheduled,
    )
    for one in found:
        related[one.event].append(one)
    return [
        composition.event(
            composition.effective(row.fragment, is_scheduled=row.is_scheduled),
            related[row.id],
        )
        if row.id in related
        else composition.protected_event(
            composition.effective(row.protected_fragment, is_scheduled=row.is_scheduled)
        )
        for row in rows
    ]


def is_open(row: EventRow | FeedRow, password: str) -> bool:
    """Return whether an event is shown whole: it has no password, or this one."""
    return not row.password or access.is_password(row.password, password)
