"""What drf-spectacular is told about each operation, from one table of resources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from calendar_events.api.schema import envelopes, examples
from calendar_events.documents.events import EventDocument
from calendar_events.documents.places import OrganizerDocument, VenueDocument
from calendar_events.documents.terms import TermDocument
from calendar_events.filters.declaration import ListParameter, parameters
from calendar_events.filters.events import EventFilter, FeedFilter
from calendar_events.filters.places import RecordFilter
from calendar_events.filters.terms import CategoryFilter, TagFilter
from calendar_events.serializers.inputs import (
    CategoryInput,
    EventInput,
    OrganizerInput,
    TermInput,
    VenueInput,
)
from platform_errors.schema import EventsErrorSerializer

if TYPE_CHECKING:
    import django_filters
    from rest_framework.serializers import BaseSerializer

JSON, CALENDAR = "application/json", "text/calendar"
READ_ERRORS = {
    400: "A parameter cannot be used; `data.params` names it.",
    401: "The credentials are invalid or expired.",
    403: "The caller is not allowed to do this.",
    404: "There is no such record or page.",
    405: "The resource does not support the method; `Allow` lists those it does.",
    406: "`Accept` leaves out what can be served.",
    412: "A precondition does not hold.",
    429: "Too many requests; `Retry-After` says how long to wait.",
    500: "Something broke; the request identifier names it.",
    503: "The database is busy; `Retry-After` says how long to wait.",
}
BUSY_WITH_FEEDS = (
    "The database is busy, or too many feeds are being sent; `Retry-After` says how long "
    "to wait."
)
WRITE_ERRORS = READ_ERRORS | {
    400: "A field or parameter cannot be used; `data.params` names it.",
    409: "The body's `modified_utc` is not that of the stored record.",
    410: "The record is in the trash.",
    413: "The body is too large.",
    415: "The body is neither JSON nor a form.",
    422: "The `Idempotency-Key` came with another body.",
}
VERBS = {
    "list": "list",
    "create": "create",
    "retrieve": "read",
    "retrieve_by_slug": "read",
    "destroy": "delete",
}


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One of the five types, as operations know it."""

    singular: str
    plural: str
    shape: type[BaseSerializer[Any]]
    page: type[BaseSerializer[Any]]
    filterset: type[django_filters.FilterSet]
    body: type[BaseSerializer[Any]]


RESOURCES = {
    resource.plural: resource
    for resource in (
        Resource(
            singular="event",
            plural="events",
            shape=EventDocument,
            page=envelopes.EventList,
            filterset=EventFilter,
            body=EventInput,
        ),
        Resource(
            singular="venue",
            plural="venues",
            shape=VenueDocument,
            page=envelopes.VenueList,
            filterset=RecordFilter,
            body=VenueInput,
        ),
        Resource(
            singular="organizer",
            plural="organizers",
            shape=OrganizerDocument,
            page=envelopes.OrganizerList,
            filterset=RecordFilter,
            body=OrganizerInput,
        ),
        Resource(
            singular="category",
            plural="categories",
            shape=TermDocument,
            page=envelopes.CategoryList,
            filterset=CategoryFilter,
            body=CategoryInput,
        ),
        Resource(
            singular="tag",
            plural="tags",
            shape=TermDocument,
            page=envelopes.TagList,
            filterset=TagFilter,
            body=TermInput,
        ),
    )
}


def query_parameters(filterset: type[django_filters.FilterSet]) -> list[OpenApiParameter]:
    """Return the declared parameters as OpenAPI has them."""
    return [
        OpenApiParameter(
            name,
            type=declared.schema,
            location=OpenApiParameter.QUERY,
            description=declared.help_text,
            explode=False if isinstance(declared, ListParameter) else None,
            style="form" if isinstance(declared, ListParameter) else None,
        )
        for name, declared in parameters(filterset).items()
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


class EventsAutoSchema(AutoSchema):
    """Describes the operations of the events interface."""

    @property
    def resource(self) -> Resource | None:
        """The type that the view serves; none for the index and the documentation."""
        return RESOURCES.get(getattr(self.view, "resource", ""))

    @property
    def action(self) -> str:
        """The viewset's action."""
        return str(getattr(self.view, "action", ""))

    @property
    def is_feed(self) -> bool:
        """Whether the answer is a calendar."""
        return ".ics" in self.path

    @property
    def is_by_slug(self) -> bool:
        """Whether the path names a slug."""
        return "{slug}" in self.path

    def get_operation_id(self) -> str:
        """Return names such as ``listEvents`` and ``replaceVenueBySlug``."""
        resource = self.resource
        if resource is None:
            return str(getattr(self.view, "operation_id", "readNamespace"))
        verb = VERBS.get(self.action) or {"PUT": "replace", "PATCH": "update"}.get(
            self.method, "change"
        )
        name = resource.plural if self.action == "list" else resource.singular
        feed = "Feed" if self.is_feed else ""
        by_slug = "BySlug" if self.is_by_slug else ""
        return f"{verb}{name.capitalize()}{feed}{by_slug}"

    def get_tags(self) -> list[str]:
        """Group by type."""
        return [self.resource.plural if self.resource else "namespace"]

    def get_summary(self) -> str | None:
        """Say it in words."""
        words = {
            "list": "List",
            "create": "Create",
            "retrieve": "Read",
            "retrieve_by_slug": "Read",
            "update": "Change",
            "destroy": "Delete",
        }
        if self.resource is None:
            view: Any = self.view
            return str(view.retrieve.__doc__)
        noun = self.resource.plural if self.action == "list" else self.resource.singular
        by_slug = " by slug" if self.is_by_slug else ""
        feed = " as a calendar" if self.is_feed else ""
        return f"{words[self.action]} {noun}{by_slug}{feed}"

    def get_override_parameters(self) -> list[Any]:
        """Return what the operation understands besides its path."""
        resource = self.resource
        if resource is None:
            filterset = getattr(self.view, "filterset_class", None)
            return [*(query_parameters(filterset) if filterset else []), *REFUSED]
        if self.action == "list":
            filterset = FeedFilter if self.is_feed else resource.filterset
            totals = [] if self.is_feed else TOTALS
            conditions = [*CONDITIONS[:1], INSTITUTION, ETAG]
            return [*query_parameters(filterset), *conditions, *totals, *REFUSED]
        found = [FIELDS, INSTITUTION, ETAG, *REFUSED]
        if "{id}" in self.path:
            found.append(IDENTIFIER)
        if resource.singular == "event":
            found.append(PASSWORD)
        if self.action == "create":
            return [*found, IDEMPOTENCY, LOCATION]
        found += PRECONDITIONS
        if self.action in {"retrieve", "retrieve_by_slug"}:
            found += [*CONDITIONS, LAST_MODIFIED]
            found += [CONTEXT] if resource.singular == "event" else []
        else:
            found.append(NOT_IF)
        if self.action == "destroy":
            found.append(FORCE)
        return found

    def get_request_serializer(self) -> Any:
        """Return the body of a write; a change needs no field."""
        if self.resource is None or self.action not in {"create", "update"}:
            return None
        return self.resource.body(partial=self.action == "update")

    def get_response_serializers(self) -> Any:
        """Return the answers and the errors."""
        is_read = self.method in {"GET", "HEAD"}
        errors = READ_ERRORS if is_read else WRITE_ERRORS
        found: dict[Any, Any] = {}
        if self.is_feed:
            found[200, CALENDAR] = OpenApiResponse(OpenApiTypes.STR, "A calendar.")
        else:
            found[201 if self.action == "create" else 200, JSON] = self._shape()
        if is_read:
            found[304] = OpenApiResponse(description="Not modified.")
        if self.is_feed and self.action == "list":
            errors = errors | {503: BUSY_WITH_FEEDS}
        for status, description in errors.items():
            # As XML (``document.DESCRIPTION``) it would make every error a union, whose
            # members a typed client could not read before it had looked at the type.
            found[status, JSON] = OpenApiResponse(EventsErrorSerializer, description)
        return found

    def _is_list_view(self, serializer: Any = None) -> bool:
        """Return no: lists are wrapped in an envelope."""
        return False

    def _shape(self) -> Any:
        if self.resource is None:
            return getattr(self.view, "shape", OpenApiTypes.OBJECT)
        return self.resource.page if self.action == "list" else self.resource.shape

    def get_examples(self) -> list[Any]:
        """Return examples of the operation; a calendar is none of JSON."""
        if self.resource is None or self.is_feed:
            return []
        return examples.of_operation(self.resource.singular, self.action)

    def get_auth(self) -> list[dict[str, Any]]:
        """Return the schemes; reads also go without."""
        found = super().get_auth()
        named = [one for one in found if one]
        return [*named, {}] if self.method in {"GET", "HEAD", "OPTIONS"} else named
