"""How answers become bytes: documents are bytes already, and only cut to ``_fields``."""

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import JSONRenderer

from calendar_events.api import fieldsets


class DocumentRenderer(JSONRenderer):
    """JSON; what was stored as JSON goes out as it is."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the bytes of an answer."""
        if not isinstance(data, bytes):
            return super().render(data, accepted_media_type, renderer_context)
        request = renderer_context["request"] if renderer_context else None
        return fieldsets.cut(data, fieldsets.wanted(request.GET) if request else None)
