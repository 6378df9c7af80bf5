"""OPTIONS: what a route understands, and what of it this caller may do."""

from typing import Any

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.http import Http404
from rest_framework.exceptions import APIException
from rest_framework.metadata import BaseMetadata
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request, clone_request
from rest_framework.views import APIView

from calendar_events.conf import conf
from calendar_events.permissions import NotAllowed


class RouteMetadata(BaseMetadata):
    """``{namespace, methods, endpoints}`` of one route, as far as the caller may go.

    Needs no credentials: reads are open. Writes are named to those whose permissions allow
    them, on the very record that the address names.
    """

    def determine_metadata(self, request: Request, view: APIView) -> dict[str, Any]:
        methods = [
            name
            for name in view.allowed_methods
            if name != "OPTIONS" and (name in SAFE_METHODS or _may(request, view, name))
        ]
        return {
            "namespace": conf.namespace,
            "methods": methods,
            "endpoints": [{"methods": methods, "args": {}}],
        }


def _may(request: Request, view: Any, method: str) -> bool:
    """Return whether a write would be refused for nothing but its body."""
    view.request, view.action = (
        clone_request(request, method),
        view.action_map[method.lower()],
    )
    try:
        view.check_permissions(view.request)
        view.require_right()
        if view.action != "create":
            view.get_object()
    except (APIException, PermissionDenied, Http404, NotAllowed, ObjectDoesNotExist):
        return False
    finally:
        view.request, view.action = request, "metadata"
    return True
