"""OPTIONS: what a route understands, as the namespace index describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rest_framework.metadata import BaseMetadata

from calendar_events.conf import conf

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView


class RouteMetadata(BaseMetadata):
    """``{namespace, methods, endpoints}`` of one route; needs no credentials."""

    def determine_metadata(self, request: Request, view: APIView) -> dict[str, Any]:
        """Describe the route."""
        methods = [name for name in view.allowed_methods if name != "OPTIONS"]
        return {
            "namespace": conf.namespace,
            "methods": methods,
            "endpoints": [{"methods": methods, "args": {}}],
        }
