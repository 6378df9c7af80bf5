"""What is answered of a webhook subscription; its secret is not among it."""

from datetime import UTC
from typing import Any

from rest_framework import serializers

from calendar_events.models import WebhookSubscription


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
    last_success_utc = UtcMoment(source="last_success_at", allow_null=True)
    created_utc = UtcMoment(source="created_at")

    class Meta:
        model = WebhookSubscription
        fields = [
            *("id", "institution", "url", "description", "types", "only_institution"),
            *("categories", "statuses", "status", "disabled_reason"),
            *("secret_overlap_until_utc", "failing_since_utc", "last_success_utc"),
            "created_utc",
        ]

    def get_secret_overlap_until_utc(self, row: WebhookSubscription) -> str | None:
        """Return the end of an overlap that is not over."""
        until, now = row.previous_secret_until, self.context["now"]
        if until is None or until <= now:
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


class TestMessage(serializers.Serializer):
    """The message that will be sent."""

    message_id = serializers.CharField(help_text="The `webhook-id` to come.")
