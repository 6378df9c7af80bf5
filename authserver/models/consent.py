"""What a user allowed an application, remembered (decisions 3.8)."""

from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from authserver.models.institution import Institution
from authserver.models.service_key import ServiceKey


class ConsentQuerySet(models.QuerySet["Consent"]):
    """Queries of consents."""

    def live(self, now: datetime) -> Self:
        """Consents that were neither revoked nor have expired."""
        return self.filter(revoked_at__isnull=True, expires_at__gt=now)


class Consent(models.Model):
    """One user's consent to one application at one institution; at most one is live.

    ``scope`` holds the granted scope tokens, one space between; granting more extends it.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="consents"
    )
    key = models.ForeignKey(ServiceKey, on_delete=models.CASCADE, related_name="consents")
    institution = models.ForeignKey(
        Institution, on_delete=models.CASCADE, related_name="consents"
    )
    scope = models.TextField()
    granted_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ConsentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "key", "institution"],
                condition=Q(revoked_at__isnull=True),
                name="consent_one_per_application",
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("granted_at")),
                name="consent_expires_after_grant",
            ),
        ]
        indexes = [models.Index(fields=["expires_at"], name="consent_by_expiry")]

    def __str__(self) -> str:
        return f"Consent #{self.pk} of user {self.user_id} to key {self.key_id}"

    @property
    def scopes(self) -> frozenset[str]:
        """The granted scope tokens."""
        return frozenset(self.scope.split())
