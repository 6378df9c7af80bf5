"""The base view of the events interface: authentication, permissions, error dialect."""

from datetime import datetime
from typing import Any, ClassVar

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.http import Http404
from django.utils import timezone
from rest_framework.exceptions import APIException
from rest_framework.metadata import BaseMetadata
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request, clone_request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

from calendar_events.api import errors
from calendar_events.api.dialect import EVENTS
from calendar_events.api.renderers import DocumentRenderer
from calendar_events.api.schema.operations import EventsAutoSchema
from calendar_events.conf import conf
from calendar_events.permissions import NotAllowed
from platform_errors.authentication import BearerAuthentication, HmacAuthentication
from platform_errors.errors.dialects import Dialect
from platform_errors.parsers import FormParser, JsonParser
from platform_errors.permissions import (
    RequiresInstitution,
    RequiresService,
    RequiresUser,
)
from platform_errors.renderers import QualityNegotiation
from platform_errors.views import PlatformView


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


class EventsView(PlatformView, GenericViewSet[Any]):
    """Public reads, writes with a service, an institution and a user (decisions 2)."""

    error_dialect: ClassVar[Dialect] = EVENTS
    authentication_classes = [BearerAuthentication, HmacAuthentication]
    permission_classes = [
        RequiresService.named(conf.service).with_open_reads(),
        RequiresInstitution.with_open_reads(),
        RequiresUser.with_open_reads(),
    ]
    content_negotiation_class = QualityNegotiation
    renderer_classes = [DocumentRenderer]
    parser_classes = [JsonParser, FormParser]
    metadata_class = RouteMetadata
    schema = EventsAutoSchema()

    resource: ClassVar[str] = ""
    """The plural of the type that is served, which is also the path segment."""
    kind: ClassVar[str]
    """Its singular."""

    now: datetime
    """The moment that the whole request is answered for."""

    def get_exception_handler(self) -> Any:
        """Return the handler that knows what the calendar's services raise."""
        return errors.handle

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """Describe the route as this caller may use it; ``Allow`` says the same.

        The ``Allow`` of a 405 lists what the resource supports (RFC 9110 15.5.6).
        """
        response: Response = super().options(request, *args, **kwargs)
        self.headers["Allow"] = ", ".join([*response.data["methods"], "OPTIONS"])
        return response

    def is_left_out(self, pk: int) -> bool:
        """Return whether what a project adds to the view leaves a record out."""
        return False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Look at the clock once, so that one answer speaks of one moment."""
        self.now = timezone.now()
        super().initial(request, *args, **kwargs)
