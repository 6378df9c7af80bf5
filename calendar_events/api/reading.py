"""GET: lists, and single records."""

from typing import Any, ClassVar, cast

from django.http.response import HttpResponseBase
from django.utils.functional import cached_property
from rest_framework.request import Request
from rest_framework.response import Response

from calendar_events.api import access, conditional, renderers, responses
from calendar_events.api.access import credentials_of, with_permissions
from calendar_events.api.base import EventsView
from calendar_events.api.conditional import Version
from calendar_events.api.pagination import DocumentPagination, address_of
from calendar_events.filters.base import ListFilterBackend
from calendar_events.filters.filtersets import ListFilterSet
from calendar_events.models import Event, Taxonomy, Term
from calendar_events.models.visibility import ANONYMOUS, EVENT, Viewer
from calendar_events.parsing.slugs import identifier
from calendar_events.store import list_version, online, singles
from calendar_events.store.list_version import State
from calendar_events.store.singles import Loaded, Single

OWN_MODULES = ("calendar_events.api.", "calendar_events.filters.")


class ListView(EventsView):
    """``GET`` of a collection."""

    filter_backends = [ListFilterBackend]
    pagination_class = DocumentPagination
    archive: ClassVar[str]
    """The word of error codes about pages."""
    filterset_class: ClassVar[type[ListFilterSet]]
    filterset: ListFilterSet

    def list(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with a page of documents, or with 304."""
        queryset = self.filter_queryset(self.get_queryset())

        def page() -> Response:
            return self.get_paginated_response(self.paginate_queryset(queryset))

        if self.is_extended:
            return conditional.respond_with(request, page())
        return conditional.respond(request, self.list_version(), page)

    @property
    def is_extended(self) -> bool:
        """Whether a class from outside this app takes part in the answer.

        It may read tables whose writes ``list_version`` does not count.
        """
        parts = (type(self), self.filterset_class, *self.filter_backends)
        return not all(part.__module__.startswith(OWN_MODULES) for part in parts)

    def get_queryset(self) -> Any:
        viewer, queryset = self.viewer, cast("Any", super().get_queryset())
        return queryset.listed_for(viewer, self.now)

    def list_version(self) -> Version:
        """Return the version of the list: while nothing is written, nothing has changed.

        "Upcoming", and the next date of a series, move with the clock, so such a list is
        another one every second.
        """
        values = self.filterset.values
        moves = values.get("only_with_upcoming") or values.get("expand") is False
        clock = int(self.now.timestamp()) if moves else ""
        return Version(
            etag=conditional.entity_tag(
                address_of(self.request),
                self.form,
                self.state.fingerprint,
                self.viewer.key,
                values.get("page", ""),
                values.get("per_page", ""),
                self.filterset.link_query,
                values.get("_fields", ""),
                values.get("password", ""),
                clock,
            )
        )

    @property
    def form(self) -> str:
        """The form of the answers, by the name of their renderer."""
        return str(self.renderer_classes[0].format)

    @cached_property
    def state(self) -> State:
        """Return the state of the calendar, and what the acting user is permitted."""
        credentials = credentials_of(self.request)
        principal = credentials.principal if credentials else None
        return list_version.read(now=self.now, user=principal.user if principal else None)

    @cached_property
    def viewer(self) -> Viewer:
        """Return the viewer; the database is asked only when there is a user."""
        credentials = credentials_of(self.request)
        if credentials is None or credentials.principal is None:
            return ANONYMOUS
        return with_permissions(credentials, self.state.permissions)

    def is_left_out(self, pk: int) -> bool:
        """Return whether what a project adds to the view leaves a record out."""
        if not self.is_extended:
            return False
        rows = EventsView.get_queryset(self)
        for backend in self.filter_backends:
            if not issubclass(backend, ListFilterBackend):
                rows = backend().filter_queryset(self.request, rows, self)
        return not rows.filter(pk=pk).exists()


class RecordReads(ListView):
    """``GET`` of events, venues and organizers: lists, and one by identifier or slug."""

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with a record that may be shown, or with 304."""
        record = self.get_object()
        version = responses.record_version(
            self.kind,
            record.single,
            record.related(self.viewer, self.now),
            viewer=self.viewer,
            now=self.now,
            form=self.form,
            fields=renderers.wanted_fields(request.GET),
        )
        return conditional.respond(request, version, lambda: self.document(record.single))

    def get_object(self) -> Loaded:
        """Return the record that the path names, which may be shown.

        Raises what ``access`` raises: 404, or 403 for what is not for this caller.
        """
        if "slug" in self.kwargs:
            record = singles.by_slug(self.kind, self.kwargs["slug"], self.now)
        else:
            pk = identifier(str(self.kwargs["pk"]))
            record = singles.by_id(self.kind, pk, self.now)
        if record is None or self.is_left_out(record.single.id):
            raise access.RecordNotFound(self.kind)
        access.require_readable(
            self.kind,
            record.single,
            viewer=self.viewer,
            credentials=credentials_of(self.request),
            now=self.now,
        )
        access.require_password(
            record.single,
            self.request.GET.get("password", ""),
            viewer=self.viewer,
            editing=self.request.GET.get("context") == "edit",
        )
        if self.kind != EVENT:
            return record
        single = online.of_single(record.single, self.viewer, self.now)
        return record._replace(single=single)

    def document(self, record: Single) -> HttpResponseBase:
        """Return the record as the viewer sees it."""
        body = responses.single_body(self.kind, record, viewer=self.viewer, now=self.now)
        return Response(body)


class EventReads(RecordReads):
    """``GET`` of events, in whatever form."""

    resource = "events"
    kind = archive = EVENT
    queryset = Event.objects.all()


class TermReads(ListView):
    """``GET`` of categories and tags: lists, and one by identifier."""

    taxonomy: ClassVar[Taxonomy]
    archive = "term"
    queryset = Term.objects.all()

    def get_queryset(self) -> Any:
        terms: Any = EventsView.get_queryset(self)
        return terms.listed_for(self.viewer, self.now, taxonomy=self.taxonomy)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with a term, or with 304."""
        term = self.get_object()
        version = responses.term_version(term, fields=renderers.wanted_fields(request.GET))
        return conditional.respond(
            request, version, lambda: Response(responses.term_body(term))
        )

    def get_object(self) -> singles.TermRow:
        """Return the term that the path names. Raises ``RecordNotFound``."""
        term = singles.term_by_id(
            self.taxonomy, identifier(str(self.kwargs["pk"])), self.now
        )
        if term is None or self.is_left_out(term.id):
            raise access.RecordNotFound(self.kind)
        return term
