"""Logins that failed, which is what the login limits count (decisions 3.10)."""

from django.db import models
from django.utils import timezone


class LoginFailure(models.Model):
    """One login that failed: at which account, whether or not it exists, from where."""

    account = models.CharField(max_length=255)
    """The login that was claimed, such as ``alice@1001``."""
    address = models.GenericIPAddressField(null=True, blank=True)
    """The address, or of an IPv6 address its network of /64; ``None`` when nobody knows."""
    at = models.DateTimeField(default=timezone.now)
    is_over = models.BooleanField(default=False)
    """Whether the account was signed in to since: it counts for its address alone."""

    class Meta:
        verbose_name = "failed login"
        # Named, because ``db_index`` on text makes a second index on PostgreSQL.
        indexes = [
            models.Index(fields=["account", "at"], name="login_failures_by_account"),
            models.Index(fields=["address", "at"], name="login_failures_by_address"),
            models.Index(fields=["at"], name="login_failures_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.account} from {self.address or 'nowhere known'}"
