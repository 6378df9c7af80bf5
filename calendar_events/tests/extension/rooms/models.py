"""The model."""

from django.db import models

from calendar_events.models import Record, RecordQuerySet
from calendar_events.models.record import record_permissions


class Room(Record):
    """A room."""

    name = models.CharField(max_length=100)
    seats = models.PositiveIntegerField(default=0)

    objects = RecordQuerySet.as_manager()

    class Meta(Record.Meta):
        permissions = record_permissions("room")

    def __str__(self) -> str:
        return self.name
