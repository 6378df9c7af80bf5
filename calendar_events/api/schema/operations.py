"""Describe each operation to drf-spectacular, from its view."""

from typing import Any, NamedTuple, cast

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework.serializers import Serializer

from calendar_events.api.schema.components import (
    CONDITIONS,
    CONTEXT,
    ETAG,
    FIELDS,
    FORCE,
    IDEMPOTENCY,
    IDENTIFIER,
    INSTITUTION,
    LAST_MODIFIED,
    LOCATION,
    NOT_IF,
    PASSWORD,
    PRECONDITIONS,
    REFUSED,
    SCOPE,
    TOTALS,
    EventsErrorSerializer,
    examples_of,
    page_of,
)
from calendar_events.documents.rendering import document_class
from calendar_events.models.kinds import kind_for
from calendar_events.serializers.references import LinkedRecords

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
    "destroy": "delete",
}
DESCRIPTIONS = {
    "list": "List {plural}.",
    "create": "Create a record: 201 with `Location`.",
    "retrieve": "Read one {singular}{by_slug}.",
    "update": "Change what is sent, and nothing else; POST, PUT and PATCH are the same.",
    "destroy": "Move to the trash; with `force` delete for good.",
}


class Resource(NamedTuple):
    """One of the five types, as operations know it."""

    singular: str
    plural: str
    shape: type[Serializer[Any]]


REFERENCE = [{"type": "integer"}, {"type": "string"}]


class LinkedRecordsField(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Identifiers, objects with one, or the fields of a new record; one or a list."""

    target_class = LinkedRecords
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """Refer to the body of the record that may come along."""
        component = auto_schema.resolve_serializer(
            self.target.serializer(partial=True), direction
        )
        one = {"anyOf": [*REFERENCE, component.ref]}
        return {"anyOf": [*one["anyOf"], {"type": "array", "items": one}]}


class EventsAutoSchema(AutoSchema):
    """Describes the operations of the events interface."""

    @property
    def resource(self) -> Resource | None:
        """The type that the view serves; none for the index and the documentation."""
        view: Any = self.view
        if not getattr(view, "resource", ""):
            return None
        return Resource(view.kind, view.resource, document_class(view.kind))

    @property
    def action(self) -> str:
        return str(getattr(self.view, "action", ""))

    @property
    def is_feed(self) -> bool:
        return ".ics" in self.path

    @property
    def is_by_slug(self) -> bool:
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
        group = getattr(self.view, "group", "namespace")
        return [self.resource.plural if self.resource else group]

    def get_summary(self) -> str | None:
        if self.resource is None:
            view: Any = self.view
            return str(view.retrieve.__doc__)
        verb = VERBS.get(self.action, "change").capitalize()
        noun = self.resource.plural if self.action == "list" else self.resource.singular
        by_slug = " by slug" if self.is_by_slug else ""
        feed = " as a calendar" if self.is_feed else ""
        return f"{verb} {noun}{by_slug}{feed}"

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular's
        resource = self.resource
        if resource is None or (self.is_feed and self.action == "list"):
            described: Any = super()
            return str(described.get_description())
        if self.is_feed:
            return "Return one event as a calendar."
        if self.action == "destroy" and kind_for(resource.singular).taxonomy:
            return f"Delete for good; the answer is the {resource.singular} as it was."
        return DESCRIPTIONS[self.action].format(
            singular=resource.singular,
            plural=resource.plural,
            by_slug=" by its slug" if self.is_by_slug else "",
        )

    def get_filter_backends(self) -> list[Any]:
        """Return what declares the parameters of a list."""
        view: Any = self.view
        return view.filter_backends if self.action == "list" else []

    def arguments(self) -> dict[str, Any]:
        """Return the query parameters that a view declares, as the index tells them."""
        own: Any = {}
        if self.resource is None:
            own = self._process_override_parameters()  # type: ignore[no-untyped-call]
        listed: Any = self._get_filter_parameters()  # type: ignore[no-untyped-call]
        return {
            one["name"]: {
                **one["schema"],
                "description": one.get("description", ""),
                "required": False,
            }
            for one in [*listed, *own.values()]
        }

    def get_override_parameters(self) -> list[Any]:
        resource = self.resource
        if resource is None:
            return [*getattr(self.view, "parameters", ()), *REFUSED]
        if self.action == "list":
            totals = [] if self.is_feed else TOTALS
            conditions = [*CONDITIONS[:1], INSTITUTION, ETAG]
            return [*conditions, *totals, *REFUSED]
        parameters = [FIELDS, INSTITUTION, ETAG, *REFUSED]
        if "{id}" in self.path:
            parameters.append(IDENTIFIER)
        if resource.singular == "event":
            parameters.append(PASSWORD)
        if self.action == "create":
            return [*parameters, IDEMPOTENCY, LOCATION]
        parameters += PRECONDITIONS
        if self.action == "retrieve":
            parameters += [*CONDITIONS, LAST_MODIFIED]
            parameters += [CONTEXT] if resource.singular == "event" else []
        else:
            parameters.append(NOT_IF)
        if self.action == "destroy":
            parameters.append(FORCE)
        if resource.singular == "event" and self.action in {"update", "destroy"}:
            parameters.append(SCOPE)
        return parameters

    def get_request_serializer(self) -> Any:
        """Return the body of a write; a change needs no field."""
        if self.resource is None or self.action not in {"create", "update"}:
            return None
        view = cast("Any", self.view)
        return view.serializer_class(partial=self.action == "update")

    def get_response_serializers(self) -> Any:
        is_read = self.method in {"GET", "HEAD"}
        errors = READ_ERRORS if is_read else WRITE_ERRORS
        answers: dict[Any, Any] = {}
        if self.is_feed:
            answers[200, CALENDAR] = OpenApiResponse(OpenApiTypes.STR, "A calendar.")
        else:
            answers[201 if self.action == "create" else 200, JSON] = self._shape()
        if is_read:
            answers[304] = OpenApiResponse(description="Not modified.")
        if self.is_feed and self.action == "list":
            errors = errors | {503: BUSY_WITH_FEEDS}
        for status, description in errors.items():
            # As XML (``document.DESCRIPTION``) it would make every error a union, whose
            # members a typed client could not read before it had looked at the type.
            answers[status, JSON] = OpenApiResponse(EventsErrorSerializer, description)
        return answers

    def _is_list_view(self, serializer: Any = None) -> bool:
        """Return no: lists are wrapped in an envelope."""
        return False

    def _shape(self) -> Any:
        if self.resource is None:
            return getattr(self.view, "shape", OpenApiTypes.OBJECT)
        return page_of(*self.resource) if self.action == "list" else self.resource.shape

    def get_examples(self) -> list[Any]:
        """Return examples of the operation; a calendar is none of JSON."""
        if self.is_feed:
            return []
        own: str = getattr(self.view, "examples", "")
        return examples_of(self.resource.singular if self.resource else own, self.action)

    def get_auth(self) -> list[dict[str, Any]]:
        """Return the schemes; reads also go without."""
        schemes = super().get_auth()
        named = [one for one in schemes if one]
        return [*named, {}] if self.method in {"GET", "HEAD", "OPTIONS"} else named
