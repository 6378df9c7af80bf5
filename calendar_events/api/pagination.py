"""Pages: which one, how large, what comes before and after (decisions 7).

A page of documents comes from its QuerySet as stored texts (``store.pages``).

Every answer tells the query that it really answers, dates included, so that a walk which
begins before midnight ends in the same window.
"""

from typing import Any
from urllib.parse import quote

from django.utils.encoding import escape_uri_path
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response

from calendar_events.conf import conf
from calendar_events.documents import composition
from calendar_events.filters.filtersets import ListFilterSet
from calendar_events.models.querysets.base import ListQuerySet
from calendar_events.store import pages
from calendar_events.store.scans import ScanTooLong
from platform_errors.errors.base import ApiError
from platform_errors.errors.catalogue import Unavailable
from platform_errors.errors.writes import InvalidParameters

PAGING = frozenset({"page", "per_page", "_fields"})
TOO_LONG = (
    "This takes too long to find. Ask for fewer days, fewer conditions or rarer words."
)
DEFAULT_PER_PAGE = 10
MAX_OFFSET = 2**53
"""As far as databases count."""


class NoSuchPage(ApiError):
    """The page is past the end of its list; ``events_code`` says of which."""

    default_code = "page_not_found"
    status_code = 404
    default_detail = "The requested page was not found"

    def __init__(self, kind: str) -> None:
        """``kind``: ``event``, ``venue``, ``organizer`` or ``term``."""
        super().__init__()
        self.events_code = f"{kind}-archive-page-not-found"


class DocumentPagination(BasePagination):
    """Pages by ``page`` and ``per_page``, which the view's FilterSet has read."""

    def paginate_queryset(  # type: ignore[override]  # its pages are of documents
        self, queryset: ListQuerySet, request: Request, view: Any = None
    ) -> list[str]:
        """Return the documents of the page that was asked for.

        Raises ``NoSuchPage``, ``Unavailable`` and, when it takes the database too long,
        ``InvalidParameters``.
        """
        filterset = view.filterset
        self.name, self.query = view.resource, filterset.link_query
        self.address = address_of(request)
        per_page = filterset.values.get("per_page", DEFAULT_PER_PAGE)
        self.number = filterset.values.get("page", 1)
        self.size = min(per_page, conf.max_per_page)
        try:
            page = pages.page(
                queryset,
                limit=self.size,
                offset=min((self.number - 1) * self.size, MAX_OFFSET),
                has_scheduled=view.state.has_scheduled,
            )
        except ScanTooLong as error:
            raise _too_long(filterset) from error
        self.total = page.total
        self.pages = -(-page.total // self.size)
        if self.number > max(1, self.pages):
            raise NoSuchPage(view.archive)
        return page.items

    def get_paginated_response(self, data: list[str]) -> Response:
        """Wrap the documents; say the same in headers, where some programs look."""
        links = self.links()
        body = composition.envelope(
            self.name, data, links, total=self.total, pages=self.pages
        )
        headers = {"X-TEC-Total": str(self.total), "X-TEC-TotalPages": str(self.pages)}
        relations = {"next": "next_rest_url", "prev": "previous_rest_url"}
        neighbours = [
            f'<{links[name]}>; rel="{relation}"'
            for relation, name in relations.items()
            if name in links
        ]
        if neighbours:
            headers["Link"] = ", ".join(neighbours)
        return Response(body, headers=headers)

    def links(self) -> dict[str, str]:
        """Return ``rest_url`` and the neighbours, each only if there is one."""
        here = self.number
        rest = f"per_page={self.size}"
        for name, text in self.query:
            rest += f"&{name}={quote(text, safe=',:')}"
        links = {"rest_url": f"{self.address}?page={here}&{rest}"}
        if here < self.pages:
            links["next_rest_url"] = f"{self.address}?page={here + 1}&{rest}"
        if here > 1:
            page = f"page={here - 1}&" if here > 2 else ""  # the first is not named
            links["previous_rest_url"] = f"{self.address}?{page}{rest}"
        return links


def address_of(request: Request) -> str:
    """Return the absolute address of a list, without query and trailing slash."""
    return f"{conf.public_url}{escape_uri_path(request.path).rstrip('/')}"


def _too_long(filterset: ListFilterSet) -> InvalidParameters | Unavailable:
    names = [name for name in filterset.values if name not in PAGING]
    if not names:
        return Unavailable("the database did not answer in time")
    return InvalidParameters(dict.fromkeys(names, TOO_LONG))
