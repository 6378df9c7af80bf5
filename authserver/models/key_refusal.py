"""Why requests with a service key were refused of late; a few for each key."""

from django.db import models
from django.utils import timezone

from authserver.models.service_key import ServiceKey


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
