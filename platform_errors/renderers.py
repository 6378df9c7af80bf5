"""XML for the platform services, and which of a view's renderers a caller wants."""

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from platform_errors.conf import conf
from platform_errors.errors import documents
from platform_errors.errors.catalogue import NotAcceptable
from platform_errors.http import negotiation


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

    Ties go to the view's first renderer.
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
        """Return the renderer that the caller wants most.

        Raises ``NotAcceptable`` when there is none that it accepts (spec 7.4);
        ``PlatformView`` answers so only where it would have answered with a success.
        """
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
            available = ", ".join(str(renderer.media_type) for renderer in renderers)
            raise NotAcceptable(f"available: {available}")
        chosen = renderers[wanted.index(best)]
        return chosen, str(chosen.media_type)


def _media_types(renderer: BaseRenderer) -> tuple[str, ...]:
    media_type = str(renderer.media_type)
    return negotiation.XML_TYPES if media_type in negotiation.XML_TYPES else (media_type,)
