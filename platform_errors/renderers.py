"""Renderers of the platform services: XML first, JSON for those who prefer it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rest_framework.renderers import BaseRenderer

from platform_errors.conf import conf
from platform_errors.errors import documents

if TYPE_CHECKING:
    from collections.abc import Mapping


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
