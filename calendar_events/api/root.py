"""The namespace index, which tells every route (decisions 7), and the OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from csp.decorators import csp_update
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.csrf import csrf_exempt

from calendar_events.api import responses
from calendar_events.api.base import EventsView
from calendar_events.api.dialect import EVENTS
from calendar_events.api.schema import document
from calendar_events.api.schema.answers import Namespace
from calendar_events.conf import conf
from calendar_events.filters.base import ParameterSet
from calendar_events.filters.filtersets import (
    CategoryFilter,
    EventFilter,
    PlaceFilter,
    TagFilter,
)
from calendar_events.filters.parameters import WordsFilter, parameters
from calendar_events.models import Event
from calendar_events.parsing.values import Unreadable
from platform_errors.errors.catalogue import MethodNotSupported
from platform_errors.errors.handler import error_response

if TYPE_CHECKING:
    import django_filters
    from django.http import HttpRequest, HttpResponse
    from django.http.response import HttpResponseBase
    from rest_framework.request import Request

CONTEXTS = ("view", "embed", "edit")
LISTS: dict[str, type[django_filters.FilterSet]] = {
    "events": EventFilter,
    "venues": PlaceFilter,
    "organizers": PlaceFilter,
    "categories": CategoryFilter,
    "tags": TagFilter,
}
CHANGES = ["POST", "PUT", "PATCH"]
PASSWORD = {
    "password": {
        "type": "string",
        "description": "The event's password.",
        "required": False,
    }
}


def _namespace(value: str) -> str:
    if value.strip("/") != conf.namespace:
        raise Unreadable(f"The namespace here is {conf.namespace}.")
    return value


def _context(value: str) -> str:
    if value not in CONTEXTS:
        raise Unreadable(f"This must be one of {', '.join(CONTEXTS)}.", "status")
    return value


class RootParameters(ParameterSet):
    """What the index understands (spec 4.3)."""

    namespace = WordsFilter(
        read=_namespace,
        schema={"default": conf.namespace},
        help_text="The namespace to describe; there is only this one.",
    )
    context = WordsFilter(
        read=_context,
        schema={"enum": list(CONTEXTS), "default": "view"},
        help_text="Checked, but all contexts are described alike.",
    )


class Root(EventsView):
    """``GET {events_root}``."""

    shape = Namespace
    filterset_class = RootParameters

    def retrieve(self, request: Request) -> HttpResponseBase:
        """Describe the namespace."""
        given = RootParameters(request.GET, Event.objects.none(), now=self.now)
        given.require_valid()
        document = {"namespace": conf.namespace, "routes": routes()}
        return responses.fixed(request, orjson.dumps(document))


def routes() -> dict[str, Any]:
    """Return every route by its path, as the peer writes them."""
    found = {
        "": _route([_endpoint(["GET"], arguments(RootParameters))]),
        "/doc": _route([_endpoint(["GET"], {})]),
    }
    for name, filterset in LISTS.items():
        found[f"/{name}"] = _route(
            [_endpoint(["GET"], arguments(filterset)), _endpoint(["POST"], {})]
        )
        args = PASSWORD if name == "events" else {}
        addresses = [f"/{name}/(?P<id>\\d+)"]
        if name in {"events", "venues", "organizers"}:
            addresses.append(f"/{name}/by-slug/(?P<slug>[^/]+)")
        for address in addresses:
            found[address] = _route(
                [
                    _endpoint(["GET"], args),
                    _endpoint(["DELETE"], args),
                    _endpoint(CHANGES, args),
                ]
            )
    return {f"/{conf.namespace}{path}": route for path, route in found.items()}


def arguments(filterset: type[django_filters.FilterSet]) -> dict[str, Any]:
    """Return the declared parameters as the index tells them."""
    return {
        name: {
            **declared.schema,
            "description": declared.help_text,
            "required": False,
        }
        for name, declared in parameters(filterset).items()
    }


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
