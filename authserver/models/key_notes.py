"""What is noted about service keys: refused requests, and links that show a secret once."""

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from authserver.models.service_key import ServiceKey


class SecretLinkQuerySet(models.QuerySet["SecretLink"]):
    """Queries of links."""

    def open(self, now: datetime) -> Self:
        """Links that would show a secret now: the current one of a key that works."""
        return self.filter(
            Q(key__expires_at=None) | Q(key__expires_at__gt=now),
            ended_at=None,
            expires_at__gt=now,
            key__status=ServiceKey.Status.ACTIVE,
            key__secret_created_at=F("secret_created_at"),
        )

    def to_current_secret(self, key: ServiceKey) -> Self:
        """Links to the secret that the key has now, whatever became of them."""
        return self.filter(key=key, key__secret_created_at=F("secret_created_at"))

    def unseen(self, key: ServiceKey) -> Self:
        """Links to the key's current secret that showed it to nobody."""
        return self.to_current_secret(key).filter(shown_at=None)


class SecretLink(models.Model):
    """A link to the secret that a key had when it was made.

    The secret is where it always is, with its key, and not here; of the link there is a
    digest alone.
    """

    key = models.ForeignKey(
        ServiceKey, on_delete=models.CASCADE, related_name="secret_links"
    )
    token_digest = models.CharField(max_length=64, unique=True)
    secret_created_at = models.DateTimeField()
    """Which secret: another one is never shown."""
    made_by = models.CharField(max_length=255)
    made_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    shown_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    """When it was shown or revoked, or found to have expired."""

    objects = SecretLinkQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["expires_at"], condition=Q(ended_at=None), name="secret_link_open"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(shown_at=None) | Q(ended_at__isnull=False),
                name="secret_link_ends_when_shown",
            ),
        ]

    def __str__(self) -> str:
        return f"Link to the secret of {self.key}, made {self.made_at:%Y-%m-%d %H:%M}Z"


class KeyRefusal(models.Model):
    """One request that named the key and was refused: no address, no query, no secret.

    Anyone who knows a key's identifier can cause these rows, so they are few and no
    part of the audit record (``authserver.keys.activity``).
    """

    key = models.ForeignKey(ServiceKey, on_delete=models.CASCADE, related_name="refusals")
    at = models.DateTimeField(default=timezone.now)
    reason = models.CharField(max_length=64)
    status_code = models.PositiveSmallIntegerField("status")
    method = models.CharField(max_length=16)
    path = models.CharField(max_length=200)
    request_id = models.CharField("request identifier", max_length=64, blank=True)

    class Meta:
        verbose_name = "refused request"
        indexes = [models.Index(fields=["at"], name="key_refusal_by_time")]

    def __str__(self) -> str:
        return f"{self.reason} at {self.at:%Y-%m-%d %H:%M:%S}Z (#{self.pk})"
