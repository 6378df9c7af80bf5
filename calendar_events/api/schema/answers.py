"""What answers put around documents, the index, errors and examples, for the schema only.

The documents themselves are described by the serializers that render them (``documents``).
"""

from functools import cache
from pathlib import Path
from typing import Any, cast

import orjson
from drf_spectacular.utils import (
    OpenApiExample,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers
from rest_framework.serializers import CharField, IntegerField, ListField

from platform_errors.schema import CauseSerializer


class Page(serializers.Serializer):
    """What every list says about its pages."""

    rest_url = CharField(help_text="The query that was answered.")
    next_rest_url = CharField(required=False, help_text="If there is a next page.")
    previous_rest_url = CharField(required=False, help_text="If there is one before.")
    total = IntegerField()
    total_pages = IntegerField()


@cache
def page_of(
    singular: str, plural: str, document: type[serializers.Serializer]
) -> type[Page]:
    """Return the envelope of a list: its documents, under the name of the collection."""
    members = {"__doc__": f"A page of {plural}.", plural: document(many=True)}
    return type(f"{singular.capitalize()}List", (Page,), members)


class Endpoint(serializers.Serializer):
    """Methods of a route that understand the same parameters."""

    methods = ListField(child=CharField())
    args = serializers.DictField(child=serializers.JSONField())


class Route(serializers.Serializer):
    """One route of the namespace."""

    namespace = CharField()
    methods = ListField(child=CharField())
    endpoints = Endpoint(many=True)


class Namespace(serializers.Serializer):
    """The namespace index."""

    namespace = CharField()
    routes = serializers.DictField(child=Route())


class FieldFaultSerializer(serializers.Serializer[Any]):
    """What is wrong with one field or parameter."""

    code = serializers.CharField(help_text="Such as `rest_invalid_type`.")
    message = serializers.CharField()
    data = serializers.DictField(  # type: ignore[assignment]  # the contract's name
        help_text="`param` is the name."
    )


@extend_schema_field(
    {
        "oneOf": [
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"type": "array", "items": {"type": "string"}},
        ]
    }
)
class ParamsField(serializers.JSONField):
    """Reasons by name, or a list of names."""


class EventsErrorDataSerializer(CauseSerializer):
    """The ``data`` of an events error; the other members depend on ``code``."""

    status = serializers.IntegerField(help_text="The HTTP status.")
    params = ParamsField(
        required=False,
        help_text="Of a 400: what is wrong by name, or the names of what is missing.",
    )
    detail = serializers.CharField(required=False, help_text="What exactly is wrong.")
    term_id = serializers.IntegerField(
        required=False, help_text="Of `term_exists`: the term that has the name."
    )
    details = serializers.DictField(
        child=FieldFaultSerializer(),
        required=False,
        help_text="Of a 400: the fields or parameters at fault, by name.",
    )


@extend_schema_serializer(component_name="Error")
class EventsErrorSerializer(serializers.Serializer[Any]):
    """The error document of the events interface (decisions 6)."""

    code = serializers.CharField(help_text="A slug that programs can rely on.")
    message = serializers.CharField()
    data = EventsErrorDataSerializer()  # type: ignore[assignment]


_FILE = Path(__file__).with_name("examples.json")
BODIES = {"create": "body", "update": "change"}


@cache
def _examples() -> dict[str, dict[str, Any]]:
    return cast("dict[str, dict[str, Any]]", orjson.loads(_FILE.read_bytes()))


def examples_of(resource: str, action: str) -> list[OpenApiExample]:
    """Return the examples of what is sent, what is answered, and a refusal.

    ``resource`` is its singular, such as ``event``; ``action`` the viewset's.
    """
    known = _examples().get(resource)
    if known is None:  # a type of a project
        return []
    examples = [
        OpenApiExample(
            f"{resource} {'page' if action == 'list' else 'answer'}",
            known["list" if action == "list" else "one"],
            response_only=True,
            status_codes=["201" if action == "create" else "200"],
        ),
        OpenApiExample(
            "refusal", _examples()["refusal"], response_only=True, status_codes=["400"]
        ),
    ]
    if action in BODIES:
        body = known[BODIES[action]]
        examples.append(
            OpenApiExample(
                f"{resource} {action}",
                body,
                request_only=True,
                media_type="application/json",
            )
        )
    return examples
