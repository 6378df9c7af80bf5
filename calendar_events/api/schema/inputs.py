"""How OpenAPI sees input fields that take more than one type."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension

REFERENCE = [{"type": "integer"}, {"type": "string"}]


class LinkedRecordsField(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Identifiers, objects with one, or the fields of a new record; one or a list."""

    target_class = "calendar_events.serializers.references.LinkedRecords"

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """Refer to the body of the record that may come along."""
        component = auto_schema.resolve_serializer(
            self.target.kind.serializer(partial=True), direction
        )
        one = {"anyOf": [*REFERENCE, component.ref]}
        return {"anyOf": [*one["anyOf"], {"type": "array", "items": one}]}
