"""Answers to creates that carried an ``Idempotency-Key`` (decisions 7)."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class IdempotentAnswer(models.Model):
    """The first answer to a create, repeated for the same key, user and path.

    The row is inserted before the create runs, so that of two that run at once one finds
    the unique constraint in its way; ``status`` is empty until the answer is known.
    """

    client_id = models.CharField(max_length=255)
    """The service key that made the request."""
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    path = models.CharField(max_length=255)
    key = models.CharField(max_length=255)
    body_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    headers = models.JSONField(default=dict, blank=True)
    answer = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["client_id", "user", "path", "key"],
                name="idempotent_answer_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.client_id} {self.path} {self.key} ({self.pk})"
