"""Rows that the server keeps for itself: counts and repeated answers."""

from django.conf import settings
from django.db import models


class DayCount(models.Model):
    """A part of the number of events that start on ``day`` (UTC) in ``scope``.

    Triggers keep the rows (``store.triggers``); nothing else writes them. A scope is
    ``all``, ``institution:{id}``, ``term:{id}`` (all of these on PostgreSQL) or ``writes``;
    the first two also have months, each under its first day, as ``month:{scope}``. The day
    0001-01-01 holds the whole scope. Several rows may share a scope and a day: a writer
    merges the rows it can lock and leaves the rest, so writers never wait for each other;
    the count is the sum.
    """

    scope = models.CharField(max_length=100)
    day = models.DateField()
    number = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["scope", "day"], name="daycount_scope_day")]

    def __str__(self) -> str:
        return f"{self.scope} {self.day}: {self.number} ({self.pk})"


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
