"""Describe the operations about webhooks to drf-spectacular."""

from typing import Any, Final

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse

from calendar_events.api.schema.components import (
    IDENTIFIER,
    INSTITUTION,
    REFUSED,
    EventsErrorSerializer,
    header,
    refusal_example,
)
from calendar_events.api.schema.operations import JSON, READ_ERRORS, EventsAutoSchema
from calendar_events.documents.webhooks import WebhookDocument
from calendar_events.models import WebhookDelivery
from calendar_events.serializers.webhooks import (
    MOST_DELIVERIES,
    WebhookChange,
    WebhookInput,
)

STATUSES: Final = {"create": 201, "test": 202, "send_again": 202}
NAMES: Final = {
    "list": ("listWebhooks", "List the webhooks of the service key"),
    "create": ("createWebhook", "Subscribe to changes"),
    "retrieve": ("readWebhook", "Read a webhook"),
    "destroy": ("deleteWebhook", "Delete a webhook and its messages"),
    "rotate": ("rotateWebhookSecret", "Give a webhook another secret"),
    "test": ("testWebhook", "Have a test message sent"),
    "deliveries": ("listWebhookDeliveries", "List the messages to a webhook"),
    "send_again": ("sendWebhookAgain", "Have a message sent again"),
}
CHANGES: Final = {"PUT": "replaceWebhook", "PATCH": "updateWebhook"}
ERRORS: Final = {
    **{status: READ_ERRORS[status] for status in (401, 403, 405, 406, 429, 500, 503)},
    400: "A field cannot be used; `data.params` names it.",
    404: "The service key has no such webhook in the institution.",
}
WRITE_ERRORS: Final = {
    409: "The key has too many webhooks, or the webhook is disabled.",
    413: "The body is too large.",
    415: "The body is neither JSON nor a form.",
}
LOCATION: Final = header("Location", "The address of the webhook.", response=[201])
SECRET: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw9Jm3iUqLbhM="  # noqa: S105 -- shown
MESSAGE_ID: Final = "msg_2Lh9KRb0pzN4LePd3XiA4v12"
MESSAGE: Final = OpenApiParameter(
    "message", str, OpenApiParameter.PATH, description="The `webhook-id` of a message."
)
WHICH: Final = [
    OpenApiParameter(
        "state",
        str,
        enum=WebhookDelivery.State.values,
        description="Only messages in this state.",
    ),
    OpenApiParameter(
        "before", str, description="Only messages older than the one of this `webhook-id`."
    ),
    OpenApiParameter(
        "per_page",
        {"type": "integer", "minimum": 1, "default": 20},
        description=f"Messages of an answer; {MOST_DELIVERIES} are the most.",
    ),
]
BODY: Final = {
    "url": "https://receiver.example/calendar",
    "types": ["event.created", "event.updated", "event.deleted"],
    "categories": [12],
}
ONE: Final = {
    "id": 7,
    "institution": "1001",
    **BODY,
    "description": "",
    "only_institution": "",
    "statuses": ["publish"],
    "status": "active",
    "disabled_reason": "",
    "secret_overlap_until_utc": None,
    "failing_since_utc": None,
    "paused_until_utc": None,
    "last_success_utc": "2026-11-25T02:00:04Z",
    "created_utc": "2026-11-24T09:30:00Z",
}
EXAMPLES: Final[dict[str, Any]] = {
    "list": {"webhooks": [ONE]},
    "create": {**ONE, "last_success_utc": None, "secret": SECRET},
    "rotate": {**ONE, "secret_overlap_until_utc": "2026-11-26T02:00:00Z", "secret": SECRET},
    "test": {"message_id": MESSAGE_ID},
    "send_again": {"message_id": MESSAGE_ID},
    "deliveries": {
        "deliveries": [
            {
                "message_id": MESSAGE_ID,
                "type": "event.updated",
                "record": 12,
                "state": "pending",
                "attempts": 1,
                "created_utc": "2026-11-25T02:00:04Z",
                "attempted_utc": "2026-11-25T02:00:05Z",
                "next_attempt_utc": "2026-11-25T02:00:10Z",
                "milliseconds": 87,
                "answer_status": 500,
                "answer": "Out of order",
                "error": "",
            }
        ],
        "more": False,
    },
}


class WebhookAutoSchema(EventsAutoSchema):
    """Describes the operations about webhooks."""

    def get_operation_id(self) -> str:
        """Return names such as ``createWebhook``."""
        if self.action == "update":
            return CHANGES.get(self.method, "changeWebhook")
        return NAMES[self.action][0]

    def get_tags(self) -> list[str]:
        return ["webhooks"]

    def get_summary(self) -> str:
        return "Change a webhook" if self.action == "update" else NAMES[self.action][1]

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular's
        return str(getattr(self.view, self.action).__doc__)

    def get_override_parameters(self) -> list[Any]:
        parameters = [INSTITUTION, *REFUSED]
        if "{id}" in self.path:
            parameters.append(IDENTIFIER)
        more = {"create": [LOCATION], "deliveries": WHICH, "send_again": [MESSAGE]}
        return [*parameters, *more.get(self.action, [])]

    def get_request_serializer(self) -> Any:
        """Return the body of a write; a change needs no field."""
        if self.action == "create":
            return WebhookInput()
        return WebhookChange(partial=True) if self.action == "update" else None

    def get_response_serializers(self) -> Any:
        view: Any = self.view
        shape = view.answers.get(self.action, WebhookDocument)
        errors = ERRORS if self.method == "GET" else {**ERRORS, **WRITE_ERRORS}
        return {
            (STATUSES.get(self.action, 200), JSON): shape,
            **{
                (status, JSON): OpenApiResponse(EventsErrorSerializer, text)
                for status, text in errors.items()
            },
        }

    def get_examples(self) -> list[Any]:
        """Return examples of what is sent and answered, and a refusal."""
        status = str(STATUSES.get(self.action, 200))
        examples = [
            OpenApiExample(
                f"webhook {self.action} answer",
                EXAMPLES.get(self.action, ONE),
                response_only=True,
                status_codes=[status],
            ),
            refusal_example(),
        ]
        if self.action in {"create", "update"}:
            body = BODY if self.action == "create" else {"status": "active"}
            examples.append(
                OpenApiExample(
                    f"webhook {self.action}", body, request_only=True, media_type=JSON
                )
            )
        return examples

    def get_auth(self) -> list[dict[str, Any]]:
        """Return the schemes: nothing here goes without."""
        return [scheme for scheme in super().get_auth() if scheme]
