"""Parameters and headers of operations, as OpenAPI has them."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.serializers import Serializer


def query_parameters(serializer: Serializer) -> list[OpenApiParameter]:
    """Return the parameters that a serializer of texts and choices reads."""
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
    """Return a header of requests, or of the given responses."""
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
