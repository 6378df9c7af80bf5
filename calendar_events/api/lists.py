"""How every list answers: read parameters, compare entity tags, fetch, wrap, tell pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.http import HttpResponse

from calendar_events.api import conditional, fieldsets, pagination
from calendar_events.api.responses import JSON
from calendar_events.api.viewer import credentials_of, with_permissions
from calendar_events.conf import conf
from calendar_events.documents import composition
from calendar_events.filters import declaration
from calendar_events.filters.echo import echo
from calendar_events.store import list_version, scans
from platform_errors.exceptions import InvalidParameters, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    import django_filters
    from rest_framework.request import Request

    from calendar_events.api.pagination import PageRequest
    from calendar_events.models.visibility import Viewer
    from calendar_events.parsing.values import Context
    from calendar_events.store.events.windows import Window
    from calendar_events.store.list_version import CountHints


TOO_LONG = (
    "This takes too long to find. Ask for fewer days, fewer conditions or rarer words."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """A list as it was asked for."""

    request: Request
    filterset: type[django_filters.FilterSet]
    values: dict[str, Any]
    problems: dict[str, str]
    context: Context
    viewer: Viewer
    fingerprint: str
    """Changes when any list may have changed."""
    hints: CountHints

    @property
    def now(self) -> datetime:
        """The moment that is answered for."""
        return self.context.now

    def require_no(self, problems: dict[str, str]) -> None:
        """Ask that nothing was wrong. Raises ``InvalidParameters`` naming all that was."""
        if self.problems or problems:
            # What was sent but cannot be read is not missing: its own reason wins.
            raise InvalidParameters({**problems, **self.problems})


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One page of documents, and how many there are in all."""

    items: Iterable[str]
    total: int


def read(
    request: Request, filterset: type[django_filters.FilterSet], *, now: datetime
) -> ListRequest:
    """Read the parameters of a list, who is looking, and the state of the calendar."""
    context = declaration.context(request.GET, now=now, site_zone=conf.site_zone)
    values, problems = declaration.read(filterset, request.GET, context)
    credentials = credentials_of(request)
    user = credentials.principal.user if credentials and credentials.principal else None
    found = list_version.read(now=now, user=user)
    return ListRequest(
        request=request,
        filterset=filterset,
        values=values,
        problems=problems,
        context=context,
        viewer=with_permissions(credentials, found.permissions),
        fingerprint=found.fingerprint,
        hints=found.hints,
    )


def answer(
    asked: ListRequest,
    name: str,
    kind: str,
    find: Callable[[PageRequest], Found],
    window: Window | None = None,
) -> HttpResponse:
    """Answer a list: 304, a page, or 404 past the end."""
    wanted = pagination.requested(asked.values)
    query = echo(asked.filterset, asked.request.GET, asked.values, asked.context, window)
    etag = _entity_tag(asked, name, wanted, query)
    is_private = asked.request.auth is not None or "password" in asked.values
    if conditional.is_not_modified(asked.request, etag):
        return conditional.not_modified(etag=etag, is_private=is_private)
    try:
        found = find(wanted)
    except scans.ScanTooLong as error:
        raise too_long(asked) from error
    pages = pagination.Pages(
        request=wanted, total=found.total, path=f"/{name}", query=query
    )
    pages.require(kind)
    links = pages.links()
    body = composition.envelope(
        name, found.items, links, total=pages.total, pages=pages.number
    )
    response = HttpResponse(
        fieldsets.cut(body, asked.values.get("_fields")), content_type=JSON
    )
    pagination.add_headers(response, pages, links)
    conditional.add_headers(response, etag=etag, is_private=is_private)
    return response


def too_long(asked: ListRequest) -> InvalidParameters | Unavailable:
    """Return the refusal of a list that takes the database too long."""
    names = [name for name in asked.values if name not in {"page", "per_page", "_fields"}]
    if not names:
        return Unavailable("the database did not answer in time")
    return InvalidParameters(dict.fromkeys(names, TOO_LONG))


def _entity_tag(
    asked: ListRequest, name: str, wanted: PageRequest, query: list[tuple[str, str]]
) -> str:
    """Return the tag of a list: as long as nothing was written, nothing has changed.

    "Upcoming" moves with the clock, so such a list is another one every second.
    """
    values = asked.values
    clock = int(asked.now.timestamp()) if values.get("only_with_upcoming") else ""
    return conditional.entity_tag(
        name,
        asked.fingerprint,
        asked.viewer.key,
        wanted.number,
        wanted.size,
        query,
        values.get("_fields", ""),
        values.get("password", ""),
        clock,
    )
