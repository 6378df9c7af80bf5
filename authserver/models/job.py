"""Jobs: exports and changes of many rows, done in the background for who asked."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.utils import timezone

from authserver.models.institution import Institution
from authserver.models.user import User

if TYPE_CHECKING:
    from datetime import datetime


STALLED_AFTER = timedelta(days=1)


class JobQuerySet(models.QuerySet["Job"]):
    """Jobs, by what is left of them."""

    def taking_room(self, now: datetime) -> JobQuerySet:
        """Return those that are being worked on, or whose file is still kept.

        What has not progressed for a day has failed for good, unless an operator has its
        task tried again.
        """
        since = now - STALLED_AFTER
        is_alive = Q(progressed_at__gt=since) | Q(asked_at__gt=since)
        return self.filter(Q(finished_at=None) & is_alive | Q(expires_at__gt=now))


class Job(models.Model):
    """A piece of work, whose it is, and how far it is.

    Work is done in portions. Each is committed together with ``position``, so that a worker
    that dies loses no more than the portion that it was at, and none is done twice.
    """

    class Kind(models.TextChoices):
        """What is done."""

        EXPORT = "export", "Export"
        ACTION = "action", "Change"

    kind = models.CharField(max_length=16, choices=Kind.choices)
    title = models.CharField(max_length=200)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="jobs")
    institution = models.ForeignKey(
        Institution, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    """That of the user when it was asked for; elsewhere the job is refused."""
    model = models.CharField(max_length=100)
    """The label of the rows, such as ``calendar_events.event``."""
    name = models.CharField(max_length=100)
    """The name of the admin action, or the format of the file."""
    arguments = models.JSONField(default=dict, blank=True)
    """What was posted for the action, or the ``query`` of the list."""
    rows = models.JSONField(default=list, blank=True)
    """The primary keys of the rows of an action, as they were selected."""
    total = models.PositiveIntegerField(null=True, blank=True)
    """How many rows there are to do; of an export once it has begun."""
    position = models.PositiveIntegerField(default=0)
    """How many of them were looked at."""
    last_key = models.BigIntegerField(null=True, blank=True)
    """The primary key of the row that an export wrote last."""
    done = models.PositiveIntegerField(default=0)
    left = models.JSONField(default=dict, blank=True)
    """How many rows were refused, by the reason in words."""
    size = models.PositiveBigIntegerField(default=0)
    """Bytes of the file so far."""
    error = models.CharField(max_length=300, blank=True)
    address = models.CharField(max_length=45, blank=True)
    """Where it was asked for."""
    request_id = models.CharField(max_length=64, blank=True)
    asked_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    progressed_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    """Until when the file can be fetched."""

    objects = JobQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["user", "-asked_at"], name="job_by_user"),
            models.Index(fields=["asked_at"], name="job_by_age"),
        ]

    def __str__(self) -> str:
        """Say what, and when it was asked for."""
        return f"{self.title} ({self.asked_at:%Y-%m-%d %H:%M} UTC, #{self.pk})"

    @property
    def refused(self) -> int:
        """Return how many rows were refused."""
        return sum(self.left.values())

    @property
    def passed_over(self) -> int:
        """Return at how many rows there was nothing to do, or that were not met."""
        return self.position - self.done - self.refused

    def has_file(self, now: datetime) -> bool:
        """Return whether there is a file to fetch."""
        return self.expires_at is not None and self.expires_at > now


class JobFilePart(models.Model):
    """A piece of the file that an export makes; they follow in order of their numbers."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job", "number"], name="job_file_part_is_once"),
        ]

    def __str__(self) -> str:
        """Name the job and the number."""
        return f"Part {self.number} of the file of job {self.job_id}"
