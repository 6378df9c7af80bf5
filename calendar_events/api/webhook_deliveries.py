"""``{events_root}/webhooks/{id}/deliveries``: the messages to a webhook (docs/webhooks.md).

Whose they are is what ``WebhookViewSet`` says of the webhook.
"""

from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from calendar_events.api.webhooks import WebhookViewSet
from calendar_events.documents.webhooks import DeliveryList, MessageIdentifier
from calendar_events.serializers.webhooks import MOST_DELIVERIES, DeliveryParameters
from calendar_events.webhooks import deliveries
from platform_errors.errors.writes import InvalidParameters


class WebhookDeliveryViewSet(WebhookViewSet):
    """The messages to a webhook of the caller's service key."""

    answers: ClassVar[dict[str, Any]] = {
        "deliveries": DeliveryList,
        "send_again": MessageIdentifier,
    }

    def deliveries(self, request: Request, pk: str) -> Response:
        """Answer with the newest messages, or those before one of them."""
        parameters = DeliveryParameters(data=request.query_params)
        if not parameters.is_valid():
            raise InvalidParameters(
                {name: error[0] for name, error in parameters.errors.items()}
            )
        asked = parameters.validated_data
        limit = min(asked["per_page"], MOST_DELIVERIES)
        found = deliveries.newest(
            self.get_object(),
            state=asked["state"],
            before=asked["before"],
            at_most=limit + 1,
        )
        body = {"deliveries": found[:limit], "more": len(found) > limit}
        return self.answer(DeliveryList(body))

    def send_again(self, request: Request, pk: str, message: str) -> Response:
        """Have a message sent once more, under the same identifier: 202."""
        subscription = self.get_object()
        with self.atomic():
            delivery = deliveries.send_one_again(
                subscription, message, actor=self.actor, now=self.now
            )
        return self.answer(MessageIdentifier(delivery), status=202)
