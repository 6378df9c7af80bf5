"""Reading categories and tags: the lists and singles by identifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from calendar_events.api import access, conditional, lists, responses
from calendar_events.api.base import EventsView
from calendar_events.documents import term_answer
from calendar_events.filters.terms import CategoryFilter, TagFilter
from calendar_events.models import Taxonomy
from calendar_events.parsing.identifiers import identifier
from calendar_events.store import terms

if TYPE_CHECKING:
    import django_filters
    from django.http import HttpResponse
    from rest_framework.request import Request

    from calendar_events.api.pagination import PageRequest


class TermReads(EventsView):
    """What categories and tags have in common."""

    taxonomy: ClassVar[Taxonomy]
    filterset_class: ClassVar[type[django_filters.FilterSet]]

    def list(self, request: Request) -> HttpResponse:
        """List the terms."""
        asked = lists.read(request, self.filterset_class, now=self.now)
        query, problems = terms.term_query(
            asked.values, taxonomy=self.taxonomy, viewer=asked.viewer, now=self.now
        )
        asked.require_no(problems)

        def find(wanted: PageRequest) -> lists.Found:
            page = terms.fetch(query, now=self.now, limit=wanted.size, offset=wanted.offset)
            items = map(term_answer, page.rows)
            return lists.Found(items=items, total=page.total)

        return lists.answer(asked, self.resource, "term", find)

    def retrieve(self, request: Request, pk: str) -> HttpResponse:
        """Read a term."""
        row = terms.by_id(self.taxonomy, identifier(pk), self.now)
        if row is None:
            raise access.RecordNotFound(terms.KINDS[self.taxonomy])
        version = responses.term_version(request, row)
        conditional.check(request, version.etag, version.modified_at)
        if conditional.is_not_modified(request, version.etag, version.modified_at):
            return responses.unchanged(version, is_private=responses.is_private(request))
        return responses.respond(request, responses.term_body(row), version)


class CategoryReads(TermReads):
    """``GET /categories`` and ``/categories/{id}``."""

    taxonomy = Taxonomy.CATEGORY
    resource = "categories"
    filterset_class = CategoryFilter


class TagReads(TermReads):
    """``GET /tags`` and ``/tags/{id}``."""

    taxonomy = Taxonomy.TAG
    resource = "tags"
    filterset_class = TagFilter
