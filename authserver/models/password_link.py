"""Links to choose a new password with: who asked for one, and what became of it."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from authserver.models.institution import Institution
from authserver.models.user import User


class PasswordLink(models.Model):
    """A link that was asked for, on a page or by an administrator. It holds no token.

    The token is made when the message is sent, and stored nowhere.
    """

    class Purpose(models.TextChoices):
        """Why."""

        RESET = "reset", "Reset"
        INVITATION = "invitation", "Invitation"

    purpose = models.CharField(max_length=16, choices=Purpose.choices)
    institution = models.ForeignKey(
        Institution, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    name = models.CharField(max_length=254, blank=True)
    """What was typed: a username or an e-mail address, of an account or of none."""
    user = models.ForeignKey(
        User,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="password_links",
    )
    address = models.CharField(max_length=45, blank=True)
    """Where it was asked for."""
    place = models.CharField(max_length=45, blank=True)
    """What the limit counts that address as."""
    request_id = models.CharField(max_length=64, blank=True)
    asked_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True, blank=True)
    """When the account was looked for, and a message to it queued or not."""
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(sent_at=None) | Q(user__isnull=False),
                name="password_link_is_sent_to_somebody",
            ),
        ]
        indexes = [
            models.Index(fields=["place", "asked_at"], name="password_link_by_place"),
        ]

    def __str__(self) -> str:
        """Say what for and when; not for whom."""
        return f"{self.purpose} asked at {self.asked_at:%Y-%m-%d %H:%M:%S}Z (#{self.pk})"
