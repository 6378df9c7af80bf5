"""Return 304 for a public event before DRF's authentication and negotiation run.

Those cost more than the response. Only for requests without credentials, with no query and
no condition but ``If-None-Match``; everything else, a tag that has changed included, goes
to the viewset, whose 304 has the same headers. The middleware runs either way.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING

from django.db import Error
from django.utils import timezone

from calendar_events.api import conditional, responses
from calendar_events.models import visibility
from calendar_events.parsing.identifiers import identifier
from calendar_events.store import singles
from platform_errors.http import negotiation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

    from calendar_events.store.singles import Loaded

    View = Callable[..., HttpResponseBase]

DISQUALIFYING_HEADERS = frozenset(
    {"HTTP_AUTHORIZATION", "HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE"}
)
"""The headers of somebody, and of preconditions that come first (RFC 9110 13.2.2)."""


def is_plain(request: HttpRequest) -> bool:
    """Return whether a request asks for nothing but whether a tag still holds.

    ``If-Modified-Since`` may stand beside ``If-None-Match``: it does not count then.
    """
    meta = request.META
    return (
        "HTTP_IF_NONE_MATCH" in meta
        and request.method in {"GET", "HEAD"}
        and not meta.get("QUERY_STRING")
        and DISQUALIFYING_HEADERS.isdisjoint(meta)
        and negotiation.preference(meta.get("HTTP_ACCEPT", ""), responses.JSON).quality > 0
    )


def with_early_304(view: View, methods: Iterable[str]) -> View:
    """Return a view of ``/events/{id}`` that looks for the short way first.

    ``methods`` are those of the route. Where the long way is to be taken, the event that
    was found goes along as ``found``.
    """
    allow = ", ".join(methods)

    @wraps(view)
    def answer(request: HttpRequest, pk: str) -> HttpResponseBase:
        if not is_plain(request):
            return view(request, pk=pk)
        now = timezone.now()
        try:
            found = singles.by_id(visibility.EVENT, identifier(pk), now)
        except Error:  # for the view to meet, which has words for it
            found = None
        response = found and _not_modified(request, found, now)
        if response is None:
            return view(request, pk=pk, found=found)
        response["Allow"] = allow
        return response

    return answer


def _not_modified(
    request: HttpRequest, event: Loaded, now: datetime
) -> HttpResponseBase | None:
    """Return the 304 of a public event whose tag the caller has, else ``None``."""
    single, viewer = event.single, visibility.ANONYMOUS
    if single.password or not visibility.holds(visibility.public(now), single):
        return None
    version = responses.record_version(
        visibility.EVENT, single, event.related(viewer, now), viewer=viewer, now=now
    )
    response = conditional.not_modified(request, version)
    if response is not None:
        conditional.add_headers(response, version, is_private=False)
    return response
