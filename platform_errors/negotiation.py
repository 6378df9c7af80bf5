"""Which representation a caller wants: ``Accept`` with qualities (RFC 9110 12.5.1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rest_framework.negotiation import BaseContentNegotiation

from platform_errors import exceptions

if TYPE_CHECKING:
    from collections.abc import Iterable

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

    Ties go to the view's first renderer. Raises ``exceptions.NotAcceptable`` (spec 7.4).
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
            # DRF negotiates first, but 401 and 403 come before 406: a caller without
            # credentials is not told what it could have had.
            view = request.parser_context["view"]
            view.perform_authentication(request)
            view.check_permissions(request)
            raise exceptions.NotAcceptable(
                "available: "
                + ", ".join(str(renderer.media_type) for renderer in renderers)
            )
        chosen = renderers[wanted.index(best)]
        return chosen, str(chosen.media_type)


def _media_types(renderer: BaseRenderer) -> tuple[str, ...]:
    media_type = str(renderer.media_type)
    return XML_TYPES if media_type in XML_TYPES else (media_type,)
