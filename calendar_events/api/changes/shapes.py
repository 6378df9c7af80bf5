"""What the feed of changes understands, and the shape of its answers."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from calendar_events.api.changes import tokens
from calendar_events.api.changes.tokens import Token, TokenUnreadable
from calendar_events.models.kinds import KINDS

MAX_PER_PAGE = 100
MAX_WAIT_SECONDS = 25
PARAMETERS = [
    OpenApiParameter(
        "since", str, description="The token of the answer before. None: a new token."
    ),
    OpenApiParameter(
        "types",
        str,
        description="Only these, comma-separated: `events,venues`. Default: all.",
    ),
    OpenApiParameter(
        "per_page",
        {"type": "integer", "minimum": 1, "default": MAX_PER_PAGE},
        description=f"Changes of an answer; {MAX_PER_PAGE} are the most.",
    ),
    OpenApiParameter(
        "wait",
        {"type": "integer", "minimum": 0, "maximum": MAX_WAIT_SECONDS, "default": 0},
        description="Seconds to wait for a change.",
    ),
]


class ChangesParameters(serializers.Serializer[Any]):
    """What the feed understands."""

    since = serializers.CharField(required=False)
    types = serializers.CharField(default="", allow_blank=True)
    per_page = serializers.IntegerField(min_value=1, default=MAX_PER_PAGE)
    wait = serializers.IntegerField(min_value=0, max_value=MAX_WAIT_SECONDS, default=0)

    def validate_since(self, text: str) -> Token:
        """Raise ``ValidationError`` for what is no token."""
        try:
            return tokens.read(text)
        except TokenUnreadable as error:
            raise serializers.ValidationError(str(error)) from error

    def validate_types(self, text: str) -> str:
        """Return the plurals in the order of the types, or nothing for all."""
        known = [kind.plural for kind in KINDS]
        names = {name.strip() for name in text.split(",")} - {""}
        if unknown := sorted(names - set(known)):
            raise serializers.ValidationError(f"There is no type {', '.join(unknown)}.")
        chosen = [name for name in known if name in names]
        return "" if len(chosen) == len(known) else ",".join(chosen)


class Change(serializers.Serializer[Any]):
    """One record that changed."""

    type = serializers.CharField(help_text="The path segment of its collection.")
    id = serializers.IntegerField()
    change = serializers.ChoiceField(
        ["updated", "deleted"], help_text="`deleted` is what you do not see any more."
    )
    record = serializers.DictField(
        child=serializers.JSONField(),
        required=False,
        help_text="As its list answers it; not of what is deleted.",
    )


class Changes(serializers.Serializer[Any]):
    """What changed, and how to go on."""

    changes = Change(many=True)
    next = serializers.CharField(help_text="The token to ask with next.")
    more = serializers.BooleanField(help_text="Whether there is more at once.")
    retry_after = serializers.IntegerField(
        required=False, help_text="Seconds; there was no place to wait."
    )
