"""Pages: which one, how large, what comes before and after (decisions 7).

Every answer tells the query that it really answers, dates included, so that a walk which
begins before midnight ends in the same window.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from calendar_events.conf import conf
from platform_errors.exceptions import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.http import HttpResponse

DEFAULT_PER_PAGE = 10
MAX_OFFSET = 2**53


class NoSuchPage(Refusal):
    """The page is past the end of its list; ``slug`` says of which."""

    reason = "page_not_found"
    status_code = 404
    message = "The requested page was not found"

    def __init__(self, kind: str) -> None:
        """Name the kind of list: ``event``, ``venue``, ``organizer`` or ``term``."""
        super().__init__()
        self.slug = f"{kind}-archive-page-not-found"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """The page that a caller asks for."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        """How many items come before it, as far as databases count."""
        return min((self.number - 1) * self.size, MAX_OFFSET)


def requested(values: Mapping[str, Any]) -> PageRequest:
    """Return the page that parameters ask for; too large a size is cut silently."""
    return PageRequest(
        number=values.get("page", 1),
        size=min(values.get("per_page", DEFAULT_PER_PAGE), conf.max_per_page),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """A page among all pages, and how each is addressed."""

    request: PageRequest
    total: int
    path: str
    """Relative to ``{events_root}``."""
    query: Sequence[tuple[str, str]]
    """Everything but the page that the list was filtered and sorted by."""

    @property
    def number(self) -> int:
        """How many pages there are."""
        return -(-self.total // self.request.size)

    def require(self, kind: str) -> None:
        """Ask that the page is not past the end; the first never is.

        Raises ``NoSuchPage``.
        """
        if self.request.number > max(1, self.number):
            raise NoSuchPage(kind)

    def links(self) -> dict[str, str]:
        """Return ``rest_url`` and the neighbours, each only if there is one."""
        here = self.request.number
        query = [("per_page", str(self.request.size)), *self.query]
        rest = urlencode(query, quote_via=quote, safe=",:")
        address = f"{conf.root_url}{self.path}?"
        links = {"rest_url": f"{address}page={here}&{rest}"}
        if here < self.number:
            links["next_rest_url"] = f"{address}page={here + 1}&{rest}"
        if here > 1:
            page = f"page={here - 1}&" if here > 2 else ""  # the first is not named
            links["previous_rest_url"] = f"{address}{page}{rest}"
        return links


def add_headers(response: HttpResponse, pages: Pages, links: Mapping[str, str]) -> None:
    """Say the same in headers, where programs look that do not read the body."""
    response["X-TEC-Total"] = str(pages.total)
    response["X-TEC-TotalPages"] = str(pages.number)
    relations = {"next": "next_rest_url", "prev": "previous_rest_url"}
    neighbours = [
        f'<{links[name]}>; rel="{relation}"'
        for relation, name in relations.items()
        if name in links
    ]
    if neighbours:
        response["Link"] = ", ".join(neighbours)
