"""Entity tags and preconditions (RFC 9110 sections 8.8 and 13, decisions 6).

The tag of a record is made of versions, not of bytes, so that it is known before anything
is rendered and so that a write can compare it.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, parse_etags
from rest_framework.request import Request
from rest_framework.response import Response

from calendar_events.conf import conf
from calendar_events.documents.rendering import fingerprint
from platform_errors.errors.writes import PreconditionFailed

PRECONDITIONS = frozenset(
    {"HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE", "HTTP_IF_NONE_MATCH"}
)
"""The headers that a write can be made to depend on."""
CONDITIONS = PRECONDITIONS | {"HTTP_IF_MODIFIED_SINCE"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """The validators of an answer: its entity tag and, for one record, its date."""

    etag: str
    modified_at: datetime | None = None


def entity_tag(*parts: object) -> str:
    """Return a strong tag of everything that decides about the bytes."""
    text = "\x1f".join((fingerprint(), conf.root_url, *map(str, parts)))
    return f'"{blake2b(text.encode(), digest_size=16).hexdigest()}"'


def entity_tag_of(body: bytes) -> str:
    """Return the strong tag of an answer that is at hand."""
    return f'"{blake2b(body, digest_size=16).hexdigest()}"'


def respond(
    request: Request, version: Version, make: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Return 304 when the caller has this version already, else what ``make`` returns.

    Both name the version. Raises ``PreconditionFailed`` and what ``make`` raises.
    """
    response = not_modified(request, version) or make()
    is_private = request.auth is not None or "password" in request.GET
    add_headers(response, version, is_private=is_private)
    return response


def respond_with(request: Request, response: Response) -> HttpResponseBase:
    """Return 304 when the caller has this body already, else ``response``.

    For what no version is known of before it is made. Raises ``PreconditionFailed``.
    """
    body = (response.data, request.get_full_path())
    return respond(request, Version(etag=entity_tag(*body)), lambda: response)


def not_modified(request: Any, version: Version) -> HttpResponseBase | None:
    """Return 304 without its headers when the caller of a read has this version.

    In the order of RFC 9110 13.2.2. Without an entity tag there is no record.
    Raises ``PreconditionFailed``.
    """
    meta, modified_at = request.META, version.modified_at
    if not CONDITIONS & meta.keys():
        return None
    if "HTTP_IF_MATCH" in meta and not parse_etags(meta["HTTP_IF_MATCH"]):
        raise PreconditionFailed(_reason(meta))  # Django would take it for none
    if "HTTP_IF_UNMODIFIED_SINCE" in meta and modified_at is None:
        request = _without_date(request)
    response: HttpResponseBase | None = get_conditional_response(
        request,
        etag=version.etag,
        last_modified=None if modified_at is None else int(modified_at.timestamp()),
    )
    if response is not None and response.status_code == 412:
        raise PreconditionFailed(_reason(meta))
    return response


def _without_date(request: Any) -> Any:
    """Return the request without ``If-Unmodified-Since``.

    What has no date is compared with none (RFC 9110 13.1.4), where Django would refuse.
    """
    undated = copy(getattr(request, "_request", request))
    undated.META = {**request.META}
    del undated.META["HTTP_IF_UNMODIFIED_SINCE"]
    return undated


def _reason(meta: Mapping[str, Any]) -> str:
    if "HTTP_IF_MATCH" in meta:
        return "the record has another entity tag now"
    if "HTTP_IF_UNMODIFIED_SINCE" in meta:
        return "the record was modified since"
    return "the record has an entity tag that it must not have"


# Cached: moments repeat.
_http_date = lru_cache(maxsize=1024)(http_date)


def add_headers(response: HttpResponseBase, version: Version, *, is_private: bool) -> None:
    """Name the version of an answer, and who may keep it."""
    response["ETag"] = version.etag
    if version.modified_at is not None:
        response["Last-Modified"] = _http_date(int(version.modified_at.timestamp()))
    add_cache_headers(response, is_private=is_private)


def add_cache_headers(response: HttpResponseBase, *, is_private: bool) -> None:
    """Say who may keep an answer; nobody without asking again."""
    who = "private" if is_private else "public"
    response["Cache-Control"] = f"{who}, no-cache"
    response["Vary"] = "Accept, Authorization"
