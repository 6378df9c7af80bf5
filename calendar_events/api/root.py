"""The namespace index: which routes there are and what each understands (decisions 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import django_filters
import orjson

from calendar_events.api import responses
from calendar_events.api.base import EventsView
from calendar_events.api.schema.envelopes import Namespace
from calendar_events.conf import conf
from calendar_events.filters import declaration
from calendar_events.filters.declaration import Parameter
from calendar_events.filters.events import EventFilter
from calendar_events.filters.places import RecordFilter
from calendar_events.filters.terms import CategoryFilter, TagFilter
from calendar_events.parsing.values import Unreadable
from platform_errors.exceptions import InvalidParameters

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

CONTEXTS = ("view", "embed", "edit")
LISTS: dict[str, type[django_filters.FilterSet]] = {
    "events": EventFilter,
    "venues": RecordFilter,
    "organizers": RecordFilter,
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


class RootParameters(django_filters.FilterSet):
    """What the index understands (spec 4.3)."""

    namespace = Parameter(
        _namespace,
        schema={"type": "string", "default": conf.namespace},
        help_text="The namespace to describe; there is only this one.",
    )
    context = Parameter(
        _context,
        schema={"type": "string", "enum": list(CONTEXTS), "default": "view"},
        help_text="Checked, but all contexts are described alike.",
    )


class Root(EventsView):
    """``GET {events_root}``."""

    shape = Namespace
    filterset_class = RootParameters

    def retrieve(self, request: Request) -> HttpResponse:
        """Describe the namespace."""
        context = declaration.context(request.GET, now=self.now, site_zone=conf.site_zone)
        _, problems = declaration.read(RootParameters, request.GET, context)
        if problems:
            raise InvalidParameters(problems)
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
        for name, declared in declaration.parameters(filterset).items()
    }


def _route(endpoints: list[dict[str, Any]]) -> dict[str, Any]:
    methods = [method for endpoint in endpoints for method in endpoint["methods"]]
    return {"namespace": conf.namespace, "methods": methods, "endpoints": endpoints}


def _endpoint(methods: list[str], args: dict[str, Any]) -> dict[str, Any]:
    return {"methods": methods, "args": args}
