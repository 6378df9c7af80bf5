"""Exact counts that stay cheap: how many listed events start on each day, in each scope.

Triggers keep the rows (``migrations/0002_counters``, ``0008_months``); nothing else writes
them. A scope is ``all``, ``institution:{id}``, ``term:{id}`` or ``writes``; the first two
also have months, each under its first day, as ``month:{scope}``. Several rows may share a
scope and a day: a writer merges the rows it can lock and leaves the rest, so writers never
wait for each other; the count is the sum.
"""

from __future__ import annotations

from django.db import models


class DayCount(models.Model):
    """A part of the number of events that start on ``day`` (UTC) in ``scope``.

    The day 0001-01-01 holds the whole scope.
    """

    scope = models.CharField(max_length=100)
    day = models.DateField()
    number = models.BigIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["scope", "day"], name="daycount_scope_day"),
        ]

    def __str__(self) -> str:
        return f"{self.scope} {self.day}: {self.number} ({self.pk})"
