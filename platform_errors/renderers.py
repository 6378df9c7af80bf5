"""XML for the platform services, and which of a view's renderers a caller wants."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from django.db import transaction
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import BaseRenderer

from platform_errors.conf import conf
from platform_errors.errors import documents
from platform_errors.errors.catalogue import NotAcceptable
from platform_errors.http import negotiation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django.http.response import HttpResponseBase
    from rest_framework.parsers import BaseParser
    from rest_framework.request import Request


class XmlRenderer(BaseRenderer):
    """Members of a document as XML in the response namespace (spec 2.7).

    The view names the root with ``xml_root``.
    """

    media_type = "application/xml"
    format = "xml"
    charset = "utf-8"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Serialise; nothing (an answer without content) stays nothing."""
        if data is None:
            return b""
        root = renderer_context["view"].xml_root if renderer_context else "response"
        return documents.to_xml(root, data, conf.error_response_ns)


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
        wanted = [
            negotiation.preference(accept, *_media_types(renderer))
            for renderer in renderers
        ]
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
                raise NotAcceptable(f"available: {available}")
        return response

    setattr(view, name, answer)


def _media_types(renderer: BaseRenderer) -> tuple[str, ...]:
    media_type = str(renderer.media_type)
    return negotiation.XML_TYPES if media_type in negotiation.XML_TYPES else (media_type,)
