"""The error document of the events interface, for OpenAPI."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from platform_errors.schema import CauseSerializer


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
