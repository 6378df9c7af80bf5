"""The body of a webhook subscription."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from calendar_events.models import Status, WebhookDelivery, WebhookSubscription
from calendar_events.models.webhooks import TYPES, all_of_events, published_only
from calendar_events.parsing.slugs import MAX_ID
from calendar_events.serializers.base import Input
from calendar_events.serializers.fields import (
    KEPT,
    Clearable,
    Messages,
    PlainText,
    WebAddress,
    as_identifier,
)

STATUSES = [status.value for status in Status if status is not Status.TRASH]
MOST_CATEGORIES = 50
MOST_DELIVERIES = 100


class WordList(Clearable):
    """Some of a few words, each once."""

    words: ClassVar[Sequence[str]]
    default_words: ClassVar[Callable[[], list[str]]]
    blanks = ([],)
    default_error_messages: ClassVar[Messages] = {
        "type": "must be a list of texts.",
        "many": "must not have more than {most} texts.",
        "invalid_choice": "may have {words}, and nothing else.",
    }

    @property
    def cleared(self) -> list[str]:  # a new list each time
        """Return what an empty value means."""
        return type(self).default_words()

    def to_internal_value(self, data: Any) -> list[str]:
        given = [data] if isinstance(data, str) else data
        if not isinstance(given, list):
            self.fail("type")
        if len(given) > len(self.words):
            self.fail("many", most=len(self.words))
        if not all(isinstance(word, str) for word in given):
            self.fail("type")
        if not set(given) <= set(self.words):
            self.fail("invalid_choice", words=", ".join(self.words))
        return [word for word in self.words if word in given]

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field({"type": "array", "items": {"type": "string", "enum": list(TYPES)}})
class TypeList(WordList):
    """What it is told of; empty for everything about events."""

    words = TYPES
    default_words = staticmethod(all_of_events)


@extend_schema_field({"type": "array", "items": {"type": "string", "enum": STATUSES}})
class StatusList(WordList):
    """Statuses of events, venues and organizers; empty for what is published."""

    words = STATUSES
    default_words = staticmethod(published_only)


@extend_schema_field({"type": "array", "items": {"type": "integer"}})
class CategoryList(Clearable):
    """Identifiers of categories; empty for whatever the category."""

    blanks = ([],)
    default_error_messages: ClassVar[Messages] = {
        "type": "must be a list of identifiers.",
        "many": "must not have more than {most} identifiers.",
    }

    @property
    def cleared(self) -> list[int]:  # a new list each time
        """Return what an empty value means."""
        return []

    def to_internal_value(self, data: Any) -> list[int]:
        given = data if isinstance(data, list) else [data]
        if len(given) > MOST_CATEGORIES:
            self.fail("many", most=MOST_CATEGORIES)
        found = [as_identifier(item) for item in given]
        if not all(item is not None and item <= MAX_ID for item in found):
            self.fail("type")
        return list(dict.fromkeys(item for item in found if item is not None))

    def to_representation(self, value: Any) -> Any:
        return value


class SubscriptionStatus(Clearable, serializers.ChoiceField):
    """Whether it is told; empty leaves it as it is."""

    cleared = KEPT
    default_error_messages: ClassVar[Messages] = {
        "invalid_choice": f"must be one of {', '.join(WebhookSubscription.Status.values)}.",
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=WebhookSubscription.Status.choices, **options)


class WebhookInput(Input):
    """What a service key says of a subscription."""

    url = WebAddress(
        required=True,
        clearable=False,
        help_text="Where messages are sent by POST: https, on the public internet.",
    )
    description = PlainText(max_length=200)
    types = TypeList()
    only_institution = PlainText(
        max_length=64, help_text="Only records of this institution; empty for all."
    )
    categories = CategoryList(
        help_text="Only events in one of these categories or under them."
    )
    statuses = StatusList(
        help_text="Others than `publish` are told of the own institution's records alone."
    )


class WebhookChange(WebhookInput):
    """What can be changed of a subscription."""

    url = WebAddress(clearable=False, help_text=WebhookInput().fields["url"].help_text)
    status = SubscriptionStatus(help_text="`active` begins again where it stopped.")


class DeliveryParameters(serializers.Serializer[Any]):
    """Which messages are asked for."""

    state = serializers.ChoiceField(WebhookDelivery.State.choices, default="")
    before = serializers.CharField(default="", max_length=40)
    per_page = serializers.IntegerField(min_value=1, default=20)
