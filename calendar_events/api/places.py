"""Reading venues and organizers: the lists, singles by identifier and by slug."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from calendar_events.api import access, lists, responses
from calendar_events.api.base import EventsView
from calendar_events.api.events import single_answer
from calendar_events.api.viewer import credentials_of, viewer_of
from calendar_events.documents import composition
from calendar_events.filters.places import RecordFilter
from calendar_events.models import visibility
from calendar_events.parsing.identifiers import identifier
from calendar_events.store import places, singles
from calendar_events.store.sliced import slice_of

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

    from calendar_events.api.pagination import PageRequest


class RecordReads(EventsView):
    """What venues and organizers have in common."""

    kind: ClassVar[str]

    def list(self, request: Request) -> HttpResponse:
        """List the records."""
        asked = lists.read(request, RecordFilter, now=self.now)
        found, order, problems = places.record_query(
            asked.values, kind=self.kind, viewer=asked.viewer, now=self.now
        )
        asked.require_no(problems)

        def find(wanted: PageRequest) -> lists.Found:
            ids, total = slice_of(found, order, limit=wanted.size, offset=wanted.offset)
            rows = places.by_ids(self.kind, ids)
            return lists.Found(items=map(self._text, rows), total=total)

        return lists.answer(asked, responses.COLLECTIONS[self.kind], self.kind, find)

    def retrieve(self, request: Request, pk: str) -> HttpResponse:
        """Read a record."""
        return self._single(request, singles.by_id(self.kind, identifier(pk), self.now))

    def retrieve_by_slug(self, request: Request, slug: str) -> HttpResponse:
        """Read a record by its slug."""
        return self._single(request, singles.by_slug(self.kind, slug, self.now))

    def _single(self, request: Request, record: singles.Single | None) -> HttpResponse:
        if record is None:
            raise access.RecordNotFound(self.kind)
        viewer = viewer_of(request, now=self.now)
        access.require_readable(
            self.kind,
            record,
            viewer=viewer,
            credentials=credentials_of(request),
            now=self.now,
        )
        return single_answer(request, self.kind, record, viewer=viewer, now=self.now)

    def _text(self, row: places.RecordRow) -> str:
        is_scheduled = responses.is_scheduled(row, self.now)
        return composition.record(row.fragment, is_scheduled=is_scheduled)


class VenueReads(RecordReads):
    """``GET /venues``, ``/venues/{id}`` and ``/venues/by-slug/{slug}``."""

    kind = visibility.VENUE
    resource = "venues"


class OrganizerReads(RecordReads):
    """``GET /organizers``, ``/organizers/{id}`` and ``/organizers/by-slug/{slug}``."""

    kind = visibility.ORGANIZER
    resource = "organizers"
