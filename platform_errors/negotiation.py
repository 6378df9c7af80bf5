"""Which representation a caller wants: ``Accept`` with qualities (RFC 9110 12.5.1)."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.permissions import SAFE_METHODS

from platform_errors.errors import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http.response import HttpResponseBase
    from rest_framework.parsers import BaseParser
    from rest_framework.renderers import BaseRenderer
    from rest_framework.request import Request

_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_RANGE = re.compile(rf"[ \t]*({_NAME})/({_NAME})[ \t]*((?:;[^,]*)?)")
_QUALITY = re.compile(
    r";[ \t]*q=(1(?:\.0{0,3})?|0(?:\.[0-9]{0,3})?)[ \t]*(?:;|$)", re.IGNORECASE
)
_ANY_QUALITY = re.compile(r";[ \t]*q[ \t]*=", re.IGNORECASE)

JSON = "application/json"
XML_TYPES = ("application/xml", "text/xml")


class Preference(NamedTuple):
    """How much a media type is wanted: by quality, then by how exactly it is named."""

    quality: float
    specificity: int

    @property
    def is_named(self) -> bool:
        """Whether the media type itself was written, not a wildcard that covers it."""
        return self.specificity == 2 and self.quality > 0


UNWANTED = Preference(0.0, -1)


def preference(accept: str, *media_types: str) -> Preference:
    """Return how much the best of ``media_types`` is wanted by an ``Accept`` value.

    The most specific range decides for each type. A missing header wants everything alike;
    ranges that cannot be read are passed over.
    """
    if not accept.strip():
        return Preference(1.0, 0)
    return max(_preference(accept, *media_type.split("/")) for media_type in media_types)


def _preference(accept: str, main: str, sub: str) -> Preference:
    best = UNWANTED
    for piece in accept.split(","):
        match = _RANGE.fullmatch(piece)
        if match is None:
            continue
        type_, subtype, parameters = (
            match.group(1).lower(),
            match.group(2).lower(),
            match[3],
        )
        if (type_, subtype) == (main, sub):
            specificity = 2
        elif type_ == main and subtype == "*":
            specificity = 1
        elif type_ == subtype == "*":
            specificity = 0
        else:
            continue
        found = _QUALITY.search(parameters)
        if found is None and _ANY_QUALITY.search(parameters):
            continue
        if specificity > best.specificity:
            best = Preference(float(found[1]) if found else 1.0, specificity)
    return best


class QualityNegotiation(BaseContentNegotiation):
    """DRF's seam, with the quality values that its own negotiation ignores.

    Ties go to the view's first renderer. When there is none that the caller accepts, its
    success becomes ``NotAcceptable`` (spec 7.4).
    """

    def select_parser(
        self, request: Request, parsers: Iterable[BaseParser]
    ) -> BaseParser | None:
        """Return the parser of the request's ``Content-Type``, or ``None``."""
        media_type = (request.content_type or "").split(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == media_type), None)

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        """Return the renderer that the caller wants most."""
        renderers = list(renderers)
        accept = request.META.get("HTTP_ACCEPT", "")
        if accept in {"", "*/*"}:
            return renderers[0], str(renderers[0].media_type)
        wanted = [preference(accept, *_media_types(renderer)) for renderer in renderers]
        best = max(wanted)
        if best.quality <= 0:
            _refuse_success(request.parser_context["view"], request, renderers)
            return renderers[0], str(renderers[0].media_type)
        chosen = renderers[wanted.index(best)]
        return chosen, str(chosen.media_type)


def _refuse_success(view: Any, request: Request, renderers: list[BaseRenderer]) -> None:
    """Let the view answer with 406 where it would have answered with a success.

    Not at once: whatever stands in the way of a success comes first, and errors have a
    format of their own (decisions 6). A write is undone.
    """
    name = (request.method or "").lower()
    if name not in view.http_method_names or not hasattr(view, name):
        return  # 405, presently
    method = getattr(view, name)
    is_read = request.method in SAFE_METHODS

    def answer(*args: Any, **kwargs: Any) -> HttpResponseBase:
        with nullcontext() if is_read else transaction.atomic():
            response: HttpResponseBase = method(*args, **kwargs)
            if 200 <= response.status_code < 300:
                available = ", ".join(str(renderer.media_type) for renderer in renderers)
                raise catalogue.NotAcceptable(f"available: {available}")
        return response

    setattr(view, name, answer)


def _media_types(renderer: BaseRenderer) -> tuple[str, ...]:
    media_type = str(renderer.media_type)
    return XML_TYPES if media_type in XML_TYPES else (media_type,)
