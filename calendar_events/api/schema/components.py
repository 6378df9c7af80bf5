"""Parameters, headers, envelopes, errors and examples, for the OpenAPI document only.

The documents themselves are described by the serializers that render them (``documents``).
"""

from functools import cache
from pathlib import Path
from typing import Any, cast

import orjson
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers
from rest_framework.serializers import CharField, IntegerField, ListField, Serializer

from calendar_events.services.changesets import SCOPES
from platform_errors.schema import CauseSerializer


def query_parameters(serializer: Serializer) -> list[OpenApiParameter]:
    return [
        OpenApiParameter(
            name,
            str,
            default=field.default,
            enum=list(getattr(field, "choices", ())),
            description=str(field.help_text),
        )
        for name, field in serializer.fields.items()
    ]


def header(name: str, description: str, *, response: Any = None) -> OpenApiParameter:
    return OpenApiParameter(
        name, str, OpenApiParameter.HEADER, description=description, response=response
    )


FIELDS = OpenApiParameter(
    "_fields", str, description="Only these members, comma-separated; dots reach inside."
)
PASSWORD = OpenApiParameter("password", str, description="The event's password.")
CONTEXT = OpenApiParameter(
    "context",
    str,
    enum=["view", "edit"],
    description="`edit` shows a protected event to who may change it.",
)
INSTITUTION = OpenApiParameter(
    "contextInstitutionId", str, description="Whose data is asked for (signed requests)."
)
FORCE = OpenApiParameter("force", bool, description="Delete for good.")
SCOPE = OpenApiParameter(
    "scope",
    str,
    enum=list(SCOPES),
    default=SCOPES[0],
    description="Of an occurrence: write this one, this and all that follow, or all of the "
    "series. `If-Match` is then about the series.",
)
PRECONDITIONS = [
    header("If-Match", "Only if the record still has this entity tag."),
    header("If-Unmodified-Since", "Only if the record was not modified since."),
]
NOT_IF = header("If-None-Match", "Only if the record has none of these entity tags.")
CONDITIONS = [
    header("If-None-Match", "304 if the answer still has this entity tag."),
    header("If-Modified-Since", "304 if the record was not modified since."),
]
IDEMPOTENCY = header("Idempotency-Key", "Repeats the first answer to the same key.")
TOTALS = [
    header("X-TEC-Total", "How many there are in all.", response=[200]),
    header("X-TEC-TotalPages", "On how many pages.", response=[200]),
    header("Link", 'Neighbours: `rel="next"`, `rel="prev"`.', response=[200]),
]
ETAG = header("ETag", "The version of the answer.", response=[200, 201])
LOCATION = header("Location", "The address of the new record.", response=[201])
LAST_MODIFIED = header("Last-Modified", "When the answer changed last.", response=[200])
REFUSED = [
    header("WWW-Authenticate", "How to authenticate.", response=[401]),
    header("Allow", "The methods of the resource.", response=[405]),
    header("Retry-After", "Seconds to wait.", response=[429, 503]),
]
IDENTIFIER = OpenApiParameter(
    "id",
    {"type": "integer", "format": "int64", "minimum": 1},
    OpenApiParameter.PATH,
    description="The record's identifier.",
)


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
    detail = serializers.CharField(required=False, help_text="The cause.")
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


def refusal_example() -> OpenApiExample:
    """Return the example of a refusal."""
    return OpenApiExample(
        "refusal", _examples()["refusal"], response_only=True, status_codes=["400"]
    )


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
        refusal_example(),
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
