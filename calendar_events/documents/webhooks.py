"""What is answered of a webhook subscription; its secret is not among it."""

from datetime import UTC, datetime
from typing import Any

from rest_framework import serializers

from calendar_events.models import WebhookDelivery, WebhookSubscription


class UtcMoment(serializers.DateTimeField):
    """A moment as messages write it: UTC, to the second."""

    def __init__(self, **options: Any) -> None:
        super().__init__(format="%Y-%m-%dT%H:%M:%SZ", default_timezone=UTC, **options)


class WebhookDocument(serializers.ModelSerializer):
    """A subscription, as its service key reads it."""

    types = serializers.ListField(child=serializers.CharField())
    categories = serializers.ListField(child=serializers.IntegerField())
    statuses = serializers.ListField(child=serializers.CharField())
    secret_overlap_until_utc = serializers.SerializerMethodField(
        help_text="Until when messages are signed with the secret before, too."
    )
    failing_since_utc = UtcMoment(source="failing_since", allow_null=True)
    paused_until_utc = serializers.SerializerMethodField(
        help_text="Until when the receiver has asked to be left alone."
    )
    last_success_utc = UtcMoment(source="last_success_at", allow_null=True)
    created_utc = UtcMoment(source="created_at")

    class Meta:
        model = WebhookSubscription
        fields = [
            *("id", "institution", "url", "description", "types", "only_institution"),
            *("categories", "statuses", "status", "disabled_reason"),
            *("secret_overlap_until_utc", "failing_since_utc", "paused_until_utc"),
            *("last_success_utc", "created_utc"),
        ]

    def get_secret_overlap_until_utc(self, row: WebhookSubscription) -> str | None:
        """Return the end of an overlap that is not over."""
        return self._to_come(row.previous_secret_until)

    def get_paused_until_utc(self, row: WebhookSubscription) -> str | None:
        """Return the end of a pause that is not over."""
        return self._to_come(row.paused_until)

    def _to_come(self, until: datetime | None) -> str | None:
        if until is None or until <= self.context["now"]:
            return None
        return str(UtcMoment().to_representation(until))


class SecretDocument(WebhookDocument):
    """A subscription with its new secret, which is answered once."""

    secret = serializers.CharField(help_text="`whsec_` and the key in Base64.")

    class Meta(WebhookDocument.Meta):
        fields = [*WebhookDocument.Meta.fields, "secret"]


class WebhookList(serializers.Serializer):
    """All subscriptions of the key in the institution."""

    webhooks = WebhookDocument(many=True)


class MessageIdentifier(serializers.Serializer):
    """The message that will be sent."""

    message_id = serializers.CharField(help_text="The `webhook-id` to come.")


class DeliveryDocument(serializers.ModelSerializer):
    """A message, and what came of its last attempt."""

    created_utc = UtcMoment(source="created_at")
    attempted_utc = UtcMoment(source="attempted_at", allow_null=True)
    next_attempt_utc = UtcMoment(source="next_attempt_at", allow_null=True)

    class Meta:
        model = WebhookDelivery
        fields = [
            *("message_id", "type", "record", "state", "attempts", "created_utc"),
            *("attempted_utc", "next_attempt_utc", "milliseconds", "answer_status"),
            *("answer", "error"),
        ]


class DeliveryList(serializers.Serializer):
    """Messages, the newest first."""

    deliveries = DeliveryDocument(many=True)
    more = serializers.BooleanField(help_text="Whether there are older ones.")
