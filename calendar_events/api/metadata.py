"""OPTIONS: what a route understands, and what of it this caller may do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import ObjectDoesNotExist
from rest_framework.metadata import BaseMetadata
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import clone_request

from calendar_events.api import callers
from calendar_events.conf import conf
from calendar_events.permissions import NotAllowed
from platform_errors.errors.base import ApiError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rest_framework.request import Request
    from rest_framework.views import APIView

VERBS = {"update": "change", "destroy": "delete"}
"""What the actions of a stored record need the permission for."""


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
    try:
        view.check_permissions(clone_request(request, method))
        _require(request, view, view.action_map[method.lower()], view.kwargs)
    except (ApiError, NotAllowed, ObjectDoesNotExist):
        return False
    return True


def _require(request: Request, view: Any, action: str, address: Mapping[str, str]) -> None:
    actor = callers.actor_of(request)
    view.require(actor, VERBS.get(action, "add"))
    if action in VERBS:
        view.find(request, actor, VERBS[action], address)
