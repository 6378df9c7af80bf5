"""The app's only table: nonces that were used."""

from django.db import models


class Nonce(models.Model):
    """One signed request that was let in; a second one with the same three facts is not.

    An ordinary logged table, so that neither a restart nor a second server forgets.
    """

    client_id = models.CharField(max_length=255)
    timestamp = models.BigIntegerField()
    nonce = models.CharField(max_length=128)

    class Meta:
        constraints = [
            # The timestamp leads, so that the same index finds the rows that may go.
            models.UniqueConstraint(
                fields=["timestamp", "client_id", "nonce"], name="nonce_is_used_once"
            ),
            models.CheckConstraint(
                condition=models.Q(timestamp__gte=0), name="nonce_timestamp_is_unix_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.client_id} {self.timestamp} {self.nonce}"
