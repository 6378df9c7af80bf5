"""The namespace index: which routes there are and what each understands (decisions 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from calendar_events.api import responses
from calendar_events.api.base import EventsView
from calendar_events.api.schema.envelopes import Namespace
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

if TYPE_CHECKING:
    import django_filters
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
