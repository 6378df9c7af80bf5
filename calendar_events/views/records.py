"""Reading venues and organizers: the lists, singles by identifier and by slug."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from calendar_events import access, answers, sql, viewers
from calendar_events.documents import composition
from calendar_events.filters.records import RecordFilter
from calendar_events.models import Status
from calendar_events.queries import records, singles
from calendar_events.queries.sliced import slice_of
from calendar_events.views import lists
from calendar_events.views.base import EventsView
from calendar_events.views.events import single_answer

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

    from calendar_events.pagination import PageRequest


class RecordReads(EventsView):
    """What venues and organizers have in common."""

    kind: ClassVar[str]

    def list(self, request: Request) -> HttpResponse:
        """List the records."""
        asked = lists.read(request, RecordFilter, now=self.now)
        found, order, problems = records.record_query(
            asked.values, kind=self.kind, viewer=asked.viewer, now=self.now
        )
        asked.require_no(problems)

        def find(wanted: PageRequest) -> lists.Found:
            ids, total = slice_of(found, order, limit=wanted.size, offset=wanted.offset)
            rows = records.by_ids(self.kind, ids)
            return lists.Found(items=map(self._text, rows), total=total)

        return lists.answer(asked, answers.COLLECTIONS[self.kind], self.kind, find)

    def retrieve(self, request: Request, pk: str) -> HttpResponse:
        """Read a record."""
        return self._single(request, singles.by_id(self.kind, sql.identifier(pk), self.now))

    def retrieve_by_slug(self, request: Request, slug: str) -> HttpResponse:
        """Read a record by its slug."""
        return self._single(request, singles.by_slug(self.kind, slug, self.now))

    def _single(self, request: Request, record: singles.Single | None) -> HttpResponse:
        if record is None:
            raise access.RecordNotFound(self.kind)
        viewer = answers.viewer_of(request, now=self.now)
        access.require_readable(
            self.kind,
            record,
            viewer=viewer,
            credentials=viewers.credentials_of(request),
            now=self.now,
        )
        return single_answer(request, self.kind, record, viewer=viewer, now=self.now)

    def _text(self, row: records.RecordRow) -> str:
        is_scheduled = (
            row.status == Status.PUBLISH
            and row.published_at is not None
            and row.published_at > self.now
        )
        return composition.record(row.fragment, is_scheduled=is_scheduled)


class VenueReads(RecordReads):
    """``GET /venues``, ``/venues/{id}`` and ``/venues/by-slug/{slug}``."""

    kind = viewers.VENUE
    resource = "venues"


class OrganizerReads(RecordReads):
    """``GET /organizers``, ``/organizers/{id}`` and ``/organizers/by-slug/{slug}``."""

    kind = viewers.ORGANIZER
    resource = "organizers"
