"""Webhooks: who is told of changes, where, and the messages on their way.

A subscription reads the log of changes at its own pace; its place in the log is a column.
Each change that it is told of becomes a delivery, which is kept until the receiver has it.
"""

from datetime import datetime
from typing import Final, Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.crypto import get_random_string

from calendar_events.models import kinds
from calendar_events.models.visibility import EVENT, Status

KINDS: Final = tuple(kind.singular for kind in kinds.KINDS)
ACTIONS: Final = ("created", "updated", "deleted")
TYPES: Final = tuple(f"{kind}.{action}" for kind in KINDS for action in ACTIONS)
"""What a subscription may ask for."""
TEST_TYPE: Final = "webhook.test"
MESSAGE_ID_LENGTH: Final = 24


def new_message_id() -> str:
    """Return the stable identifier of a message."""
    return f"msg_{get_random_string(MESSAGE_ID_LENGTH)}"


def all_of_events() -> list[str]:
    """Return what a subscription is told of that names nothing."""
    return [f"{EVENT}.{action}" for action in ACTIONS]


def published_only() -> list[str]:
    """Return the statuses of a subscription that names none."""
    return [Status.PUBLISH.value]


class WebhookSubscriptionQuerySet(models.QuerySet["WebhookSubscription"]):
    """The words in which subscriptions are looked for."""

    def of(self, *, client_id: str, institution: str) -> Self:
        """Keep those of a service key in an institution."""
        return self.filter(client_id=client_id, institution=institution)

    def active(self) -> Self:
        """Keep those that are told of changes."""
        return self.filter(status=WebhookSubscription.Status.ACTIVE)

    def idle(self, now: datetime) -> Self:
        """Keep those that nobody is sending to, and that did not ask for a pause."""
        free = Q(leased_until=None) | Q(leased_until__lte=now)
        return self.filter(free, Q(paused_until=None) | Q(paused_until__lte=now))

    def with_due(self, now: datetime) -> Self:
        """Keep those for which there is a message to send now."""
        due = WebhookDelivery.objects.due(now).filter(subscription=OuterRef("pk"))
        return self.filter(Exists(due))


class WebhookSubscription(models.Model):
    """An address that a service key wants to be told at, and of which changes."""

    class Status(models.TextChoices):
        """Whether it is told."""

        ACTIVE = "active", "Active"
        DISABLED = "disabled", "Disabled"

    class Reason(models.TextChoices):
        """Why it is disabled."""

        ASKED = "asked", "The application or an administrator disabled it"
        GONE = "gone", "The receiver answered 410"
        FAILING = "failing", "The receiver failed for three days"
        KEY = "key", "The service key was canceled, has expired or lost its access"

    client_id = models.CharField("key identifier", max_length=255)
    institution = models.CharField(max_length=64)
    """Whose credentials made it; what is not public it is told of this one alone."""
    url = models.CharField("address", max_length=2048)
    description = models.CharField(max_length=200, blank=True, default="")
    types = models.JSONField(default=all_of_events)
    only_institution = models.CharField(max_length=64, blank=True, default="")
    categories = models.JSONField(default=list, blank=True)
    """Identifiers; events must be in one of them. Empty: whatever the category."""
    statuses = models.JSONField(default=published_only)
    status = models.CharField(max_length=10, choices=Status, default=Status.ACTIVE)
    disabled_reason = models.CharField(
        max_length=10, choices=Reason, blank=True, default=""
    )
    encrypted_secret = models.TextField(editable=False)
    encrypted_previous_secret = models.TextField(blank=True, default="", editable=False)
    previous_secret_until = models.DateTimeField(null=True, blank=True, editable=False)
    """Until when messages are signed with the secret before, too."""
    cursor_transaction = models.BigIntegerField(default=0, editable=False)
    cursor_change = models.BigIntegerField(default=0, editable=False)
    """How far in the log of changes messages were made."""
    published_until = models.DateTimeField(editable=False)
    """Until when records were looked for that time has published."""
    leased_until = models.DateTimeField(null=True, blank=True, editable=False)
    """Until when one worker alone sends to it."""
    served_at = models.DateTimeField(null=True, blank=True, editable=False)
    """When a worker last took it; those that have waited longest come first."""
    paused_until = models.DateTimeField(null=True, blank=True, editable=False)
    """Until when its receiver has asked to be left alone (``Retry-After``)."""
    failing_since = models.DateTimeField(null=True, blank=True, editable=False)
    last_success_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(editable=False)

    objects = WebhookSubscriptionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(client_id="") & ~Q(institution="") & ~Q(url=""),
                name="webhook_has_key_institution_address",
            ),
            models.CheckConstraint(
                condition=~Q(encrypted_secret=""), name="webhook_has_secret"
            ),
            models.CheckConstraint(
                condition=Q(status="active", disabled_reason="")
                | (Q(status="disabled") & ~Q(disabled_reason="")),
                name="webhook_disabled_has_reason",
            ),
        ]
        indexes = [
            models.Index(fields=["client_id", "institution", "id"], name="webhook_of_key"),
            models.Index(fields=["institution", "id"], name="webhook_of_institution"),
        ]

    def __str__(self) -> str:
        return f"{self.url} of {self.client_id} ({self.pk})"

    @property
    def is_active(self) -> bool:
        """Whether it is told of changes."""
        return self.status == self.Status.ACTIVE


class WebhookDeliveryQuerySet(models.QuerySet["WebhookDelivery"]):
    """The words in which messages are looked for."""

    def pending(self) -> Self:
        """Keep what the receiver does not have yet."""
        return self.filter(state=WebhookDelivery.State.PENDING)

    def due(self, now: datetime) -> Self:
        """Keep what may be sent now.

        A message waits for the earlier ones about the same record, and for no others.
        """
        earlier = WebhookDelivery.objects.pending().filter(
            subscription=OuterRef("subscription"),
            kind=OuterRef("kind"),
            record=OuterRef("record"),
            pk__lt=OuterRef("pk"),
        )
        return self.pending().filter(~Exists(earlier), next_attempt_at__lte=now)


class WebhookDelivery(models.Model):
    """A message to one subscription, and what became of it."""

    class State(models.TextChoices):
        """How far it is."""

        PENDING = "pending", "Waiting"
        DELIVERED = "delivered", "Delivered"
        FAILED = "failed", "Given up"

    subscription = models.ForeignKey(
        WebhookSubscription, on_delete=models.CASCADE, related_name="deliveries"
    )
    message_id = models.CharField(
        "message", max_length=40, unique=True, default=new_message_id
    )
    """The ``webhook-id``: the same at every attempt."""
    type = models.CharField(max_length=100)
    kind = models.CharField(max_length=100, blank=True, default="")
    record = models.BigIntegerField(null=True, blank=True)
    """What it is about; nothing for a test."""
    change = models.BigIntegerField(null=True, blank=True)
    """The row of the log; nothing for a test, and for what time published."""
    payload = models.TextField("request")
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField("next attempt", null=True, blank=True)
    created_at = models.DateTimeField("made")
    attempted_at = models.DateTimeField("last attempt", null=True, blank=True)
    milliseconds = models.PositiveIntegerField(null=True, blank=True)
    """How long the last attempt took."""
    answer_status = models.PositiveSmallIntegerField(null=True, blank=True)
    answer = models.TextField(blank=True, default="")
    """The first kilobyte."""
    error = models.CharField(max_length=200, blank=True, default="")
    """Why there was no answer."""

    objects = WebhookDeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "webhook deliveries"
        constraints = [
            models.UniqueConstraint(
                fields=["subscription", "change"],
                condition=Q(change__isnull=False),
                name="webhook_delivery_once",
            ),
        ]
        indexes = [
            models.Index(
                fields=["subscription", "next_attempt_at", "id"],
                condition=Q(state="pending"),
                name="webhook_delivery_due",
            ),
            models.Index(
                fields=["subscription", "kind", "record", "id"],
                condition=Q(state="pending"),
                name="webhook_delivery_in_order",
            ),
            models.Index(fields=["subscription", "-id"], name="webhook_delivery_newest"),
            models.Index(fields=["created_at", "id"], name="webhook_delivery_by_age"),
            models.Index(
                fields=["id"], condition=Q(state="failed"), name="webhook_delivery_failed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.message_id} ({self.pk})"


class WebhookAttempt(models.Model):
    """One sending of a message, and what the receiver answered."""

    delivery = models.ForeignKey(
        WebhookDelivery, on_delete=models.CASCADE, related_name="history"
    )
    at = models.DateTimeField("sent")
    url = models.CharField("address", max_length=2048)
    milliseconds = models.PositiveIntegerField()
    answer_status = models.PositiveSmallIntegerField(null=True, blank=True)
    answer = models.TextField(blank=True, default="")
    """The first kilobyte."""
    error = models.CharField(max_length=200, blank=True, default="")
    """Why there was no answer."""

    class Meta:
        default_permissions = ()  # who may read a message may read these
        indexes = [models.Index(fields=["at", "id"], name="webhook_attempt_by_age")]

    def __str__(self) -> str:
        return f"{self.delivery_id} at {self.at:%Y-%m-%d %H:%M:%S} ({self.pk})"
