"""Entity tags and preconditions (RFC 9110 sections 8.8 and 13, decisions 6).

The tag of a record is made of versions, not of bytes, so that it is known before anything
is rendered and so that a write can compare it.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from django.http import HttpResponseNotModified
from django.utils.http import http_date, parse_etags, parse_http_date_safe
from rest_framework.permissions import SAFE_METHODS

from calendar_events.conf import conf
from platform_errors.exceptions import PreconditionFailed

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase
    from rest_framework.request import Request

PRECONDITIONS = frozenset(
    {"HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE", "HTTP_IF_NONE_MATCH"}
)
"""The headers that a write can be made to depend on."""

GENERATION = "2"
"""Raised when documents change, so that no cached answer outlives them."""


def entity_tag(*parts: object) -> str:
    """Return a strong tag of everything that decides about the bytes."""
    text = "\x1f".join((GENERATION, conf.root_url, *map(str, parts)))
    return f'"{blake2b(text.encode(), digest_size=16).hexdigest()}"'


def entity_tag_of(body: bytes) -> str:
    """Return the strong tag of an answer that is at hand."""
    return f'"{blake2b(body, digest_size=16).hexdigest()}"'


def is_not_modified(
    request: HttpRequest | Request, etag: str, modified_at: datetime | None = None
) -> bool:
    """Return whether the caller has this very answer already.

    ``If-Modified-Since`` counts only without ``If-None-Match`` (RFC 9110 13.1.3).
    """
    known = request.META.get("HTTP_IF_NONE_MATCH")
    if known is not None:
        return _names(known, etag)
    since = request.META.get("HTTP_IF_MODIFIED_SINCE")
    if since is None or modified_at is None:
        return False
    seconds = parse_http_date_safe(since)
    return seconds is not None and int(modified_at.timestamp()) <= seconds


def check(request: Request, etag: str, modified_at: datetime | None = None) -> None:
    """Hold the caller's preconditions against the record as it is.

    In the order of RFC 9110 13.2.2: ``If-Match`` compares strongly, and
    ``If-Unmodified-Since`` counts only without it; then, on writes, ``If-None-Match``
    (on reads it is a question: ``is_not_modified``). Without a tag there is no record.
    Raises ``PreconditionFailed``.
    """
    _check_unchanged(request, etag, modified_at)
    unwanted = request.META.get("HTTP_IF_NONE_MATCH")
    is_write = request.method not in SAFE_METHODS
    if is_write and etag and unwanted is not None and _names(unwanted, etag):
        raise PreconditionFailed("the record has an entity tag that it must not have")


def _check_unchanged(request: Request, etag: str, modified_at: datetime | None) -> None:
    wanted = request.META.get("HTTP_IF_MATCH")
    if wanted is not None:
        tags = parse_etags(wanted)
        if "*" not in tags and etag not in tags:
            raise PreconditionFailed("the record has another entity tag now")
        return
    since = request.META.get("HTTP_IF_UNMODIFIED_SINCE")
    if since is None or modified_at is None:
        return
    seconds = parse_http_date_safe(since)
    if seconds is not None and int(modified_at.timestamp()) > seconds:
        raise PreconditionFailed("the record was modified since")


def _names(known: str, etag: str) -> bool:
    """Return whether an ``If-None-Match`` names the tag; it compares weakly."""
    if known == etag:  # as nearly everybody sends it
        return True
    tags = [tag.removeprefix("W/") for tag in parse_etags(known)]
    return "*" in tags or etag in tags


def not_modified(
    *, etag: str, modified_at: datetime | None = None, is_private: bool
) -> HttpResponseNotModified:
    """Return 304 with the headers that 200 would have (RFC 9110 15.4.5)."""
    response = HttpResponseNotModified()
    add_headers(response, etag=etag, modified_at=modified_at, is_private=is_private)
    return response


# Cached: moments repeat.
_http_date = lru_cache(maxsize=1024)(http_date)


def add_headers(
    response: HttpResponseBase,
    *,
    etag: str,
    modified_at: datetime | None = None,
    is_private: bool,
) -> None:
    """Name the version of an answer, and who may keep it."""
    response["ETag"] = etag
    if modified_at is not None:
        response["Last-Modified"] = _http_date(int(modified_at.timestamp()))
    add_cache_headers(response, is_private=is_private)


def add_cache_headers(response: HttpResponseBase, *, is_private: bool) -> None:
    """Say who may keep an answer; nobody without asking again."""
    who = "private" if is_private else "public"
    response["Cache-Control"] = f"{who}, no-cache"
    response["Vary"] = "Accept, Authorization"
