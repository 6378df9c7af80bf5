"""The namespace index, which tells every route (decisions 7), and the OpenAPI document."""

from functools import lru_cache
from typing import Any

import orjson
from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.module_loading import import_string
from django.views import View
from django.views.decorators.csrf import csrf_exempt
from rest_framework.request import Request
from rest_framework.serializers import CharField, ChoiceField, Serializer, ValidationError

from calendar_events.api import responses
from calendar_events.api.base import EventsView
from calendar_events.api.changes.views import ChangesView
from calendar_events.api.dialect import EVENTS
from calendar_events.api.reading import ListView, RecordReads
from calendar_events.api.schema import document
from calendar_events.api.schema.components import Namespace, query_parameters
from calendar_events.api.schema.operations import EventsAutoSchema
from calendar_events.conf import conf
from calendar_events.filters.base import by_parameter
from calendar_events.models.kinds import KINDS
from platform_errors.errors.catalogue import MethodNotSupported
from platform_errors.errors.handler import error_response
from platform_errors.errors.writes import InvalidParameters

CONTEXTS = ("view", "embed", "edit")
CHANGES = ["POST", "PUT", "PATCH"]
PASSWORD = {
    "password": {
        "type": "string",
        "description": "The event's password.",
        "required": False,
    }
}


class RootParameters(Serializer):
    """What the index understands (spec 4.3)."""

    namespace = CharField(
        default=conf.namespace,
        allow_blank=True,  # for ``validate_namespace`` to refuse
        help_text="The namespace to describe; there is only this one.",
    )
    context = ChoiceField(  # type: ignore[assignment]  # the contract's name
        CONTEXTS,
        default="view",
        error_messages={"invalid_choice": f"This must be one of {', '.join(CONTEXTS)}."},
        help_text="Checked, but all contexts are described alike.",
    )

    def validate_namespace(self, value: str) -> str:
        """Raise ``ValidationError`` unless it is the namespace that lives here."""
        if value.strip("/") != conf.namespace:
            raise ValidationError(f"The namespace here is {conf.namespace}.")
        return value


class Root(EventsView):
    """``GET {events_root}``."""

    shape = Namespace
    parameters = query_parameters(RootParameters())

    def retrieve(self, request: Request) -> HttpResponseBase:
        """Describe the namespace."""
        parameters = RootParameters(data=by_parameter(request.query_params).dict())
        if not parameters.is_valid():
            first = {name: error[0] for name, error in parameters.errors.items()}
            raise InvalidParameters(first)
        return responses.fixed(request, index(conf.namespace))


@lru_cache(maxsize=4)
def index(namespace: str) -> bytes:
    """Return every route by its path, as the peer writes them."""
    routes = {
        "": _route([_endpoint(["GET"], _arguments(Root, "retrieve"))]),
        "/changes": _route([_endpoint(["GET"], _arguments(ChangesView, "retrieve"))]),
        "/doc": _route([_endpoint(["GET"], {})]),
    }
    for kind in KINDS:
        viewset: type[ListView] = import_string(kind.viewset)
        name, listed = kind.plural, _arguments(viewset, "list")
        routes[f"/{name}"] = _route([_endpoint(["GET"], listed), _endpoint(["POST"], {})])
        args = PASSWORD if name == "events" else {}
        addresses = [f"/{name}/(?P<id>\\d+)"]
        if issubclass(viewset, RecordReads):
            addresses.append(f"/{name}/by-slug/(?P<slug>[^/]+)")
        for address in addresses:
            routes[address] = _route(
                [
                    _endpoint(["GET"], args),
                    _endpoint(["DELETE"], args),
                    _endpoint(CHANGES, args),
                ]
            )
    if conf.encryption:
        routes |= _webhooks()
    named = {f"/{namespace}{path}": route for path, route in routes.items()}
    return orjson.dumps({"namespace": namespace, "routes": named})


def _webhooks() -> dict[str, Any]:
    record = [_endpoint([method], {}) for method in ("GET", "DELETE")]
    one = "/webhooks/(?P<id>\\d+)"
    return {
        "/webhooks": _route([_endpoint(["GET"], {}), _endpoint(["POST"], {})]),
        one: _route([*record, _endpoint(CHANGES, {})]),
        f"{one}/rotate": _route([_endpoint(["POST"], {})]),
        f"{one}/test": _route([_endpoint(["POST"], {})]),
    }


def _arguments(view: type[EventsView], action: str) -> dict[str, Any]:
    """Return the query parameters of an action by name, as OpenAPI has them."""
    schema = EventsAutoSchema()
    schema.view = view(action=action)
    return schema.arguments()


def _route(endpoints: list[dict[str, Any]]) -> dict[str, Any]:
    methods = [method for endpoint in endpoints for method in endpoint["methods"]]
    return {"namespace": conf.namespace, "methods": methods, "endpoints": endpoints}


def _endpoint(methods: list[str], args: dict[str, Any]) -> dict[str, Any]:
    return {"methods": methods, "args": args}


class Schema(EventsView):
    """``GET {events_root}/doc``."""

    operation_id = "readDocument"

    def retrieve(self, request: Request) -> HttpResponseBase:
        """Answer with the document."""
        return responses.fixed(request, document.current())


# Swagger UI writes styles into its elements while it draws.
STYLES_OF_THEIR_OWN = {"style-src": "'unsafe-inline'"}


@method_decorator(csrf_exempt, name="dispatch")  # it only shows
@method_decorator(csp_update(STYLES_OF_THEIR_OWN), name="dispatch")
class Documentation(View):
    """``GET {events_root}/doc/swagger``, for people.

    Of the policy for content only the styles are loosened, and nothing that a user wrote
    is on the page.
    """

    http_method_names = ["get", "head", "options"]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the page; all it needs is served from here."""
        context = {"schema_url": reverse("calendar_events:doc")}
        return render(request, "calendar_events/swagger.html", context)

    def http_method_not_allowed(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Refuse in the words of the interface."""
        allowed = ", ".join(self.http_method_names).upper()
        refusal = MethodNotSupported(headers={"Allow": allowed})
        return error_response(refusal, request, EVENTS)
